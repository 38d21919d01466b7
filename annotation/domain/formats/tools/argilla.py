"""Argilla: records as JSON, with the responses of each person, or flattened (Parquet, CSV) as `NAME.responses`.

Only submitted responses are labels. One question is the label; answers to the others count where the project asks a
question of the same code, and are kept with the post.
"""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue, LabelUse, NotCounted, Reading, Row
from annotation.domain.formats.columns import COMPUTED
from annotation.domain.formats.labels.of_row import with_label
from annotation.domain.formats.mapping import Shape
from annotation.domain.formats.tools.passages import of_doccano

_RESPONSES, _USERS, _STATUS = ".responses", ".responses.users", ".responses.status"
_PARTS = frozenset({"user_id", "value", "status"})
"""What each response of a question holds in files of the first version."""
_OF_ARGILLA = frozenset({"_server_id", "status", "vectors", "inserted_at", "updated_at"})
_DRAFTS = {"discarded": NotCounted.DISCARDED}


class _Response(NamedTuple):
    user: str
    status: str
    value: Any


Responses = dict[str, list[_Response]]
"""The responses of a record, by question."""


def is_record(record: Mapping[str, Any]) -> bool:
    """Return whether a line or an entry is a record of Argilla."""
    nested = isinstance(record.get("fields"), dict) and "responses" in record
    return nested or is_flat(record) or any(map(_is_list_of_responses, record.values()))


def is_flat(names: Collection[str]) -> bool:
    """Return whether these are the columns of flattened records."""
    return any(name.endswith(_USERS) for name in names)


def table_of_records(reading: Reading, columns: frozenset[str]) -> "Record":
    """Return the reader of a CSV of flattened records. Raises BadValue."""
    return Record(reading, dict.fromkeys(columns))


class Record(Shape):
    """A reader of one record as a `Row` with a label of each person who submitted a response."""

    def __init__(self, reading: Reading, first: Mapping[str, Any]) -> None:
        """Take the first record, whose keys the others have too. Raises BadValue."""
        values, responses = _flattened(first)
        mapped, columns = reading.mapped, frozenset(values) | {f"{name}{_RESPONSES}" for name in responses}
        self._wanted, self._label = mapped.label, ""
        self._seats = replace(reading, mapped=replace(mapped, label_is=LabelUse.SEAT))
        fields_of_post = first.get("fields")
        only = next(iter(fields_of_post)) if isinstance(fields_of_post, dict) and len(fields_of_post) == 1 else ""
        text = mapped.text or ("" if "text" in columns else only)
        bare = replace(mapped, label="", raters=(), category_columns={}, text=text)
        super().__init__(replace(reading, mapped=bare), columns)

    def _use_of(self, name: str) -> str:
        if name.endswith(_RESPONSES) and name == f"{self._label}{_RESPONSES}":
            return "labels"
        return COMPUTED if name in _OF_ARGILLA else super()._use_of(name)

    def row(self, line: int, values: Mapping[str, Any], entry: int = 0) -> Row:
        flat, responses = _flattened(values)
        self._label = _label_of(responses, self._wanted)
        submitted, left = _submitted(responses)
        people = list(dict.fromkeys(response.user for said in responses.values() for response in said))
        lists = {
            f"{name}{_RESPONSES}": [submitted[person].get(name) for person in people if person in submitted]
            for name in responses
        }
        row = super().row(line, {**flat, **lists}, entry)
        for person, said in submitted.items():
            row = self._labelled(row, person, said)
        row.not_counted = left
        return row

    def _labelled(self, row: Row, person: str, said: Mapping[str, Any]) -> Row:
        """Return the row with the label of a person, if they gave one."""
        labelled = with_label(row, said.get(self._label), self._seats, person)
        if labelled is row:
            return row
        offered = {name: _places(value) for name, value in said.items() if name != self._label}
        *others, last = labelled.labels
        return replace(labelled, labels=(*others, replace(last, offered=offered)))


def _places(value: Any) -> Any:
    """Return the places of marked passages; other answers stay as they are."""
    return [[start, end] for start, end, _name in of_doccano(value)] or value


def _label_of(responses: Responses, wanted: str) -> str:
    """Return the question that is the label. Raises BadValue where several may be it."""
    name = wanted.removesuffix(_RESPONSES)
    if name or len(responses) < 2 or "label" in responses:
        return name or ("label" if "label" in responses else next(iter(responses), ""))
    reason = f"There are several questions: {', '.join(sorted(responses))}. Name the label column: one of them."
    raise BadValue("bad_labels", reason, "responses")


def _submitted(responses: Responses) -> tuple[dict[str, dict[str, Any]], dict[str, int]]:
    """Return what each person submitted, by question, and how many people's responses do not count, by reason.

    A file that says nothing of the status holds what was submitted.
    """
    submitted: dict[str, dict[str, Any]] = {}
    left: dict[str, NotCounted] = {}
    for question, said in responses.items():
        for response in said:
            if response.status in ("", "submitted"):
                submitted.setdefault(response.user, {})[question] = response.value
            else:
                left[response.user] = _DRAFTS.get(response.status, NotCounted.DRAFT)
    return submitted, dict(Counter(reason.value for reason in left.values()))


def _flattened(record: Mapping[str, Any]) -> tuple[dict[str, Any], Responses]:
    """Return the values of a record by plain names, and its responses. Raises BadValue."""
    values: dict[str, Any] = {}
    responses: Responses = {}
    for name, value in record.items():
        if name in ("fields", "metadata") and isinstance(_parsed(value), dict):
            values |= _parsed(value)
        elif name == "suggestions":
            values |= dict(_suggested(value))
        elif name == "responses":
            responses |= _nested(value)
        elif _is_list_of_responses(value):
            responses[name] = [_response(part, part.get("value")) for part in _objects(value)]
        elif name.endswith((_USERS, _STATUS)):
            continue
        elif name.endswith(_RESPONSES):
            responses[name.removesuffix(_RESPONSES)] = list(_aligned(record, name))
        else:
            values[name] = value
    if record.get("external_id"):
        values["id"] = values.pop("external_id")
    return values, responses


def _nested(value: Any) -> Responses:
    """Return responses by question, from lists by question, or from a list of people with their answers."""
    said: Responses = {}
    if isinstance(value, dict):
        for name, given in value.items():
            said[str(name)] = [_response(part, part.get("value")) for part in _objects(given)]
        return said
    for person in _objects(value or []):
        answers = person.get("values") or {}
        for name, answer in answers.items() if isinstance(answers, dict) else ():
            part = answer.get("value") if isinstance(answer, dict) else answer
            said.setdefault(str(name), []).append(_response(person, part))
    return said


def _aligned(record: Mapping[str, Any], name: str) -> Iterator[_Response]:
    """Yield the responses of a question from its lists side by side. Raises BadValue."""
    given, users, status = (_parsed(record.get(part)) or [] for part in (name, f"{name}.users", f"{name}.status"))
    if not all(isinstance(part, list) for part in (given, users, status)) or len(given) != len(users):
        raise BadValue("bad_labels", f"{name} and {name}.users are lists of the same length.", name)
    for place, value in enumerate(given):
        yield _Response(str(users[place]), str((status[place] if place < len(status) else "") or ""), value)


def _response(part: Mapping[str, Any], value: Any) -> _Response:
    user, status = part.get("user_id"), part.get("status")
    if user in (None, ""):
        raise BadValue("missing_annotator", "A response needs its user_id.", "user_id")
    return _Response(str(user), str(status or ""), value)


def _suggested(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what models suggest, as flattened files name it."""
    by_question = value.items() if isinstance(value, dict) else ()
    for name, part in by_question:
        for key, end in (("value", ""), ("agent", ".agent"), ("score", ".score")):
            if isinstance(part, dict) and part.get(key) is not None:
                yield f"{name}.suggestion{end}", part[key]


def _is_list_of_responses(value: Any) -> bool:
    parts = value if isinstance(value, list) else [value]
    return bool(parts) and all(isinstance(part, dict) and part.keys() == _PARTS for part in parts)


def _objects(value: Any) -> Sequence[Mapping[str, Any]]:
    """Return a list of objects, also where the `datasets` library made an object of lists of it. Raises BadValue."""
    if isinstance(value, dict) and all(isinstance(part, list) for part in value.values()):
        if len({len(part) for part in value.values()}) > 1:
            raise BadValue("bad_labels", "The lists of responses have different lengths.", "responses")
        return [dict(zip(value, parts, strict=True)) for parts in zip(*value.values(), strict=True)]
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        raise BadValue("bad_labels", "Responses are a list of objects.", "responses")
    return value


def _parsed(value: Any) -> Any:
    """Return what a cell holds as JSON, or as Python writes a list; other values stay as they are. Raises BadValue."""
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return value
    try:
        return strict_json.parse(value)
    except BadValue:
        if _WITHOUT_COMMAS.search(value):
            reason = (
                "A list has no commas between its values, as numpy writes it. Export the records as JSON or Parquet."
            )
            raise BadValue("bad_labels", reason, "responses") from None
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            return ast.literal_eval(value)
        raise


_WITHOUT_COMMAS = re.compile(r"""['"]\s+['"]""")
