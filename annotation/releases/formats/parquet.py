"""Parquet with typed columns, pictures inside, and category names that the `datasets` library reads.

The typed tables of other formats are written here too.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from annotation.domain.releases.column_types import Typed, types_of
from annotation.releases.files import ReleasedFile
from annotation.releases.formats.base import Target, part_of

ROWS = 1000
"""So many rows at once are put into columns; fewer if their pictures are large."""
_BYTES = 16 << 20
"""So many bytes make a row group. A file keeps some 100 kB about each group in memory until it ends."""


class ParquetFile:
    """A Parquet file that is being written."""

    def __init__(self, target: Target, path: str, typed: Typed) -> None:
        self._target, self._path, self._schema = target, path, typed.schema()
        self._writer = pq.ParquetWriter(target.open(path), self._schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []
        self._size = 0
        self._columns: list[pa.Table] = []

    def add(self, values: dict[str, Any], size: int = 0) -> None:
        """Write a row; `size`: bytes of its picture."""
        self._rows.append(values)
        self._size += size
        if len(self._rows) >= ROWS or self._size >= _BYTES:
            self._put_into_columns()

    def close(self) -> ReleasedFile:
        self._put_into_columns()
        self._write()
        self._writer.close()
        return self._target.finished(self._path)

    def _put_into_columns(self) -> None:
        if self._rows:
            self._columns.append(pa.Table.from_pylist(self._rows, self._schema))
            self._rows, self._size = [], 0
        if sum(columns.nbytes for columns in self._columns) >= _BYTES:
            self._write()

    def _write(self) -> None:
        if self._columns:
            self._writer.write_table(pa.concat_tables(self._columns))
            self._columns = []


class Parquet:
    """`parquet/train.parquet`, and one file for each other part."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._typed = Typed(
            types_of(["image_path" if name == "image" else name for name in target.columns], target.kinds, target.kept),
            target.categories,
            picture=True,
        )
        self._tables: dict[str, ParquetFile] = {}

    def add(self, row: Mapping[str, Any], picture: Path | None) -> None:
        part = part_of(row)
        if part not in self._tables:
            self._tables[part] = ParquetFile(self._target, f"parquet/{part}.parquet", self._typed)
        values = self._typed.values({**row, "image_path": row["image"]})
        content = picture.read_bytes() if picture else b""
        values["image"] = {"bytes": content, "path": row["image"]} if picture else None
        self._tables[part].add(values, len(content))

    def close(self) -> list[ReleasedFile]:
        return [self._tables[part].close() for part in sorted(self._tables)]
