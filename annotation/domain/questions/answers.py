"""Answers to the further questions: what is valid, and what is stored with a label."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from annotation.domain.answer import BadAnswer
from annotation.domain.questions.question import Question, QuestionKind, has_subject, in_force, is_asked
from annotation.domain.text_rules import BadText, is_blank, read_optional_text
from annotation.domain.votes import Category

TEXT_ANSWER_LIMIT = 500
"""Characters of a text answer where the question names no limit."""
SPAN_LIMIT = 200
"""The most spans of one answer."""

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
            _refuse("unknown_question", f"This project asks no question {_shown(code)}.", code)
    stored: Stored = {}
    for question in _answered(versions, current, raw):
        raw_value, subject = _value(raw.get(question.code)), has_subject(question, text)
        value = read_value(question, raw_value, text) if subject else raw_value
        if not (subject and is_asked(question, category, further)):
            if value not in NO_ANSWER:
                _refuse("not_asked", f"{question.lead()} This question is not asked here.", question.code)
            continue
        if value is None and question.required and category is not None:
            _refuse("answer_needed", f"{question.lead()} This question needs an answer.", question.code)
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
    return _READERS[question.kind](question, value, text)


def span_pairs(value: object) -> list[list[int]]:
    """Return the pairs of whole numbers in a value; what people type may hold other things."""
    parts = value if isinstance(value, list) else []
    pairs = [part for part in parts if isinstance(part, list) and len(part) == 2]
    return [pair for pair in pairs if all(type(place) is int for place in pair)]


def quotations(value: object, text: str) -> list[str]:
    """Return the parts of the text that an answer marks, and those that it quotes, as words."""
    quoted = [part for part in value if isinstance(part, str)] if isinstance(value, list) else []
    return [*quoted, *(text[start:end] for start, end in span_pairs(value))]


def _answered(
    versions: Mapping[tuple[str, int], Question], current: Mapping[str, Question], raw: Mapping[str, Any]
) -> list[Question]:
    """Return the version that was answered of each question: the one named, else the one in force."""
    answered = dict(current)
    for code, entry in raw.items():
        of_version = isinstance(entry, Mapping) and "version" in entry
        if code not in current and not of_version:
            _refuse("retired_question", f"The question {_shown(code)} is no longer asked.", code)
        if not isinstance(entry, Mapping):
            continue
        if entry == NOT_SHOWN and code in current and not current[code].required:
            del answered[code]
            continue
        if "value" not in entry:
            _refuse("answer_needed", f"The answer to the question {_shown(code)} has no value.", code)
        if of_version:
            answered[code] = _named(versions, code, entry["version"])
    return sorted(answered.values(), key=lambda question: (question.place, question.code))


def _named(versions: Mapping[tuple[str, int], Question], code: str, version: object) -> Question:
    """Return the version of a question that an answer names. Raises BadAnswer if there is none."""
    if type(version) is not int:
        _refuse("unknown_version", f"The version of the question {_shown(code)} is a whole number.", code)
    if (code, version) not in versions:
        _refuse("unknown_version", f"The question {_shown(code)} has no version {_shown(version)}.", code)
    return versions[code, version]


def _value(entry: object) -> object:
    return entry.get("value") if isinstance(entry, Mapping) else entry


def _one(question: Question, value: object, text: str) -> str:
    codes = [option.code for option in question.offered]
    if not isinstance(value, str) or value not in codes:
        _refuse("bad_choice", f"{question.lead()} Choose one of {', '.join(codes)}.", question.code)
    return value


def _many(question: Question, value: object, text: str) -> list[str]:
    if not isinstance(value, list | tuple):
        _refuse("bad_choice", f"{question.lead()} The answer is a list of options.", question.code)
    return sorted({_one(question, code, text) for code in value})


def _scale(question: Question, value: object, text: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= (question.points or 0):
        sentence = f"{question.lead()} Choose a point from 1 to {question.points}."
        _refuse("bad_point", sentence, question.code)
    return value


def _text(question: Question, value: object, text: str) -> str | None:
    if not isinstance(value, str):
        _refuse("not_text", f"{question.lead()} The answer is a text.", question.code)
    try:
        read_optional_text(value, question.limit or TEXT_ANSWER_LIMIT)
    except BadText as bad:
        _refuse(bad.code, f"{question.lead()} {bad.sentence}", question.code)
    return None if is_blank(value) else value


def _span(question: Question, value: object, text: str) -> list[list[int]]:
    """Return the spans sorted, those that touch or overlap as one; a quotation means its next place in the text."""
    if not isinstance(value, list | tuple) or len(value) > SPAN_LIMIT:
        _refuse("bad_span", f"{question.lead()} Mark at most {SPAN_LIMIT} parts of the text.", question.code)
    merged: list[list[int]] = []
    after: dict[str, int] = {}
    for start, end in sorted(_offsets(question, part, text, after) for part in value):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def _offsets(question: Question, part: object, text: str, after: dict[str, int]) -> tuple[int, int]:
    """Return start and end of a pair of offsets or of quoted words; `after` is where each quotation was found last."""
    if isinstance(part, str):
        start = text.find(part, after.get(part, 0)) if part else -1
        if start < 0:
            _refuse("not_quoted", f"{question.lead()} {_shown(part)} does not stand in the text.", question.code)
        after[part] = start + len(part)
        return start, start + len(part)
    if not isinstance(part, list | tuple) or len(part) != 2 or any(type(place) is not int for place in part):
        _refuse("bad_span", f"{question.lead()} A part of the text is [start, end], or its words.", question.code)
    start, end = part
    if not 0 <= start < end <= len(text):
        sentence = f"{question.lead()} {start} to {end} is no part of the text, which has {len(text):,} characters."
        _refuse("outside_text", sentence, question.code)
    return start, end


_READERS: dict[QuestionKind, Callable[[Question, object, str], Any]] = {
    QuestionKind.ONE: _one,
    QuestionKind.MANY: _many,
    QuestionKind.SCALE: _scale,
    QuestionKind.TEXT: _text,
    QuestionKind.SPAN: _span,
}


def _refuse(code: str, sentence: str, question: str) -> NoReturn:
    raise BadAnswer(code, sentence, f"answers.{question}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
