"""Workbooks (xlsx, xlsm): the cells of one sheet as a table. Formulas count by the results that are stored with them.

A workbook is a ZIP of XML and may unpack to gigabytes. The sizes that its directory declares are checked before it is
decoded; still read it in a process of its own: `reader_process`.
"""

import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, time
from typing import Any, BinaryIO

import python_calamine

from annotation.domain.formats.base import Reading, Row, RowError, Unreadable
from annotation.domain.formats.csv import named_apart, rows_of_cells, with_second_names, without_survey_rows

UNPACKED = 256 * 2**20
"""The maximum size of all parts of a workbook, unpacked, in bytes."""
CELLS = 20_000_000
"""The maximum number of cells between the first and the last one that is filled, empty ones included."""
_MEMBERS = 5_000
_DIGITS = 10**15
"""Excel keeps 15 digits of a number; longer ids are rounded."""
_REMEMBERED = 1_000
# Every quantifier is possessive: a hostile part costs time in proportion to its length.
_SHEET = re.compile(rb"<(?:\w++:)?sheet\s[^<>]*+>")
_RELATION = re.compile(rb"<(?:\w++:)?Relationship\s[^<>]*+>")
_DIMENSION = re.compile(rb'<(?:\w++:)?dimension\s++ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_WITHOUT_VALUE = re.compile(
    rb'<c\s++r="([A-Z]{1,3})(\d{1,7})"(?:\s++(?!t=)[a-z]++="[^"<>]*+")*+'
    rb'(?:\s++t="e"|[^<>]*+>\s*+<f[^<>]*+>(?:[^<]*+</f>)?\s*+(?:<v\s*+/>|<v></v>)?\s*+</c>)'
)
"""A cell with an error, or a formula whose result is not stored."""


# What zipfile raises for a damaged directory; NotImplementedError: a compression or a version that it does not know.
_NO_DIRECTORY = (zipfile.BadZipFile, ValueError, EOFError, OSError, NotImplementedError)
# The same for a damaged member; RuntimeError: it is encrypted.
_NO_MEMBER = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)


def is_workbook(stream: BinaryIO) -> bool:
    """Return whether a ZIP is a workbook of this kind."""
    try:
        with zipfile.ZipFile(stream) as file:
            return "xl/workbook.xml" in file.NameToInfo
    except _NO_DIRECTORY:
        return False


class Workbook:
    """The rows of one sheet; a line is the number that the program shows beside the row."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self.stream, self.reading = stream, reading

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the workbook cannot be read."""
        _check_sizes(self.stream)
        self.stream.seek(0)
        try:
            book = python_calamine.CalamineWorkbook.from_filelike(self.stream)
            place, sheet = self._sheet(book)
        except (python_calamine.CalamineError, OSError) as fault:
            raise _damaged() from fault
        columns = self.reading.columns
        columns.sheet = sheet.name
        columns.other_sheets = [name for name in book.sheet_names if name != sheet.name]
        faults = _cells_without_value(self.stream, place)
        try:
            yield from _Sheet(sheet, self.reading, faults)
        except Unreadable as fault:
            if not columns.other_sheets:
                raise
            error = fault.error
            reason = f"{error.reason} This is the sheet {sheet.name!r}; others: {', '.join(columns.other_sheets[:20])}."
            raise Unreadable(RowError(error.line, error.code, reason, error.field, error.limit)) from fault

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows of the sheet with their lines, as they are written. Raises Unreadable."""
        _check_sizes(self.stream)
        self.stream.seek(0)
        try:
            _, sheet = self._sheet(python_calamine.CalamineWorkbook.from_filelike(self.stream))
        except (python_calamine.CalamineError, OSError) as fault:
            raise _damaged() from fault
        self.reading.columns.sheet = sheet.name
        yield from _Sheet(sheet, self.reading, {}).records()

    def header(self) -> list[str]:
        """Return the names of the columns as they are written. Raises Unreadable."""
        _check_sizes(self.stream)
        self.stream.seek(0)
        try:
            _, sheet = self._sheet(python_calamine.CalamineWorkbook.from_filelike(self.stream))
        except (python_calamine.CalamineError, OSError) as fault:
            raise _damaged() from fault
        return [_written(cell) for cell in next(iter(sheet.to_python(nrows=1)), [])]

    def _sheet(self, book: "python_calamine.CalamineWorkbook") -> "tuple[int, python_calamine.CalamineSheet]":
        """Return the named sheet, or the first visible one with rows, and its place. Raises Unreadable."""
        names = book.sheet_names
        if self.reading.sheet:
            try:
                return names.index(self.reading.sheet), book.get_sheet_by_name(self.reading.sheet)
            except (python_calamine.WorksheetNotFound, ValueError) as fault:
                reason = f"There is no sheet {self.reading.sheet!r}. Found: {', '.join(names[:20])}."
                raise Unreadable(RowError(0, "no_sheet", reason)) from fault
        order = sorted(
            range(len(names)),
            key=lambda place: book.sheets_metadata[place].visible is not python_calamine.SheetVisibleEnum.Visible,
        )
        for place in order:
            _check_dimension(self.stream, place)
            with suppress(python_calamine.CalamineError):  # a sheet that is a chart
                sheet = book.get_sheet_by_index(place)
                if sheet.height:
                    return place, sheet
        raise Unreadable(RowError(0, "no_rows", "No sheet of the workbook has rows."))


class _Sheet:
    """The rows of a sheet, its header first; rows without any value are left out, as in a CSV file."""

    def __init__(self, sheet: "python_calamine.CalamineSheet", reading: Reading, faults: dict[int, list[int]]) -> None:
        """`faults` are the columns of cells without a value, by row; both are counted from 0."""
        self.sheet, self.reading, self.faults = sheet, reading, faults
        self.first_row, self.first_column = sheet.start or (0, 0)
        self.header: list[str] = []
        self.rounded: set[str] = set()

    def __iter__(self) -> Iterator[Row | RowError]:
        for row in rows_of_cells(self.records(), self.reading):
            yield self._checked(row)

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Return the header and the rows with their lines."""
        return with_second_names(without_survey_rows(self._records(), self.reading), self.reading)

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        above: list[str] = []
        for line, cells in enumerate(self.sheet.to_python(), start=self.first_row + 1):
            if line < self.reading.header_line:
                above = [_written(cell) for cell in cells]
                continue
            is_header = not self.header
            if is_header:
                if self.reading.header_line == 0:
                    self.header = [""] * len(cells)
                    yield 0, self.header
                else:
                    self.header = named_apart([_written(cell) for cell in cells], above)
            elif line not in self.faults and not any(cell != "" for cell in cells):
                continue
            for cell in cells:
                if isinstance(cell, float) and abs(cell) >= _DIGITS:
                    self.rounded.add(_written(cell))
            is_named = is_header and self.reading.header_line
            yield line, self.header if is_named else [_written(cell) for cell in cells]

    def _checked(self, row: Row | RowError) -> Row | RowError:
        """Return the row, or an error if a cell without a value stands in a column that is read.

        That error goes before others: a text that is missing is often one of these cells.
        """
        if isinstance(row, Row) and row.external_id in self.rounded:
            reason = (
                "The id is a number of more than 15 digits, which spreadsheets round. Import the file that "
                "the workbook was made from."
            )
            return RowError(row.line, "rounded_id", reason, "id", external_id=row.external_id)
        if row.line not in self.faults:
            return row
        passed_over = set(self.reading.columns.passed_over())
        for column in self.faults[row.line]:
            place = column - self.first_column
            name = self.header[place].strip() if 0 <= place < len(self.header) else ""
            if name and name not in passed_over:
                reason = (
                    f"The cell in the column {name!r} holds an error, or a formula whose result is not stored. "
                    f"Correct it, save the workbook in a spreadsheet program, and try again."
                )
                return RowError(row.line, "cell_without_value", reason, name, external_id=row.external_id)
        return row


def _written(cell: Any) -> str:
    """Return a cell as CSV would have it: whole numbers without a point, dates as in ISO 8601."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat()
    return cell.isoformat() if isinstance(cell, date | time) else str(cell)


# ── The parts of the ZIP ──────────────────────────────────────────────────────


def _damaged() -> Unreadable:
    return Unreadable(RowError(0, "bad_workbook", "The workbook is damaged; was it cut off? Save it again, or as CSV."))


def _check_sizes(stream: BinaryIO) -> None:
    """Check the sizes that the directory declares, before anything is unpacked. Raises Unreadable."""
    try:
        with zipfile.ZipFile(stream) as file:
            infos = file.infolist()
    except _NO_DIRECTORY as fault:
        raise _damaged() from fault
    if len(infos) > _MEMBERS or sum(info.file_size for info in infos) > UNPACKED:
        reason = f"The workbook unpacks to more than {UNPACKED:,} bytes. Save the sheet as CSV, or split it."
        raise Unreadable(RowError(0, "unpacks_too_large", reason, limit=UNPACKED))


def _part(stream: BinaryIO, place: int) -> bytes:
    """Return the XML of the sheet at this place; empty if it is not where the workbook says. Raises Unreadable."""
    try:
        with zipfile.ZipFile(stream) as file:
            sheets = _SHEET.findall(_bounded(file, "xl/workbook.xml"))
            (key,) = re.findall(rb'\br:id="([^"]*+)"', sheets[place])
            for relation in _RELATION.findall(_bounded(file, "xl/_rels/workbook.xml.rels")):
                parts = dict(re.findall(rb'\b(Id|Target)="([^"]*+)"', relation))
                if parts.get(b"Id") == key:
                    target = parts[b"Target"].decode()
                    return _bounded(file, target.removeprefix("/") if target.startswith("/") else f"xl/{target}")
    except (IndexError, KeyError, ValueError):  # a prefix or a place that nobody uses
        return b""
    except _NO_MEMBER as fault:
        raise _damaged() from fault
    return b""


def _bounded(file: zipfile.ZipFile, name: str) -> bytes:
    with file.open(name) as member:
        return member.read(UNPACKED)


def _check_dimension(stream: BinaryIO, place: int) -> None:
    """Refuse a sheet that says it is larger than can be held. Raises Unreadable."""
    dimension = _DIMENSION.search(_part(stream, place)[:100_000])
    if dimension is None:
        return
    left, top, right, bottom = dimension.groups()
    if (_number(right) - _number(left) + 1) * (int(bottom) - int(top) + 1) > CELLS:
        reason = f"The sheet reaches over more than {CELLS:,} cells. Is one filled far away? Delete it, or save as CSV."
        raise Unreadable(RowError(0, "too_many_cells", reason, limit=CELLS))


def _cells_without_value(stream: BinaryIO, place: int) -> dict[int, list[int]]:
    """Return the columns of cells with an error or a formula without its result, by line; columns from 0."""
    faults: dict[int, list[int]] = {}
    for count, match in enumerate(_WITHOUT_VALUE.finditer(_part(stream, place))):
        if count == _REMEMBERED:
            break
        column, row = match.groups()
        faults.setdefault(int(row), []).append(_number(column) - 1)
    return faults


def _number(letters: bytes) -> int:
    """Return the number of a column: A is 1, AA is 27."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
