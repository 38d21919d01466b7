"""Questions as a design file has them (`docs/design-file.md`): one object a question."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.domain.questions.design_fields import CODE_LIMIT, read_field, read_flag
from annotation.domain.questions.kinds.registry import KINDS, kind_of
from annotation.domain.questions.question import Asked, Question, QuestionKind, When
from annotation.domain.questions.refusals import BadQuestions, shown
from annotation.domain.refusal import gettext_noop as _
from annotation.domain.votes import Category
from annotation.domain.words import shown_words

QUESTION_COUNT = 12
"""The most questions that are asked at one time, beside the category."""
KEYS = "adefhimovjkx"
"""Keys a question may have: letters that do nothing else on the annotator's page."""
WORDING_LIMIT = 200
HELP_LIMIT = 500
_CODE = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_EVERY_KIND = frozenset({"code", "kind", "wording", "help", "key", "required", "when", "retired"})
_SHARES_WITH_CATEGORY = _("Question %(code)s and category %(owner)s share the key %(key)s. Change one.")
_SHARES_WITH_QUESTION = _("Question %(code)s and question %(owner)s share the key %(key)s. Change one.")


def read_questions(raw: object, categories: Sequence[Category]) -> tuple[Question, ...]:
    """Return the questions of a design, in the order of the page.

    `categories` are those of the same design: they may be named by `when`, and a key belongs to one thing. A missing
    key becomes the first free one. Raises BadQuestions.
    """
    if not isinstance(raw, list):
        raise BadQuestions(_("Questions are a list of {code, kind, …}."))
    read = [_read_row(number, row) for number, row in enumerate(raw, start=1)]
    current = [question for question in read if not question.retired]
    if len(current) > QUESTION_COUNT:
        raise BadQuestions(
            _("A project asks at most %(most)s further questions; this list has %(count)s."),
            most=QUESTION_COUNT,
            count=len(current),
        )
    for number, question in enumerate(read):
        if question.code in {earlier.code for earlier in read[:number]}:
            raise BadQuestions(_("Two questions share the code %(code)s."), code=repr(question.code))
    _refuse_unknown_categories(read, categories)
    return with_keys(read, categories)


def question_row(question: Question) -> dict[str, Any]:
    """Return a question as `read_questions` reads it."""
    row: dict[str, Any] = {
        "wording": shown_words(question.wording),
        "help": shown_words(question.help),
        **{field.name: field.written(getattr(question, field.name)) for field in kind_of(question).fields},
        "key": question.key,
        "required": question.required,
        "when": when_row(question.when),
        "retired": question.retired,
    }
    shown = {name: value for name, value in row.items() if value and not (name == "when" and value == Asked.ALWAYS)}
    return {"code": question.code, "kind": str(question.kind), **shown}


def when_row(when: When) -> str | list[int]:
    """Return when a question is asked as a file has it: a word, or the codes of categories."""
    return list(when.categories) if when.asked is Asked.CATEGORIES else str(when.asked)


def read_when(raw: object) -> When | None:
    """Return when a question is asked. Returns None for what says no such thing."""
    if isinstance(raw, str) and raw in (Asked.ALWAYS, Asked.HATEFUL):
        return When(Asked(raw))
    if isinstance(raw, list) and raw and all(type(code) is int for code in raw):
        return When(Asked.CATEGORIES, tuple(sorted(set(raw))))
    return None


def _read_row(number: int, row: object) -> Question:
    if not isinstance(row, Mapping):
        raise BadQuestions(_("Question %(number)s must be an object with code and kind."), number=number)
    code = row.get("code")
    if not isinstance(code, str) or not _CODE.fullmatch(code):
        raise BadQuestions(
            _("Question %(number)s needs a code: at most %(most)s small letters, digits, _ and -, a letter first."),
            number=number,
            most=CODE_LIMIT,
        )
    if row.get("kind") not in list(QuestionKind):
        raise BadQuestions(_("Question %(code)s needs a kind: %(kinds)s."), code=code, kinds=", ".join(QuestionKind))
    kind = QuestionKind(row["kind"])
    own = KINDS[kind].fields
    unknown = sorted(set(row) - _EVERY_KIND - {field.name for field in own})
    if unknown:
        raise BadQuestions(
            _("Question %(code)s is of the kind %(kind)s, which has no field %(field)s."),
            code=code,
            kind=kind,
            field=shown(unknown[0]),
        )
    retired = read_flag(code, row, "retired")
    return Question(
        code=code,
        kind=kind,
        wording=read_field(code, row, "wording", WORDING_LIMIT),
        help=read_field(code, row, "help", HELP_LIMIT),
        **{field.name: field.read(code, row) for field in own},
        key="" if retired else _key(code, row.get("key", "")),
        place=number,
        required=read_flag(code, row, "required"),
        when=_when(code, row.get("when", str(Asked.ALWAYS))),
        retired=retired,
    )


def _key(code: str, value: object) -> str:
    if value and (not isinstance(value, str) or len(value) != 1 or value not in KEYS):
        raise BadQuestions(
            _("Question %(code)s: a key is one of %(allowed)s; other letters already do something else."),
            code=code,
            allowed=KEYS,
        )
    return str(value or "")


def _when(code: str, value: object) -> When:
    when = read_when(value)
    if when is None:
        raise BadQuestions(
            _('Question %(code)s: when is "always", "hateful", or a list of codes of categories.'), code=code
        )
    return when


def _refuse_unknown_categories(questions: Sequence[Question], categories: Sequence[Category]) -> None:
    category_codes = {category.code for category in categories}
    for question in questions:
        missing = [code for code in question.when.categories if code not in category_codes]
        if missing and not question.retired:
            raise BadQuestions(
                _("Question %(code)s is asked beside category %(category)s, which is not there."),
                code=question.code,
                category=missing[0],
            )


def with_keys(questions: Sequence[Question], categories: Sequence[Category]) -> tuple[Question, ...]:
    """Return the questions with a key for each that has none, while there are free ones; a key belongs to one thing.

    Raises BadQuestions.
    """
    holder = {category.key: f"{category.code} ({category.name})" for category in categories if category.key}
    of_categories = frozenset(holder)
    for question in questions:
        owner = holder.get(question.key)
        if owner:
            raise BadQuestions(
                _SHARES_WITH_CATEGORY if question.key in of_categories else _SHARES_WITH_QUESTION,
                code=question.code,
                owner=owner,
                key=question.key,
            )
        if question.key:
            holder[question.key] = question.code
    free = iter(key for key in KEYS if key not in holder)
    return tuple(
        question if question.key or question.retired else replace(question, key=next(free, ""))
        for question in questions
    )
