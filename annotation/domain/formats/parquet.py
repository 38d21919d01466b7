"""Parquet as data set hubs have it: typed columns, pictures inside, categories as places in a list of names."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue, Reading, Row, RowError, Unreadable
from annotation.domain.formats.mapping import Shape

MAGIC = b"PAR1"
_BATCH = 200
_ENDINGS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpg", b"RIFF": "webp", b"GIF8": "gif"}


class Parquet:
    """The rows of a Parquet file; pictures inside go to `reading.keep` under the name that the row then has."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self.reading = reading
        self.ignored: set[str] = set()
        stream.seek(0)
        try:
            self._file = pq.ParquetFile(stream)
            self._schema = self._file.schema_arrow
        except (pa.ArrowException, OSError, ValueError) as fault:
            raise Unreadable(
                RowError(0, "bad_parquet", "The file is no whole Parquet file; was it cut off?")
            ) from fault
        self._features = _features(self._schema.metadata or {})

    def __iter__(self) -> Iterator[Row | RowError]:
        """Raises Unreadable where nothing further can be read."""
        columns = frozenset(self._schema.names)
        mapped = self.reading.mapped
        if not mapped.label and "label" in columns:
            mapped = replace(mapped, label="label")
        try:
            shape = Shape(replace(self.reading, mapped=mapped), columns)
        except BadValue as fault:
            raise Unreadable(fault.at(1)) from fault
        self.ignored = set(columns - shape.used - {"image_path"})
        line = 0
        try:
            for batch in self._file.iter_batches(batch_size=_BATCH):
                for values in batch.to_pylist():
                    line += 1
                    yield self._row(shape, line, values)
        except (pa.ArrowException, OSError) as fault:
            raise Unreadable(RowError(line + 1, "bad_parquet", "The file is damaged from this row on.")) from fault
        if not line:
            raise Unreadable(RowError(0, "no_rows", "The file holds no rows."))

    def _row(self, shape: Shape, line: int, values: dict[str, Any]) -> Row | RowError:
        name = str(values.get(shape.id) or "")[:128]
        try:
            named = {key: _named(self._features.get(key), value) for key, value in values.items()}
            picture = named.get(shape.image)
            if isinstance(picture, dict):
                named[shape.image] = self._kept(line, picture)
            elif picture is None and shape.image == "image":
                named["image"] = named.get("image_path")
            _check(named)
            return shape.row(line, named)
        except BadValue as fault:
            return fault.at(line, name)

    def _kept(self, line: int, picture: Mapping[str, Any]) -> str | None:
        content, path = picture.get("bytes"), picture.get("path")
        if content is None:
            return path if isinstance(path, str) else None
        if self.reading.keep is None or not isinstance(content, bytes):
            raise BadValue("bad_parquet", "Pictures inside a table are not read here.", "image")
        ending = next((ending for magic, ending in _ENDINGS.items() if content.startswith(magic)), "bin")
        return self.reading.keep(f"row-{line}.{ending}", content)


def _features(metadata: Mapping[bytes, bytes]) -> Mapping[str, Any]:
    """What the `datasets` library wrote of the columns; nothing where it did not."""
    with suppress(ValueError, KeyError, TypeError):
        found = json.loads(metadata[b"huggingface"])["info"]["features"]
        if isinstance(found, dict):
            return found
    return {}


def _named(feature: Any, value: Any) -> Any:
    """The value with places of categories turned into names."""
    if value is None or feature is None:
        return value
    if isinstance(feature, list):
        return [_named(feature[0], each) for each in value] if isinstance(value, list) else value
    if isinstance(feature, dict) and feature.get("_type") in ("List", "Sequence", "LargeList"):
        return [_named(feature.get("feature"), each) for each in value] if isinstance(value, list) else value
    if isinstance(feature, dict) and feature.get("_type") == "ClassLabel":
        return _category(feature.get("names"), value)
    if isinstance(feature, dict) and "_type" not in feature and isinstance(value, dict):
        return {name: _named(feature.get(name), each) for name, each in value.items()}
    return value


def _category(names: Any, value: Any) -> str | None:
    if value == -1:  # how `datasets` writes a label that is not known
        return None
    if isinstance(names, list) and isinstance(value, int) and 0 <= value < len(names):
        return str(names[value])
    raise BadValue("unknown_label", f"{value} is no place in the list of category names.", "label")


def _check(value: Any) -> None:
    """Arrow's strings may hold what no database of ours can."""
    if isinstance(value, str):
        strict_json.check_text(value)
    elif isinstance(value, list):
        for each in value:
            _check(each)
    elif isinstance(value, dict):
        for each in value.values():
            _check(each)
