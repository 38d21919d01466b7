"""Answers of an API, kept as files: one JSON object, one on each line, or an array of them."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue, Limits, RowError, Unreadable
from annotation.domain.formats.jsonl import array_or_lines
from annotation.domain.formats.lines import check_head, read_lines

Page = tuple[int, dict[str, Any]]


def pages(stream: BinaryIO, limits: Limits) -> Iterator[Page | RowError]:
    """Yield each object with the line on which it begins. Raises Unreadable."""
    if _is_one_object(stream, limits):
        yield 1, _whole(stream, limits)
        return
    for line, entry, text in array_or_lines(stream, limits):
        try:
            page = strict_json.parse(text)
            if not isinstance(page, dict):
                raise BadValue("not_an_object", "The line is no JSON object.")
        except BadValue as fault:
            yield fault.at(line, entry=entry)
            continue
        yield line, page


def _is_one_object(stream: BinaryIO, limits: Limits) -> bool:
    """Return whether the file is an object over several lines."""
    if check_head(stream).lstrip()[:1] != b"{":
        return False
    first = next(text for _, text in read_lines(stream, limits.line_bytes) if not text.isspace())
    try:
        strict_json.parse(first)
    except BadValue as fault:
        return fault.code == "invalid_json"
    return False


def _whole(stream: BinaryIO, limits: Limits) -> dict[str, Any]:
    page = {}
    for line, key, source in strict_json.entries(stream, limits.entry_chars):
        try:
            page[key] = strict_json.parse(source)
        except BadValue as fault:
            raise Unreadable(fault.at(line)) from fault
    return page
