"""CSV and TSV, read strictly: a stray quote, a short row or a repeated column is an error and is never repaired."""

import csv
import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import BinaryIO, Literal

from annotation.domain.columns.items import OURS, PLAIN
from annotation.domain.csv_cells import restored
from annotation.domain.formats.base import BadValue, Format, Limits, Reading, Row, RowError, Unreadable
from annotation.domain.formats.labels.likely_columns import LABEL_NAMES
from annotation.domain.formats.lines import check_head, read_lines
from annotation.domain.formats.mapping import NAMES, Shape
from annotation.domain.formats.tools.argilla import table_of_records
from annotation.domain.formats.tools.crowd import Assignments, Turk, platform_of
from annotation.domain.sources.text_names import is_text_name
from annotation.domain.text_rules import TEXT_LIMIT

# The limit of the csv module holds for the whole process and reports no length; `_measure` checks fields instead.
csv.field_size_limit(16 * 2**20)

COLUMNS = 2_000
"""The maximum number of columns of a table."""


_SHAPES: Mapping[Format, Callable[[Reading, frozenset[str]], Shape]] = {
    Format.MTURK: Turk,
    Format.PROLIFIC: Assignments,
    Format.ARGILLA: table_of_records,
}
"""Tables whose columns mean something of their own."""


_IN_TWO_ROWS = "Respondent ID"
"""The first column of a table of SurveyMonkey."""
_IMPORT_ID, _SERVICE = b"ImportId", "service"
"""What stands in the third row of a survey of Qualtrics, and what records are called that tell of no post."""


def names_in(header: str) -> list[str]:
    """Return the names of the columns in the first line of a table; none if it is no whole row."""
    try:
        return next(csv.reader([header], delimiter=delimiter_of(header)), [])
    except csv.Error:
        return []


def delimiter_of(header: str) -> str:
    """Return the delimiter of a header line: tab, semicolon, bar or comma, whichever occurs most; else a comma.

    Of as many tabs as others it is the tab: a text holds one rarely.
    """
    bare = re.sub(r'"[^"]*"', "", header)
    return max("\t,;|", key=bare.count) if bare.count("\t") else max(",;|", key=bare.count)


class Table:
    """The rows of a CSV or TSV file with a header line."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self.stream, self.reading = stream, reading

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the rest of the file cannot be read."""
        yield from rows_of_cells(self.records(), self.reading, _SHAPES.get(self.reading.format, Shape))

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
        is_survey = _IMPORT_ID in check_head(self.stream)
        is_plain = self.reading.format is Format.TSV_PLAIN
        records = table_records(self.stream, self.reading.limits, self.delimiter(), quoted=not is_plain)
        if self._names_delimiter():
            next(records, None)
        records = from_header(records, self.reading.header_line)
        if is_survey:
            return without_survey_rows(records, self.reading)
        return with_second_names(records, self.reading)

    def _first_line(self, number: int = 1) -> str:
        lines = read_lines(self.stream, self.reading.limits.line_bytes)
        return next((text for _, text in islice(lines, number - 1, None)), "")

    def _names_delimiter(self) -> bool:
        """Return whether the first line only names the delimiter, as Excel understands it: `sep=;`."""
        return re.fullmatch(r"sep=[,;\t|]\r?\n", self._first_line()) is not None

    def delimiter(self) -> str:
        """Return what stands between the cells. Raises Unreadable."""
        if self._names_delimiter():
            return self._first_line()[4]
        if self.reading.format in (Format.TSV, Format.TSV_PLAIN):
            return "\t"
        return delimiter_of(self._first_line(self.reading.header_line or 1))


def from_header(records: Iterator[tuple[int, list[str]]], line: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the records from the one on which the header stands; a record above it may have any number of cells.

    On line 0 stands no header: the columns are called by their places.
    """
    if line == 0 and (first := next(records, None)) is not None:
        return chain([(0, [""] * len(first[1])), first], records)
    above: list[str] = []
    for at, cells in records:
        if at >= line:
            return chain([(at, named_apart(cells, above))], records)
        above = cells
    return records


def named_apart(names: Sequence[str], above: Sequence[str]) -> list[str]:
    """Return the names of a header; those that stand there several times begin with the cell above them.

    An empty cell above belongs to the one left of it, as merged cells are written.
    """
    times = Counter(filter(None, map(str.strip, names)))
    owners: list[str] = []
    for cell in above[: len(names)]:
        owners.append(cell.strip() or (owners[-1] if owners else ""))
    return [
        f"{owner} {name}" if owner and times[name.strip()] > 1 else name
        for name, owner in zip_longest(names, owners, fillvalue="")
    ]


def without_survey_rows(records: Iterator[tuple[int, list[str]]], reading: Reading) -> Iterator[tuple[int, list[str]]]:
    """Return the header and the rows without those that Qualtrics writes between: its questions, and its ids.

    Where the header was said to stand on the line of the questions, only the ids are between.
    """
    head = list(islice(records, 3))
    for place, (_line, cells) in enumerate(head):
        if place and any(cells) and all(cell.startswith('{"ImportId"') for cell in cells if cell):
            reading.columns.left[_SERVICE] = place
            del head[1 : place + 1]
            break
    return chain(head, records)


def with_second_names(records: Iterator[tuple[int, list[str]]], reading: Reading) -> Iterator[tuple[int, list[str]]]:
    """Return the header and the rows; in a table of SurveyMonkey, a row between names the columns without a name."""
    head = list(islice(records, 2))
    if len(head) == 2 and _IN_TWO_ROWS in head[0][1] and not head[1][1][0].strip():
        (line, names), (_line, second) = head
        reading.columns.left[_SERVICE] = 1
        head = [(line, [name or more for name, more in zip(names, second, strict=False)])]
    return chain(head, records)


def names_again(header: Sequence[str], cells: Sequence[str]) -> bool:
    """Return whether a row below a header says two of its names again, as `Start Date` does below `StartDate`."""
    pairs = ((_letters(name), _letters(cell)) for name, cell in zip(header, cells, strict=False))
    return sum(bool(name) and name == cell for name, cell in pairs) > 1


def _letters(cell: str) -> str:
    return re.sub(r"[\W_]+", "", cell).casefold()


_LOOKED_AT = 4
"""Lines below the first in which a header is looked for."""
_LONGEST_NAME = 60


def header_line_of(records: Iterable[tuple[int, list[str]]]) -> int:
    """Return the line of the first of these records that holds names of columns. Returns 0 if none does."""
    return next((line for line, cells in records if _holds_names(cells)), 0)


def _holds_names(cells: Sequence[str]) -> bool:
    names = [cell.strip().lower() for cell in cells if cell.strip()]
    known = {name for name in names if name in NAMES or is_text_name(name)}
    return len(known) > 1 or any(name == "image" or is_text_name(name) for name in known)


def stands_without_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of these rows seems to be one of data: numbers, long texts, or cells of others."""
    if _holds_names(rows[0]):
        return False
    return any(re.fullmatch(r"[0-9][0-9.,:/ -]*", cell.strip()) or len(cell) > _LONGEST_NAME for cell in rows[0])


def _header_below(records: Iterator[tuple[int, list[str]]]) -> str:
    """Return a sentence that names the line on which the header seems to stand. Returns "" if it stands on none."""
    line = header_line_of(islice(records, _LOOKED_AT))
    return f" Line {line} looks like the header: say that it stands there (header line {line})." if line else ""


def _is_header(values: Mapping[str, str], text: str) -> bool:
    """Return whether a row is a header, which must not become a post: its text is a name of the text, as others are."""
    if not is_text_name(values.get(text, "")):
        return False
    cells = [cell.strip().lower() for cell in values.values() if cell.strip()]
    return len(cells) > 1 and all(cell in NAMES or is_text_name(cell) or cell in LABEL_NAMES for cell in cells)


def rows_of_cells(
    records: Iterator[tuple[int, list[str]]],
    reading: Reading,
    shaped: Callable[[Reading, frozenset[str]], Shape] = Shape,
) -> Iterator[Row | RowError]:
    """Yield the rows and errors of a header and the cells below it. Raises Unreadable."""
    first, names = next(records, (0, []))
    released = OURS in names and PLAIN not in names  # its cells were made safe for spreadsheets
    header = named_columns([restored(name) for name in names] if released else names, reading)
    check_header(header)
    if reading.format is Format.XLSX and platform_of(header) is not None:
        reason = (
            "The workbook holds results of a crowd platform. Save the sheet as CSV: then its rows are read by person, "
            "and refused work does not count."
        )
        raise Unreadable(RowError(first, "crowd_workbook", reason))
    try:
        shape = shaped(reading, frozenset(header))
    except BadValue as fault:
        error = fault.at(first)
        more = _header_below(records) or _no_header(header, fault)
        raise Unreadable(dataclasses.replace(error, reason=error.reason + more)) from fault
    has_rows = False
    for line, record in records:
        if not has_rows and names_again(names, record):
            reason = (
                f"Line {line} looks like a second header: say that the header stands there (header line {line}), or "
                "remove it."
            )
            raise Unreadable(RowError(line, "header_as_row", reason))
        row = _row(shape, header, line, [restored(cell) for cell in record] if released else record)
        if not has_rows and isinstance(row, RowError) and row.code == "header_as_row":
            raise Unreadable(row)
        has_rows = True
        yield row
    if not has_rows:
        raise Unreadable(RowError(first, "no_rows", "The file holds a header and no rows."))


def _no_header(names: Sequence[str], fault: BadValue) -> str:
    """Return what to do with a file whose first line seems to be no header. Returns "" for another."""
    if fault.code != "missing_column" or (len(names) > 1 and not stands_without_header([names])):
        return ""
    return (
        " Its first line is no usual header. A table without one is read with header line 0; a text with a post on "
        f"each line with the format {Format.TSV_PLAIN}, header line 0 and text column 'column 1'. Save anything else "
        "as a table."
    )


def named_columns(names: Sequence[str], reading: Reading) -> list[str]:
    """Return the names of a header: without spaces around them, our own in small letters, `column 3` for no name.

    A name that the mapping uses stays as it is written.
    """
    mapped = reading.mapped
    as_written = {mapped.text, mapped.image, mapped.id, mapped.label, mapped.annotator, mapped.subset}
    as_written |= {*mapped.raters, *mapped.category_columns, *mapped.answer_columns}
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
    if _is_header(values, shape.text):
        reason = (
            f"Line {line} looks like the header and not like a post: say that the header stands there, or remove it."
        )
        return RowError(line, "header_as_row", reason)
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
    """Refuse a repeated column, one whose name no database takes, and more than COLUMNS columns. Raises Unreadable."""
    if len(header) > COLUMNS:
        reason = f"The header has {len(header):,} columns; at most {COLUMNS:,} are read. Do rows stand as columns?"
        raise Unreadable(RowError(1, "too_many_columns", reason, limit=COLUMNS))
    if any("\x00" in name for name in header):
        reason = "The name of a column holds the NUL character (U+0000), which cannot be stored."
        raise Unreadable(RowError(1, "nul_character", reason))
    repeated = sorted(name for name, times in Counter(header).items() if times > 1)
    if repeated:
        reason = f"The column {repeated[0]!r} stands twice in the header. Give each column a name of its own."
        raise Unreadable(RowError(1, "duplicate_column", reason, repeated[0][:80]))


def table_records(
    stream: BinaryIO, limits: Limits, delimiter: str, *, quoted: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line on which the record begins, cells), with the header, without empty rows. Raises Unreadable.

    `quoted` says whether quotation marks stand around cells.
    """
    lines = (text for _, text in read_lines(stream, limits.line_bytes))
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(lines, delimiter=delimiter, strict=True, quoting=quoting)
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader, None)
        except csv.Error as fault:
            raise Unreadable(_csv_error(line, str(fault), _UNQUOTED if delimiter == "\t" else "")) from fault
        if record is None:
            return
        if any(record):  # spreadsheets write a row without values as `,,`
            yield line, record


_UNQUOTED = f" Where they are letters as others, name the format {Format.TSV_PLAIN}."


def _csv_error(line: int, message: str, otherwise: str = "") -> RowError:
    if "unexpected end of data" in message or "field larger" in message:
        reason = f"A quotation mark is opened in the row that begins on line {line} and never closed.{otherwise}"
        return RowError(line, "unterminated_quote", reason)
    if "expected after" in message:
        reason = (
            f"Something follows a closing quotation mark. Double the quotation marks inside a quoted field.{otherwise}"
        )
        return RowError(line, "bad_quote", reason)
    if "new-line" in message:
        return RowError(line, "cr_only", "A carriage return stands alone in this row. Use LF or CR LF line ends.")
    return RowError(line, "bad_csv", f"The row cannot be read: {message}.")
