"""Two columns of an item, lists with whose label each entry belongs to: named passages, and what is known of people.

`{"annotator": "ann", "start": 0, "end": 3, "name": "slur"}`: places are code points, the end is the place after the
last. `{"annotator": "ann", "column": "age", "value": "20-29"}`: a column about that person.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.domain.formats import fields, strict_json
from annotation.domain.formats.base import BadValue, Passage, Row
from annotation.domain.formats.kept_columns import EXTRA, as_cell, in_order, kept_columns

NAMED, ABOUT = "marked_passages", "about_annotators"
MOST, LONGEST = 2_000, 200
"""The most passages of one item, and characters of a name."""


def said_of_annotators(row: Row, values: Mapping[str, Any]) -> Row:
    """Return the row with what these columns of it say of the labels' annotators. Raises BadValue."""
    if values.get(NAMED):
        row = _with_named_passages(row, values[NAMED])
    return _with_about(row, values[ABOUT]) if values.get(ABOUT) else row


def _with_named_passages(row: Row, value: Any) -> Row:
    """Return the row with the passages of its column given to the labels of their annotators. Raises BadValue."""
    said = _by_annotator(row, value, NAMED, "annotator, start, end and name")
    passages = {who: tuple(map(_passage, parts)) for who, parts in said.items()}
    labels = (replace(label, passages=passages.get(label.annotator, ())) for label in row.labels)
    return replace(row, labels=tuple(labels))


def _with_about(row: Row, value: Any) -> Row:
    """Return the row with what its column says of people given to their labels. Raises BadValue."""
    said = _by_annotator(row, value, ABOUT, "annotator, column and value")
    about = {
        who: kept_columns({EXTRA: {fields.line(part.get("column"), ABOUT, 100): part.get("value") for part in parts}})
        for who, parts in said.items()
    }
    labels = (replace(label, person=about.get(label.annotator, {})) for label in row.labels)
    return replace(row, labels=tuple(labels))


def about(annotator: str, person: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return what is known of a person as entries of the column: values are text, as cells of a table."""
    return [
        {"annotator": annotator, "column": name, "value": value if isinstance(value, str) else _word(value)}
        for name, value in in_order(person).items()
    ]


def parts_of(annotator: str, value: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the entries of one of the two columns that belong to this annotator."""
    return [part for part in value if part["annotator"] == annotator]


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(as_cell(value))


def _by_annotator(row: Row, value: Any, column: str, parts: str) -> dict[str, list[Mapping[str, Any]]]:
    """Return the entries of a column by the annotator whose label they belong to. Raises BadValue."""
    by_annotator: dict[str, list[Mapping[str, Any]]] = {}
    for part in _objects(value, column, parts):
        by_annotator.setdefault(fields.annotator(part.get("annotator"), column), []).append(part)
    if unknown := by_annotator.keys() - {label.annotator for label in row.labels}:
        raise BadValue("bad_labels", f"{min(unknown)[:80]!r} has {column} and no label in this row.", column)
    return by_annotator


def checked(passages: Sequence[Passage], text: str) -> Sequence[Passage]:
    """Return passages of a text. Raises BadValue for one that lies outside it, or has a name that cannot be stored."""
    for start, end, name in passages:
        fields.line(name, NAMED, LONGEST)
        if not 0 <= start < end <= len(text):
            raise BadValue("outside_text", f"The passage {start} to {end} lies outside the text.", NAMED)
    return passages


def _objects(value: Any, column: str, parts: str) -> Sequence[Mapping[str, Any]]:
    read = strict_json.parse(value) if isinstance(value, str) else value
    if not isinstance(read, list) or len(read) > MOST or not all(isinstance(part, dict) for part in read):
        reason = f"{column} is a list of at most {MOST:,} objects with {parts}."
        raise BadValue("bad_labels", reason, column, MOST)
    return read


def _passage(part: Mapping[str, Any]) -> Passage:
    start, end = part.get("start"), part.get("end")
    if type(start) is not int or type(end) is not int:
        raise BadValue("bad_labels", "A marked passage has its start and end as whole numbers.", NAMED)
    return Passage(start, end, fields.line(part.get("name"), NAMED, LONGEST))
