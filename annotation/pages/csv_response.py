"""CSV for spreadsheets: lines by RFC 4180, and cells that no spreadsheet runs as a formula (threats B118)."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import chain
from typing import Any, TypeVar

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header

from annotation.domain.csv_cells import cells, plain_cells

R = TypeVar("R", HttpResponse, StreamingHttpResponse)

_BYTE_ORDER_MARK = "\ufeff".encode()
"""The first bytes of every CSV that the site writes, so that spreadsheets read it as UTF-8 in every country."""
_ROWS = 200
"""The number of rows that are sent together."""


class CsvBuffer:
    """A buffer of rows written as CSV: all CSV of the site, so that every file begins and every cell is safe alike.

    `is_plain`: for programs alone, cells are as they are, and a spreadsheet may run one (releases only).
    """

    def __init__(self, *, is_plain: bool = False) -> None:
        self._cells = plain_cells if is_plain else cells
        self._mark = _BYTE_ORDER_MARK
        # The line end of RFC 4180; with another one, Python would not quote a lone carriage return in a text.
        self._text = StringIO(newline="")
        self._writer = csv.writer(self._text, lineterminator="\r\n")

    def add(self, row: Iterable[Any]) -> None:
        self._writer.writerow(self._cells(row))

    def take(self, errors: str = "strict") -> bytes:
        """Return what was written since the last call, as UTF-8; at the first call with the mark before it."""
        written = self._mark + self._text.getvalue().encode(errors=errors)
        self._mark = b""
        self._text.seek(0)
        self._text.truncate()
        return written


def csv_lines(rows: Iterable[Iterable[Any]]) -> Iterator[bytes]:
    """Yield the rows, header first, as safe CSV, many lines at a time."""
    buffer = CsvBuffer()
    for number, row in enumerate(rows, start=1):
        buffer.add(row)
        if number % _ROWS == 0:
            yield buffer.take()
    yield buffer.take()


def csv_of_dicts(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield these columns of the rows, with a header, as safe CSV."""
    return csv_lines(chain([columns], ([row[name] for name in columns] for row in rows)))


def csv_file(rows: Iterable[Iterable[Any]]) -> bytes:
    """Return a whole file; lone surrogates become question marks."""
    buffer = CsvBuffer()
    for row in rows:
        buffer.add(row)
    return buffer.take(errors="replace")


def csv_response(name: str, rows: Iterable[Iterable[Any]]) -> HttpResponse:
    """Return a small table as a file to download."""
    return named(HttpResponse(b"".join(csv_lines(rows)), content_type="text/csv; charset=utf-8"), name)


def streamed_csv_response(name: str, rows: Iterable[Iterable[Any]]) -> StreamingHttpResponse:
    """Return a large table as a file to download, a few hundred rows at a time."""
    response = StreamingHttpResponse(csv_lines(rows), content_type="text/csv; charset=utf-8")
    return named(response, name)


def named(response: R, name: str) -> R:
    """Set the file name under which browsers save the response."""
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response
