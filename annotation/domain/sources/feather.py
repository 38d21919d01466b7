"""Feather files (Arrow's file format) and streams of Arrow, read as Parquet is.

They have typed columns, pictures inside, and lists of category names.

Read them in a process of its own: what their packed columns unpack to is bounded by its memory alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa

from annotation.domain.formats.base import RowError, Unreadable
from annotation.domain.formats.csv import COLUMNS
from annotation.domain.formats.parquet import ROW_GROUPS, ROWS_AT_ONCE, Parquet

MAGIC, FIRST_MAGIC = b"ARROW1", b"FEA1"
STREAM_MAGIC = b"\xff\xff\xff\xff"
"""How a stream of Arrow begins; the `datasets` library saves its tables so."""


class Feather(Parquet):
    """The rows of a Feather file."""

    def _open(self, stream: BinaryIO) -> pa.Schema:
        if stream.read(len(FIRST_MAGIC)) == FIRST_MAGIC:
            reason = "The file is Feather of version 1, which libraries give up. Write it anew as version 2 or Parquet."
            raise Unreadable(RowError(0, "old_feather", reason, status=415))
        stream.seek(0)
        is_stream = stream.read(len(STREAM_MAGIC)) == STREAM_MAGIC
        stream.seek(0)
        self._source = pa.ipc.open_stream(stream) if is_stream else pa.ipc.open_file(stream)
        return self._source.schema

    def _check_claims(self) -> None:
        _check_count(len(self._schema), COLUMNS, "columns")
        if isinstance(self._source, pa.RecordBatchFileReader):
            _check_count(self._source.num_record_batches, ROW_GROUPS, "batches")

    def _batches_in_file(self) -> Iterator[pa.RecordBatch]:
        if isinstance(self._source, pa.RecordBatchFileReader):
            yield from map(self._source.get_batch, range(self._source.num_record_batches))
            return
        for number, batch in enumerate(self._source, start=1):
            _check_count(number, ROW_GROUPS, "batches")
            yield batch

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for batch in self._batches_in_file():
            for start in range(0, batch.num_rows, ROWS_AT_ONCE):
                yield batch.slice(start, ROWS_AT_ONCE)


def _check_count(count: int, most: int, unit: str) -> None:
    if count > most:
        reason = f"The file has {count:,} {unit}; at most {most:,} are read."
        raise Unreadable(RowError(0, f"too_many_{unit}", reason, limit=most))
