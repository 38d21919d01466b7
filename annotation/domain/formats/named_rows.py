"""Rows of named cells: CSV, TSV or JSON lines, read strictly, for any meaning of the columns.

`Table` and `JsonLines` build items from such rows; other files (glossaries, examples) use the cells directly.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

from annotation.domain.formats.base import LIMITS, BadValue, Limits, RowError, Unreadable
from annotation.domain.formats.csv import check_header, delimiter_of, table_records
from annotation.domain.formats.jsonl import object_of
from annotation.domain.formats.lines import check_head, read_lines

Record = tuple[int, dict[str, Any]]


def named_rows(stream: BinaryIO, limits: Limits = LIMITS) -> Iterator[Record | RowError]:
    """Yield (line, cells by column name) of every row: CSV or TSV by its header, or one JSON object a line.

    Cells of a table are strings; an empty cell is "".
    Raises Unreadable if the rest of the file cannot be read.
    """
    head = check_head(stream).lstrip()
    yield from _of_lines(stream, limits) if head.startswith((b"{", b"[")) else _of_table(stream, limits)


def _of_lines(stream: BinaryIO, limits: Limits) -> Iterator[Record | RowError]:
    for line, text in read_lines(stream, limits.line_bytes):
        if text.isspace():
            continue
        try:
            yield line, object_of(text)
        except BadValue as fault:
            yield fault.at(line)


def _of_table(stream: BinaryIO, limits: Limits) -> Iterator[Record | RowError]:
    first = next((text for _, text in read_lines(stream, limits.line_bytes)), "")
    records = table_records(stream, limits, delimiter_of(first))
    _, header = next(records, (0, []))
    header = [name.strip() for name in header]
    check_header(header)
    has_rows = False
    for line, cells in records:
        has_rows = True
        if len(cells) != len(header):
            reason = f"The row has {len(cells)} columns, the header {len(header)}."
            yield RowError(line, "column_count", reason, limit=len(header))
        else:
            yield line, dict(zip(header, cells, strict=True))
    if not has_rows:
        raise Unreadable(RowError(1, "no_rows", "The file holds a header and no rows."))
