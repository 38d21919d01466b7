"""The types of released columns: one table, from which Arrow schemas and Hugging Face features are made.

In JSONL and CSV a category is a code. Typed files hold its index in the list of names instead, as `ClassLabel` readers
expect, so that codes with gaps are read correctly (formats.md: resolve through the names).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

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
TYPES: Mapping[str, Any] = {
    **dict.fromkeys(("intended", "text_label", "image_label", "gold"), _CATEGORY),
    **dict.fromkeys(("intended_hateful", "text_hateful", "image_hateful", "hateful"), _FLAG),
    **dict.fromkeys(("aligned", "withheld", "injected"), _FLAG),
    **dict.fromkeys(("round", "guideline_version"), _WHOLE),
    "labels": [LABEL_TYPES],
    "reasons": [_TEXT],
    "votes": [{"category": _CATEGORY, "n": _WHOLE}],
}
"""The types of columns that are not text. A list holds the type of its entries, a mapping its fields."""

_ARROW = {_TEXT: pa.string(), _WHOLE: pa.int64(), _FLAG: pa.bool_(), _NUMBER: pa.float64(), _CATEGORY: pa.int64()}
_PICTURE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def types_of(columns: Sequence[str]) -> dict[str, Any]:
    """Return the columns with their types."""
    return {name: TYPES.get(name, _TEXT) for name in columns}


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
            fields.insert(0, pa.field("image", _PICTURE))
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
    return _ARROW[kind]
