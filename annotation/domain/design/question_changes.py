"""Changes of the further questions while people label: what is allowed, and what changed.

The kind of a code never changes, nor does what the code of an option means. Whatever changes what people are asked
makes the next version; earlier versions stay, and labels name theirs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from annotation.domain.design.changes import ChangeKind
from annotation.domain.questions.question import Question
from annotation.domain.questions.refusals import BadQuestions
from annotation.domain.refusal import gettext_noop as _

_PLAIN = frozenset({"code", "version", "key", "place", "retired"})


@dataclass(frozen=True)
class QuestionChange:
    """One change of one further question; `parts` are the fields by which its new version asks otherwise."""

    kind: ChangeKind
    code: str
    version: int
    parts: tuple[str, ...] = ()


def merge(present: Sequence[Question], proposed: Sequence[Question]) -> tuple[Question, ...]:
    """Return the newest version of every question after the change, in the order of the page.

    `present` holds the newest versions, `proposed` is a whole list as `read_questions` returns it. A present question
    that it leaves out is retired, and so is an option. Raises BadQuestions if a code would change its kind.
    """
    before = {question.code: question for question in present}
    merged = [_next_version(before.get(question.code), question) for question in proposed]
    staying = {question.code for question in merged}
    merged += [replace(question, retired=True, key="") for question in present if question.code not in staying]
    return tuple(merged)


def _next_version(old: Question | None, new: Question) -> Question:
    if old is None:
        return new
    if old.kind != new.kind:
        raise BadQuestions(
            _(
                "Question %(code)s cannot change from %(before)s to %(after)s: its answers would change their meaning. "
                "Retire it and add another."
            ),
            code=old.code,
            before=old.kind,
            after=new.kind,
        )
    if new.retired:
        return replace(old, retired=True, key="", place=new.place)
    staying = {option.code for option in new.options}
    left_out = tuple(replace(option, retired=True) for option in old.options if option.code not in staying)
    new = replace(new, options=(*new.options, *left_out), version=old.version)
    return new if new.same_question(old) else replace(new, version=old.version + 1)


def changes(present: Sequence[Question], merged: Sequence[Question]) -> tuple[QuestionChange, ...]:
    """Return what changed from one state of the newest versions to the next, in the order of the page."""
    before = {question.code: question for question in present}
    moved = _moved(present, merged)
    listed: list[QuestionChange] = []
    for new in merged:
        old = before.get(new.code)
        if old is None:
            listed.append(QuestionChange(ChangeKind.ADDED, new.code, new.version))
            continue
        if old.retired != new.retired:
            kind = ChangeKind.RETIRED if new.retired else ChangeKind.RESTORED
            listed.append(QuestionChange(kind, new.code, new.version))
        elif old.key != new.key:
            listed.append(QuestionChange(ChangeKind.KEY, new.code, new.version))
        if old.version != new.version:
            listed.append(QuestionChange(ChangeKind.REASKED, new.code, new.version, differing(old, new)))
        if new.code in moved:
            listed.append(QuestionChange(ChangeKind.MOVED, new.code, new.version))
    return tuple(listed)


def differing(old: Question, new: Question) -> tuple[str, ...]:
    """Return the names of the fields by which two versions ask otherwise."""
    names = (field.name for field in fields(Question) if field.name not in _PLAIN)
    return tuple(name for name in names if getattr(old, name) != getattr(new, name))


def _moved(present: Sequence[Question], merged: Sequence[Question]) -> set[str]:
    """Return the codes whose place among those that stay asked changed."""
    order = [question.code for question in sorted(present, key=lambda question: question.place) if not question.retired]
    after = [question.code for question in merged if question.code in order and not question.retired]
    stayed = [code for code in order if code in after]
    return {code for place, code in enumerate(after) if stayed[place] != code}
