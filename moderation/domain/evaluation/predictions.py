"""A file of answers: one JSON object id → {"label", "reason"?, "refusal"?}, or JSON lines with `id`."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import LIMITS, BadValue, RowError, Unreadable
from annotation.domain.formats.lines import check_head, read_lines
from moderation.domain.evaluation.answers import GivenAnswer

_FORM = 'An answer is an object: {"label": 0, "reason": "…", "refusal": false}; reason and refusal may be left out.'


def read_predictions(stream: BinaryIO) -> dict[str, GivenAnswer]:
    """Return the answers by id, with their labels unchanged.

    Raises Unreadable with the line and what to do.
    """
    opening = check_head(stream).lstrip()[:1]
    if opening != b"{":
        reason = "The file is neither one JSON object id → answer nor JSON lines with the key id."
        raise Unreadable(RowError(1, "unknown_format", reason))
    answers: dict[str, GivenAnswer] = {}
    for line, name, value in _lines(stream) if _is_lines(stream) else _entries(stream):
        if name in answers:
            raise Unreadable(RowError(line, "duplicate_id", f"The id {name[:80]!r} is answered twice: keep one."))
        answers[name] = _answer(line, name, value)
    return answers


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


def _answer(line: int, name: str, value: Any) -> GivenAnswer:
    if not isinstance(value, dict):
        raise Unreadable(RowError(line, "bad_answer", f"The answer of {name[:80]!r} is no object. {_FORM}"))
    refused = value.get("refusal", False)
    if refused is not None and not isinstance(refused, bool):
        raise Unreadable(RowError(line, "bad_answer", f"refusal of {name[:80]!r} is true or false. {_FORM}"))
    return GivenAnswer(value.get("label"), refused=bool(refused))
