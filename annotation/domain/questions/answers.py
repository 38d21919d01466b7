"""Answers to the further questions: what is valid, and what is stored with a label."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.domain.questions.kinds.registry import kind_of
from annotation.domain.questions.question import Question, in_force, is_asked
from annotation.domain.questions.refusals import refuse_answer, shown
from annotation.domain.votes import Category

Stored = dict[str, dict[str, Any]]
"""What a label keeps: `{code: {"version": n, "value": …}}` with every question that was asked; skipped is None."""


def read_answers(
    questions: Sequence[Question],
    raw: Mapping[str, Any],
    category: Category | None,
    text: str,
    further: Sequence[Category] = (),
) -> Stored:
    """Return what a label stores: every question that was asked beside the category, in the order of the page.

    `raw` holds by code a value, or `{"version", "value"}` where an earlier version was answered; other keys there are
    passed over. `questions` are those in force and the earlier versions that `raw` names. A required question needs an
    answer only beside a category: whoever is not sure, or finds the post unreadable, may leave it out. One about parts
    of the text is not asked where the post has none.
    Raises BadAnswer with the field `answers.CODE`.
    """
    versions = {(question.code, question.version): question for question in questions}
    current = {question.code: question for question in in_force(questions)}
    for code in raw:
        if code not in {question.code for question in questions}:
            refuse_answer("unknown_question", f"This project asks no question {shown(code)}.", code)
    stored: Stored = {}
    for question in _answered(versions, current, raw):
        raw_value, subject = _value(raw.get(question.code)), kind_of(question).has_subject(text)
        value = read_value(question, raw_value, text) if subject else raw_value
        if not (subject and is_asked(question, category, further)):
            if value not in NO_ANSWER:
                refuse_answer("not_asked", f"{question.lead()} This question is not asked here.", question.code)
            continue
        if value is None and question.required and category is not None:
            refuse_answer("answer_needed", f"{question.lead()} This question needs an answer.", question.code)
        stored[question.code] = {"version": question.version, "value": value}
    return stored


NO_ANSWER: Sequence[Any] = (None, "", [])
"""What stands for a question that was skipped, before it is read."""
NOT_SHOWN: Mapping[str, Any] = {"version": 0, "value": None}
"""The entry of a question that was added after the page was shown: nobody asked it, so nobody skipped it."""


def read_value(question: Question, value: object, text: str) -> Any:
    """Return the value of an answer as a label stores it; None for one that was skipped.

    Raises BadAnswer.
    """
    if value in NO_ANSWER:
        return None
    return kind_of(question).read(question, value, text)


def _answered(
    versions: Mapping[tuple[str, int], Question], current: Mapping[str, Question], raw: Mapping[str, Any]
) -> list[Question]:
    """Return the version that was answered of each question: the one named, else the one in force."""
    answered = dict(current)
    for code, entry in raw.items():
        of_version = isinstance(entry, Mapping) and "version" in entry
        if code not in current and not of_version:
            refuse_answer("retired_question", f"The question {shown(code)} is no longer asked.", code)
        if not isinstance(entry, Mapping):
            continue
        if entry == NOT_SHOWN and code in current and not current[code].required:
            del answered[code]
            continue
        if "value" not in entry:
            refuse_answer("answer_needed", f"The answer to the question {shown(code)} has no value.", code)
        if of_version:
            answered[code] = _named(versions, code, entry["version"])
    return sorted(answered.values(), key=lambda question: (question.place, question.code))


def _named(versions: Mapping[tuple[str, int], Question], code: str, version: object) -> Question:
    """Return the version of a question that an answer names. Raises BadAnswer if there is none."""
    if type(version) is not int:
        refuse_answer("unknown_version", f"The version of the question {shown(code)} is a whole number.", code)
    if (code, version) not in versions:
        refuse_answer("unknown_version", f"The question {shown(code)} has no version {shown(version)}.", code)
    return versions[code, version]


def _value(entry: object) -> object:
    return entry.get("value") if isinstance(entry, Mapping) else entry
