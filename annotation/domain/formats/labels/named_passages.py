"""Passages that people marked and named: a column of the item, with whose label each belongs to.

`{"annotator": "ann", "start": 0, "end": 3, "name": "slur"}`: places are code points, the end is the place after the
last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.domain.formats import fields, strict_json
from annotation.domain.formats.base import BadValue, Passage, Row

NAMED = "marked_passages"
MOST, LONGEST = 2_000, 200
"""The most passages of one item, and characters of a name."""


def with_named_passages(row: Row, value: Any) -> Row:
    """Return the row with the passages of its column given to the labels of their annotators. Raises BadValue."""
    by_annotator: dict[str, list[Passage]] = {}
    for part in _objects(value):
        annotator = fields.annotator(part.get("annotator"), NAMED)
        by_annotator.setdefault(annotator, []).append(_passage(part))
    if unknown := by_annotator.keys() - {label.annotator for label in row.labels}:
        raise BadValue("bad_labels", f"{min(unknown)[:80]!r} has marked passages and no label in this row.", NAMED)
    labels = (replace(label, passages=tuple(by_annotator.get(label.annotator, ()))) for label in row.labels)
    return replace(row, labels=tuple(labels))


def checked(passages: Sequence[Passage], text: str) -> Sequence[Passage]:
    """Return passages of a text. Raises BadValue for one that lies outside it, or has a name that cannot be stored."""
    for start, end, name in passages:
        fields.line(name, NAMED, LONGEST)
        if not 0 <= start < end <= len(text):
            raise BadValue("outside_text", f"The passage {start} to {end} lies outside the text.", NAMED)
    return passages


def _objects(value: Any) -> Sequence[Mapping[str, Any]]:
    read = strict_json.parse(value) if isinstance(value, str) else value
    if not isinstance(read, list) or len(read) > MOST or not all(isinstance(part, dict) for part in read):
        reason = f"{NAMED} is a list of at most {MOST:,} objects with annotator, start, end and name."
        raise BadValue("bad_labels", reason, NAMED, MOST)
    return read


def _passage(part: Mapping[str, Any]) -> Passage:
    start, end = part.get("start"), part.get("end")
    if type(start) is not int or type(end) is not int:
        raise BadValue("bad_labels", "A marked passage has its start and end as whole numbers.", NAMED)
    return Passage(start, end, fields.line(part.get("name"), NAMED, LONGEST))
