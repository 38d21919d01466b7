"""CSV and TSV, read strictly: a stray quote, a short row or a repeated column is an error and is never repaired."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from annotation.domain.csv_cells import restored
from annotation.domain.formats.base import BadValue, Format, Limits, Reading, Row, RowError, Unreadable
from annotation.domain.formats.lines import read_lines
from annotation.domain.formats.mapping import NAMES, Shape
from annotation.domain.text_rules import TEXT_LIMIT

# The limit of the csv module holds for the whole process and reports no length; `_measure` checks fields instead.
csv.field_size_limit(16 * 2**20)

COLUMNS = 2_000
"""The maximum number of columns of a table."""
RELEASED = "image_sha256_released"
"""A column that only our own releases have. Their cells were made safe for spreadsheets and are restored exactly."""


def delimiter_of(header: str) -> str:
    """Return the delimiter of a header line: tab, semicolon or comma, whichever occurs most; a comma if none occurs."""
    bare = re.sub(r'"[^"]*"', "", header)
    return max(",\t;", key=bare.count)


class Table:
    """The rows of a CSV or TSV file with a header line."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self.stream, self.reading = stream, reading

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the rest of the file cannot be read."""
        yield from rows_of_cells(self.records(), self.reading)

    def plain(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield the rows as they are in the file: line and cells by column. Raises Unreadable."""
        records = self.records()
        _, header = next(records, (0, []))
        check_header(header)
        for line, record in records:
            if len(record) != len(header):
                reason = f"The row has {len(record)} columns, the header {len(header)}."
                raise Unreadable(RowError(line, "column_count", reason, limit=len(header)))
            yield line, dict(zip(header, record, strict=True))

    def header(self) -> list[str]:
        """Return the names of the columns as they are written. Raises Unreadable."""
        return next(self.records(), (0, []))[1]

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Return the header and the rows as `table_records` yields them. Raises Unreadable."""
        records = table_records(self.stream, self.reading.limits, self._delimiter())
        if self._names_delimiter():
            next(records, None)
        return records

    def _first_line(self) -> str:
        return next((text for _, text in read_lines(self.stream, self.reading.limits.line_bytes)), "")

    def _names_delimiter(self) -> bool:
        """Return whether the first line only names the delimiter, as Excel understands it: `sep=;`."""
        return re.fullmatch(r"sep=[,;\t|]\r?\n", self._first_line()) is not None

    def _delimiter(self) -> str:
        first = self._first_line()
        if self._names_delimiter():
            return first[4]
        return "\t" if self.reading.format is Format.TSV else delimiter_of(first)


def rows_of_cells(records: Iterator[tuple[int, list[str]]], reading: Reading) -> Iterator[Row | RowError]:
    """Yield the rows and errors of a header and the cells below it. Raises Unreadable."""
    first, names = next(records, (0, []))
    header = named_columns(names, reading)
    check_header(header)
    try:
        shape = Shape(reading, frozenset(header))
    except BadValue as fault:
        raise Unreadable(fault.at(first)) from fault
    released = RELEASED in header
    has_rows = False
    for line, record in records:
        has_rows = True
        yield _row(shape, header, line, [restored(cell) for cell in record] if released else record)
    if not has_rows:
        raise Unreadable(RowError(first, "no_rows", "The file holds a header and no rows."))


def named_columns(names: Sequence[str], reading: Reading) -> list[str]:
    """Return the names of a header: without spaces around them, our own in small letters, `column 3` for no name.

    A name that the mapping uses stays as it is written.
    """
    mapped = reading.mapped
    as_written = {mapped.text, mapped.image, mapped.id, mapped.label, mapped.annotator, mapped.subset}
    stripped = [name.strip() or f"column {place}" for place, name in enumerate(names, start=1)]
    columns = set(stripped)
    return [
        name if name in as_written or name.lower() not in NAMES or name.lower() in columns else name.lower()
        for name in stripped
    ]


def _row(shape: Shape, header: list[str], line: int, record: list[str]) -> Row | RowError:
    if len(record) != len(header):
        reason = f"The row has {len(record)} columns, the header {len(header)}."
        return RowError(line, "column_count", reason, limit=len(header))
    values = dict(zip(header, record, strict=True))
    try:
        _measure(shape, values)
        return shape.row(line, values)
    except BadValue as fault:
        return fault.at(line, values.get(shape.id, "")[:128])


def _measure(shape: Shape, values: dict[str, str]) -> None:
    limit = shape.reading.limits.field
    if sum(map(len, values.values())) <= limit:
        return
    for name, value in values.items():
        if len(value) > limit:
            allowed = TEXT_LIMIT if name == shape.text else limit
            reason = f"{name} has {len(value):,} characters; at most {allowed:,}."
            raise BadValue("field_too_long", reason, name, allowed)


def check_header(header: Sequence[str]) -> None:
    """Refuse a repeated column and more than COLUMNS columns. Raises Unreadable."""
    if len(header) > COLUMNS:
        reason = f"The header has {len(header):,} columns; at most {COLUMNS:,} are read. Do rows stand as columns?"
        raise Unreadable(RowError(1, "too_many_columns", reason, limit=COLUMNS))
    repeated = sorted(name for name, times in Counter(header).items() if times > 1)
    if repeated:
        reason = f"The column {repeated[0]!r} stands twice in the header."
        raise Unreadable(RowError(1, "duplicate_column", reason, repeated[0][:80]))


def table_records(stream: BinaryIO, limits: Limits, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line on which the record begins, cells), with the header, without empty rows. Raises Unreadable."""
    reader = csv.reader((text for _, text in read_lines(stream, limits.line_bytes)), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader, None)
        except csv.Error as fault:
            raise Unreadable(_csv_error(line, str(fault))) from fault
        if record is None:
            return
        if any(record):  # spreadsheets write a row without values as `,,`
            yield line, record


def _csv_error(line: int, message: str) -> RowError:
    if "unexpected end of data" in message or "field larger" in message:
        reason = f"A quotation mark is opened in the row that begins on line {line} and never closed."
        return RowError(line, "unterminated_quote", reason)
    if "expected after" in message:
        reason = "Something follows a closing quotation mark. Double the quotation marks inside a quoted field."
        return RowError(line, "bad_quote", reason)
    if "new-line" in message:
        return RowError(line, "cr_only", "A carriage return stands alone in this row. Use LF or CR LF line ends.")
    return RowError(line, "bad_csv", f"The row cannot be read: {message}.")
