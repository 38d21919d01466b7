"""Parquet files as data set hubs have them: typed columns, pictures inside, categories as indices into a list of names.

A few bytes of Parquet may unpack to gigabytes (threats B122). The sizes that a file declares are checked before it is
decoded, and its real sizes during decoding. Still read it in a process of its own: `reader_process`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, BinaryIO
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from annotation.domain.formats import fields, strict_json
from annotation.domain.formats.base import BadValue, Reading, Row, RowError, Unreadable
from annotation.domain.formats.csv import COLUMNS, check_header
from annotation.domain.formats.inner_columns import inner_paths, unfolded, with_paths
from annotation.domain.formats.kept_columns import is_kept_name
from annotation.domain.formats.mapping import Shape
from annotation.domain.formats.research_datasets import HateXplainTable
from annotation.domain.formats.tools.argilla import Record, is_flat

MAGIC = b"PAR1"
ROWS = 1_000_000
ROW_GROUPS = 10_000
ROWS_AT_ONCE = 200
_BATCH_BYTES = 32 * 2**20
_SMALL = 64 * 2**20
_TIMES = 50
"""A file may unpack to 64 MB plus fifty times its size; a real data set never needs more."""
_ENDINGS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpg", b"RIFF": "webp", b"GIF8": "gif"}


class Parquet:
    """The rows of a Parquet file; pictures inside are given to `reading.keep`, and the row gets the returned name."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self.reading = reading
        size = stream.seek(0, 2)
        self._budget = _SMALL + _TIMES * size
        stream.seek(0)
        try:
            self._schema = self._open(stream)
        except (pa.ArrowException, OSError, ValueError, RecursionError) as fault:
            reason = f"The file is no whole {type(self).__name__} file; was it cut off?"
            raise Unreadable(RowError(0, "bad_parquet", reason)) from fault
        self._check_claims()
        self._features = _features(self._schema.metadata or {})
        self._paths: tuple[str, ...] = ()

    def _open(self, stream: BinaryIO) -> pa.Schema:
        texts = _text_columns(pq.read_schema(stream))
        stream.seek(0)
        # Texts stay dictionary-encoded, as in the file, until their length is known.
        self._file = pq.ParquetFile(stream, read_dictionary=texts)
        return self._file.schema_arrow

    def header(self) -> list[str]:
        """Return the names of the columns."""
        return list(self._schema.names)

    def _check_claims(self) -> None:
        """Check the sizes that the file declares, before anything is decoded. Raises Unreadable."""
        about = self._file.metadata
        for count, most, unit in (
            (about.num_rows, ROWS, "rows"),
            (about.num_row_groups, ROW_GROUPS, "row groups"),
            (about.num_columns, COLUMNS, "columns"),
        ):
            if count > most:
                reason = f"The file has {count:,} {unit}; at most {most:,} are read."
                raise Unreadable(RowError(0, f"too_many_{unit.replace(' ', '_')}", reason, limit=most))
        unpacked = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
        self._spend(unpacked, 0)
        average = unpacked // max(1, about.num_rows)
        self._rows_at_once = max(1, min(ROWS_AT_ONCE, _BATCH_BYTES // max(1, average)))

    def _batches(self) -> Iterator[pa.RecordBatch]:
        yield from self._file.iter_batches(batch_size=self._rows_at_once)

    def _spend(self, unpacked: int, line: int) -> None:
        if unpacked > self._budget:
            reason = f"The file unpacks to more than {self._budget:,} bytes, far more than its size."
            raise Unreadable(RowError(line, "unpacks_too_large", reason, limit=self._budget))

    def first(self, count: int) -> list[dict[str, Any]]:
        """Return the first rows as they are in the file; none if they cannot be read."""
        with suppress(pa.ArrowException, OSError, ValueError):
            for batch in self._batches():
                rows: list[dict[str, Any]] = batch.slice(0, count).to_pylist()
                return rows
        return []

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the rest of the file cannot be read."""
        check_header(self._schema.names)
        columns = frozenset(self._schema.names)
        try:
            first = _outline(self._schema)
            self._paths = inner_paths(self.reading.mapped, first)
            columns |= unfolded(first, self._paths).keys()
            shape = _shape_of(columns, self.reading)
        except BadValue as fault:
            raise Unreadable(with_paths(fault, first).at(1)) from fault
        line = unpacked = 0
        try:
            for batch in self._batches():
                unpacked += _size(batch)
                self._spend(unpacked, line + 1)
                for number in range(batch.num_rows):
                    line += 1
                    yield self._row(shape, line, batch.slice(number, 1).to_pylist()[0])
        except MemoryError as fault:
            reason = "From this row on the file needs more memory than one file may take."
            raise Unreadable(RowError(line + 1, "too_costly", reason)) from fault
        except UnicodeDecodeError as fault:
            raise Unreadable(RowError(line, "encoding", "A text of this row is not UTF-8.")) from fault
        except (pa.ArrowException, OSError) as fault:
            raise Unreadable(RowError(line + 1, "bad_parquet", "The file is damaged from this row on.")) from fault
        except (ValueError, OverflowError) as fault:
            reason = "A value of this row cannot be read; is it a date outside the years 1 to 9999?"
            raise Unreadable(RowError(line, "bad_value", reason)) from fault
        if not line:
            raise Unreadable(RowError(0, "no_rows", "The file holds no rows."))

    def _row(self, shape: Shape | HateXplainTable, line: int, values: dict[str, Any]) -> Row | RowError:
        name = str(values.get(shape.id) or "")[:128]
        try:
            named = {key: _named(self._features.get(key), value) for key, value in values.items()}
            named = unfolded(named, self._paths) if self._paths else named
            picture = named.get(shape.image)
            if isinstance(picture, dict):
                named[shape.image] = self._stored_picture(line, picture)
            elif picture is None and shape.image == "image" and "image_path" in named:
                named["image"] = named["image_path"]
            read = {
                key: _storable(value, key) if key in shape.used and not is_kept_name(key) else value
                for key, value in named.items()
            }
            return shape.row(line, read)
        except BadValue as fault:
            return fault.at(line, name)

    def _stored_picture(self, line: int, picture: Mapping[str, Any]) -> str | None:
        content, path = picture.get("bytes"), picture.get("path")
        if content is None:
            return path if isinstance(path, str) else None
        if self.reading.keep is None or not isinstance(content, bytes):
            raise BadValue("bad_parquet", "Pictures inside a table are not read here.", "image")
        ending = next((ending for magic, ending in _ENDINGS.items() if content.startswith(magic)), "bin")
        return self.reading.keep(f"row-{line}.{ending}", content)


def _shape_of(columns: frozenset[str], reading: Reading) -> Shape | HateXplainTable:
    """Return what makes a row of these columns. Raises BadValue."""
    if not reading.mapped.text and columns >= HateXplainTable.COLUMNS:
        return HateXplainTable(reading, columns)
    return Record(reading, dict.fromkeys(columns)) if is_flat(columns) else Shape(reading, columns)


def _features(metadata: Mapping[bytes, bytes]) -> Mapping[str, Any]:
    """Return the column features that the `datasets` library wrote; empty if there are none."""
    with suppress(ValueError, KeyError, TypeError):
        features = strict_json.parse(metadata[b"huggingface"].decode())["info"]["features"]
        if isinstance(features, dict):
            return features
    return {}


def _named(feature: Any, value: Any) -> Any:
    """Return the value with indices of categories replaced by names. Raises BadValue."""
    if value is None or feature is None:
        return value
    if isinstance(feature, list) and feature:
        return [_named(feature[0], part) for part in value] if isinstance(value, list) else value
    if isinstance(feature, dict) and feature.get("_type") in ("List", "Sequence", "LargeList"):
        return [_named(feature.get("feature"), part) for part in value] if isinstance(value, list) else value
    if isinstance(feature, dict) and feature.get("_type") == "ClassLabel":
        return _category(feature.get("names"), value)
    if isinstance(feature, dict) and "_type" not in feature and isinstance(value, dict):
        return {name: _named(feature.get(name), part) for name, part in value.items()}
    return value


def _category(names: Any, value: Any) -> str | None:
    if value == -1:  # `datasets` writes an unknown label as -1
        return None
    if isinstance(names, list) and isinstance(value, int) and 0 <= value < len(names):
        return str(names[value])
    raise BadValue("unknown_label", f"{value} is no place in the list of category names.", "label")


def _storable(value: Any, field: str) -> Any:
    """Return the value as JSON has it. Raises BadValue for a value that the database cannot store."""
    if isinstance(value, str):
        strict_json.check_text(value, field)
    elif isinstance(value, list):
        return [_storable(part, field) for part in value]
    elif isinstance(value, dict):
        for key in value:
            strict_json.check_text(str(key), field)
        return {str(key): _storable(part, field) for key, part in value.items()}
    elif isinstance(value, float | Decimal):
        return _number(value, field)
    elif isinstance(value, date | datetime | time):
        return value.isoformat()
    elif isinstance(value, UUID):
        return str(value)
    elif not isinstance(value, int | None):
        reason = f"{field} holds values of the kind {type(value).__name__}, which are not read here."
        raise BadValue("bad_value", reason, field)
    return value


def _number(value: float | Decimal, field: str) -> int | float | str:
    """Return a fraction as JSON has it; a decimal stays exact, as a text where it is not whole. Raises BadValue."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else str(value)
    if not math.isfinite(value):
        raise BadValue("not_finite", f"{field} is {value}, which is not a number that can be stored.", field)
    return fields.whole(value)


def _outline(kinds: Any) -> dict[str, Any]:
    """Return a row as the types of its columns say: objects with their parts, lists, and texts."""
    return {field.name: _outline_of(field.type) for field in kinds}


def _outline_of(kind: pa.DataType) -> Any:
    types = pa.types
    if types.is_struct(kind):
        return _outline(kind)
    if types.is_list(kind) or types.is_large_list(kind):
        return []
    return "text" if types.is_string(kind) or types.is_large_string(kind) else None


def _text_columns(schema: pa.Schema) -> list[str]:
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    return [field.name for field in schema if any(is_kind(field.type) for is_kind in kinds)]


def _size(batch: pa.RecordBatch) -> int:
    """Return the bytes of the rows once each has its own copy of its texts."""
    return sum(_size_of_column(column) for column in batch.columns)


def _size_of_column(column: pa.Array) -> int:
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary)
    return int(pc.sum(pc.take(lengths, column.indices)).as_py() or 0)
