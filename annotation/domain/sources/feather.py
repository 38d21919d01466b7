"""Feather files (Arrow's file format), read as Parquet is: typed columns, pictures inside, lists of category names.

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


class Feather(Parquet):
    """The rows of a Feather file."""

    def _open(self, stream: BinaryIO) -> pa.Schema:
        if stream.read(len(FIRST_MAGIC)) == FIRST_MAGIC:
            reason = "The file is Feather of version 1, which libraries give up. Write it anew as version 2 or Parquet."
            raise Unreadable(RowError(0, "old_feather", reason, status=415))
        stream.seek(0)
        self._batches_in_file = pa.ipc.open_file(stream)
        return self._batches_in_file.schema

    def _check_claims(self) -> None:
        for count, most, unit in (
            (self._batches_in_file.num_record_batches, ROW_GROUPS, "batches"),
            (len(self._schema), COLUMNS, "columns"),
        ):
            if count > most:
                reason = f"The file has {count:,} {unit}; at most {most:,} are read."
                raise Unreadable(RowError(0, f"too_many_{unit}", reason, limit=most))

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for number in range(self._batches_in_file.num_record_batches):
            batch = self._batches_in_file.get_batch(number)
            for start in range(0, batch.num_rows, ROWS_AT_ONCE):
                yield batch.slice(start, ROWS_AT_ONCE)
