"""A file of answers: one JSON object id → {"label" or "hateful", "reason"?, "refusal"?}, or JSON lines with `id`.

The lines of one arm and repeat of `answers.jsonl` are such a file.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import LIMITS, BadValue, RowError, Unreadable
from annotation.domain.formats.lines import check_head, read_lines
from moderation.domain.evaluation.answers import HATEFUL, NOT_HATEFUL, GivenAnswer, Question, known_label
from moderation.domain.task import Task

_FORM = 'An answer is an object: {"label": 0, "reason": "…", "refusal": false}; reason and refusal may be left out.'
_NO_ANSWER = ("failed", "cancelled")
"""The states of runs that are no answers: their items are missing."""
_EARLIER = (
    "This answers.jsonl is of an earlier version: its label {label} may be a side, 1 hateful and 0 not, but here it is "
    "a category of the other side. Give the command that made it again with --out: it asks nobody, and says hateful."
)


def read_predictions(stream: BinaryIO, question: Question | None = None) -> dict[str, GivenAnswer]:
    """Return the answers by id, with their labels unchanged. Runs that failed or were cancelled are none.

    Raises Unreadable with the line and what to do, also where the question leaves open what an old file means.
    """
    opening = check_head(stream).lstrip()[:1]
    if opening != b"{":
        reason = "The file is neither one JSON object id → answer nor JSON lines with the key id."
        raise Unreadable(RowError(1, "unknown_format", reason))
    answers: dict[str, GivenAnswer | None] = {}
    for line, name, value in _lines(stream) if _is_lines(stream) else _entries(stream):
        if name in answers:
            raise Unreadable(RowError(line, "duplicate_id", f"The id {name[:80]!r} is answered twice: keep one."))
        answers[name] = _answer(line, name, value, question)
    return {name: answer for name, answer in answers.items() if answer is not None}


def _is_lines(stream: BinaryIO) -> bool:
    """Return whether the first line is a complete answer with its id."""
    stream.seek(0)
    first = next((text for _, text in read_lines(stream, LIMITS.line_bytes) if not text.isspace()), "")
    stream.seek(0)
    try:
        value = strict_json.parse(first)
    except BadValue:
        return False
    return isinstance(value, dict) and "id" in value and not isinstance(value["id"], dict)


def _lines(stream: BinaryIO) -> Iterator[tuple[int, str, Any]]:
    for line, text in read_lines(stream, LIMITS.line_bytes):
        if text.isspace():
            continue
        try:
            value = strict_json.parse(text)
        except BadValue as fault:
            raise Unreadable(fault.at(line)) from fault
        name = value.get("id") if isinstance(value, dict) else None
        if isinstance(name, int) and not isinstance(name, bool):
            name = str(name)
        if not isinstance(name, str) or not name:
            raise Unreadable(RowError(line, "missing_id", "The line has no id: give every answer the id of its item."))
        yield line, name, value


def _entries(stream: BinaryIO) -> Iterator[tuple[int, str, Any]]:
    for line, name, source in strict_json.entries(stream, LIMITS.entry_chars):
        try:
            yield line, name, strict_json.parse(source)
        except BadValue as fault:
            raise Unreadable(fault.at(line, name[:128])) from fault


def _answer(line: int, name: str, value: Any, question: Question | None) -> GivenAnswer | None:
    if not isinstance(value, dict):
        raise Unreadable(RowError(line, "bad_answer", f"The answer of {name[:80]!r} is no object. {_FORM}"))
    for key in ("refusal", "hateful"):
        if value.get(key) is not None and not isinstance(value[key], bool):
            raise Unreadable(RowError(line, "bad_answer", f"{key} of {name[:80]!r} is true or false. {_FORM}"))
    if question and _is_ambiguous(value, question):
        raise Unreadable(RowError(line, "bad_answer", _EARLIER.format(label=value["label"])))
    if value.get("state") in _NO_ANSWER:
        return None
    return GivenAnswer(value.get("label"), value.get("hateful"), refused=bool(value.get("refusal")))


def _is_ambiguous(value: dict[str, Any], question: Question) -> bool:
    """Whether this is a line of an earlier `answers.jsonl` whose label may be a side, and is another one as category.

    Its lines did not say which of both they mean.
    """
    is_earlier = "arm" in value and "state" in value and "gold_hateful" not in value
    label = known_label(value.get("label"), question)
    is_side = label in (HATEFUL, NOT_HATEFUL) and question.task is Task.BINARY
    return is_earlier and label is not None and is_side and question.sides[label] is not (label == HATEFUL)
