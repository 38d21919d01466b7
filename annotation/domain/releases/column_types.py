"""The types of released columns, from which Arrow schemas and Hugging Face features are made.

In JSONL and CSV a category is a code. Typed files hold its index in the list of names instead, as `ClassLabel` readers
expect, so that codes with gaps are read correctly (formats.md: resolve through the names).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from annotation.domain.columns.column import CATEGORY, FLAG, NUMBER, TEXT, WHOLE
from annotation.domain.columns.items import ITEMS
from annotation.domain.columns.labels import LABELS
from annotation.domain.formats.kept_columns import EXTRA
from annotation.domain.questions.released_answers import ANSWER_COLUMNS, Kinds, answer_types, consensus_types
from annotation.domain.releases.columns import label_columns
from annotation.domain.votes import Category

LABEL_TYPES: Mapping[str, Any] = {column.name: column.kind for column in LABELS}
TYPES: Mapping[str, Any] = {column.name: column.kind for column in ITEMS if column.kind != TEXT}
"""The types of columns that are not text."""

_INT64 = 2**63
_ARROW = {TEXT: "string", WHOLE: "int64", FLAG: "bool", NUMBER: "float64", CATEGORY: "int64"}


def types_of(
    columns: Sequence[str], kinds: Kinds | None = None, kept: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the columns with their types. `kinds`: the further questions; `kept`: kept columns with their types."""
    answers = answer_types(kinds) if kinds else {}
    types = {**TYPES, "labels": [{**label_types(columns), **answers}], **(consensus_types(kinds) if kinds else {})}
    types[EXTRA] = dict(kept or {})
    return {name: types.get(name, TEXT) for name in columns}


def label_types(columns: Sequence[str]) -> dict[str, Any]:
    """Return the columns of the labels in rows with these columns, with their types; answers are left out."""
    return {name: LABEL_TYPES[name] for name in label_columns(columns) if name not in ANSWER_COLUMNS}


class KeptTypes:
    """The types of kept columns, found from their values: one for each column, text where values differ in kind."""

    def __init__(self) -> None:
        self._found: dict[str, set[str]] = {}

    def look(self, kept: Mapping[str, Any]) -> None:
        """Look at what one item keeps."""
        for name, value in kept.items():
            self._found.setdefault(name, set()).add(_type_of(value))

    def as_types(self) -> dict[str, str]:
        """Return the type of each column, in the order of the alphabet."""
        return {name: _common(self._found[name]) for name in sorted(self._found)}


def _type_of(value: Any) -> str:
    match value:
        case bool():
            return FLAG
        case int():
            return WHOLE if -_INT64 <= value < _INT64 else TEXT
        case float():
            return NUMBER
    return TEXT


def _common(types: set[str]) -> str:
    if types == {WHOLE, NUMBER}:
        return NUMBER
    return types.copy().pop() if len(types) == 1 else TEXT


class Typed:
    """A converter of one project's released rows to typed values."""

    def __init__(self, types: Mapping[str, Any], categories: Sequence[Category], picture: bool = False) -> None:
        """Take the types and categories; `picture` adds a first column `image` with the picture's bytes and path."""
        self.types, self.picture = types, picture
        self.names = [category.name for category in categories]
        self._place = {category.code: place for place, category in enumerate(categories)}

    def schema(self) -> pa.Schema:
        """Return the Arrow schema, with the features that the `datasets` library reads from it."""
        fields = [pa.field(name, _arrow(kind)) for name, kind in self.types.items()]
        if self.picture:
            fields.insert(0, pa.field("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())])))
        return pa.schema(fields, {"huggingface": json.dumps({"info": {"features": self.features()}})})

    def features(self) -> dict[str, Any]:
        """Return the Hugging Face features in their JSON form."""
        picture = {"image": {"_type": "Image"}} if self.picture else {}
        return picture | {name: self._feature(kind) for name, kind in self.types.items()}

    def values(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row as the schema expects it, without the picture, which the caller adds."""
        return {name: self._value(kind, row[name]) for name, kind in self.types.items()}

    def _value(self, kind: Any, value: Any) -> Any:
        if value is None:
            return None
        if isinstance(kind, list):
            return [self._value(kind[0], entry) for entry in value]
        if isinstance(kind, Mapping):
            return {name: self._value(part, value[name]) for name, part in kind.items()}
        if kind == TEXT and not isinstance(value, str):  # a kept column whose values are of several kinds
            return json.dumps(value, ensure_ascii=False)
        return self._place[value] if kind == CATEGORY else value

    def _feature(self, kind: Any) -> Any:
        if isinstance(kind, list):
            return [self._feature(kind[0])]
        if isinstance(kind, Mapping):
            return {name: self._feature(part) for name, part in kind.items()}
        if kind == CATEGORY:
            return {"names": self.names, "_type": "ClassLabel"}
        return {"dtype": kind, "_type": "Value"}


def _arrow(kind: Any) -> pa.DataType:
    if isinstance(kind, list):
        return pa.list_(_arrow(kind[0]))
    if isinstance(kind, Mapping):
        return pa.struct([(name, _arrow(part)) for name, part in kind.items()])
    return pa.type_for_alias(_ARROW[kind])
