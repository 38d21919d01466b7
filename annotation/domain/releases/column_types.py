"""The types of released columns: one table, from which Arrow schemas and Hugging Face features are made.

In JSONL and CSV a category is a code. Typed files hold its index in the list of names instead, as `ClassLabel` readers
expect, so that codes with gaps are read correctly (formats.md: resolve through the names).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from annotation.domain.questions.released_answers import Kinds, answer_types, consensus_types
from annotation.domain.releases.columns import SET_COLUMNS, SET_LABEL_COLUMNS
from annotation.domain.votes import Category

_TEXT, _WHOLE, _FLAG, _NUMBER, _CATEGORY = "string", "int64", "bool", "float64", "category"

_CHALLENGE = {"modality": _TEXT, "category": _CATEGORY, "hateful": _FLAG}
LABEL_TYPES: Mapping[str, Any] = {
    "annotator": _TEXT,
    "category": _CATEGORY,
    "not_sure": _FLAG,
    "low_quality": _FLAG,
    "target_group": _TEXT,
    "note": _TEXT,
    "challenges": [_CHALLENGE],
    "replaced_by": _CATEGORY,
    "first_category": _CATEGORY,
    "priors_seen": _FLAG,
    "seconds": _NUMBER,
    "at": _TEXT,
}
_SET_TYPES = dict.fromkeys((*SET_COLUMNS, *SET_LABEL_COLUMNS), [_CATEGORY])
TYPES: Mapping[str, Any] = {
    **_SET_TYPES,
    **dict.fromkeys(("intended", "text_label", "image_label", "gold"), _CATEGORY),
    **dict.fromkeys(("intended_hateful", "text_hateful", "image_hateful", "hateful"), _FLAG),
    **dict.fromkeys(("aligned", "withheld", "injected"), _FLAG),
    **dict.fromkeys(("round", "guideline_version"), _WHOLE),
    "labels": [LABEL_TYPES],
    "reasons": [_TEXT],
    "votes": [{"category": _CATEGORY, "n": _WHOLE}],
}
"""The types of columns that are not text. A list holds the type of its entries, a mapping its fields."""

_ARROW = {_TEXT: "string", _WHOLE: "int64", _FLAG: "bool", _NUMBER: "float64", _CATEGORY: "int64"}


def types_of(columns: Sequence[str], kinds: Kinds | None = None) -> dict[str, Any]:
    """Return the columns with their types. `kinds`: the further questions, where there are any."""
    answers = answer_types(kinds) if kinds else {}
    types = {**TYPES, "labels": [{**label_types(columns), **answers}], **(consensus_types(kinds) if kinds else {})}
    return {name: types.get(name, _TEXT) for name in columns}


def label_types(columns: Sequence[str]) -> dict[str, Any]:
    """Return the columns of the labels in rows with these columns, with their types; answers are left out."""
    return {**LABEL_TYPES, **(dict.fromkeys(SET_LABEL_COLUMNS, [_CATEGORY]) if "categories" in columns else {})}


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
        return self._place[value] if kind == _CATEGORY else value

    def _feature(self, kind: Any) -> Any:
        if isinstance(kind, list):
            return [self._feature(kind[0])]
        if isinstance(kind, Mapping):
            return {name: self._feature(part) for name, part in kind.items()}
        if kind == _CATEGORY:
            return {"names": self.names, "_type": "ClassLabel"}
        return {"dtype": kind, "_type": "Value"}


def _arrow(kind: Any) -> pa.DataType:
    if isinstance(kind, list):
        return pa.list_(_arrow(kind[0]))
    if isinstance(kind, Mapping):
        return pa.struct([(name, _arrow(part)) for name, part in kind.items()])
    return pa.type_for_alias(_ARROW[kind])
