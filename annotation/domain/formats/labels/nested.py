"""Labels of several annotators in one row: a list of objects, an object of lists, or a list of values.

`raw_labels.off` names the part `off` of each object in the column `raw_labels` (or the list `off` of the object that
stands there), `votes[]` each value of the list in `votes`, `votes.*` the values of an object whose keys are annotators.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from annotation.domain import category_sets
from annotation.domain.formats import strict_json
from annotation.domain.formats.base import UNNAMED, BadValue, LabelUse, Mapped, Reading, Row
from annotation.domain.formats.inner_columns import prefixes
from annotation.domain.formats.labels.of_row import with_label

_LIST, _BY_NAME = "[]", ".*"


def column_of(path: str, columns: Collection[str]) -> str:
    """Return the column that a path leads into. Returns "" if it is no path, or is a column's name itself."""
    if not path or path in columns:
        return ""
    heads = (path.removesuffix(_LIST),) if path.endswith(_LIST) else prefixes(path)
    return next((head for head in heads if head in columns), "")


def with_nested(row: Row, values: Mapping[str, Any], reading: Reading) -> Row:
    """Return the row with a label for each entry; annotators who are not named are numbered. Raises BadValue."""
    mapped = reading.mapped
    column = column_of(mapped.label, values)
    labels = _entries(values.get(column), mapped.label, column)
    annotator_column = column_of(mapped.annotator, values)
    annotators = _entries(values.get(annotator_column), mapped.annotator, annotator_column) if annotator_column else []
    if mapped.label == f"{column}{_BY_NAME}":
        annotators = [*_parsed(values[column])] if labels else []
    if annotators and len(annotators) != len(labels):
        reason = f"{mapped.label} has {len(labels)} values and {mapped.annotator} {len(annotators)}."
        raise BadValue("bad_labels", reason, mapped.annotator)
    seats = replace(reading, mapped=replace(mapped, label_is=LabelUse.SEAT))
    for place, label in enumerate(labels):
        who = annotators[place] if annotators else f"{UNNAMED.removesuffix('1')}{place + 1}"
        row = with_label(row, label, seats, who)
    return row


def said_beside(values: Mapping[str, Any], mapped: Mapped) -> dict[str, Any]:
    """Return what the entries say beside label and annotator, in columns that paths lead into: a list for each part."""
    paths = {path: column for path in (mapped.label, mapped.annotator) if (column := column_of(path, values))}
    said: dict[str, Any] = {}
    for column in dict.fromkeys(column for path, column in paths.items() if not path.endswith(_BY_NAME)):
        used = {path.removeprefix(f"{column}.") for path, of in paths.items() if of == column}
        match _parsed(values[column]):
            case dict() as lists:
                said |= {f"{column}.{name}": part for name, part in lists.items() if name not in used}
            case list() as entries if all(isinstance(entry, dict) for entry in entries):
                names = dict.fromkeys(name for entry in entries for name in entry if name not in used)
                said |= {f"{column}.{name}": [entry.get(name) for entry in entries] for name in names}
    return said


def _parsed(value: Any) -> Any:
    return strict_json.parse(value) if isinstance(value, str) and value.lstrip()[:1] in ("[", "{") else value


def _entries(value: Any, path: str, column: str) -> list[Any]:
    """Return the values that a path leads to in the value of its column. Raises BadValue."""
    value = _parsed(value)
    if value in (None, ""):
        return []
    if path.endswith(_LIST):
        found = category_sets.parts_of(value) if isinstance(value, str) else value
    elif path == f"{column}{_BY_NAME}":
        found = [*value.values()] if isinstance(value, dict) else None
    else:
        part = path.removeprefix(f"{column}.")
        if isinstance(value, dict):
            found = value.get(part)
        elif isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
            found = [entry.get(part) for entry in value]
        else:
            found = None
    if not isinstance(found, list):
        reason = f"{path} leads to no list here: {column} has to be a list of objects, an object of lists, or a list."
        if path.endswith(_BY_NAME):
            reason = f"{column} is no object here: for {path} each key has to be an annotator."
        raise BadValue("bad_labels", reason, column)
    return found
