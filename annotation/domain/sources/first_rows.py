"""The first rows of a file as they stand there, for a person who says which column holds what."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any, BinaryIO

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue, Format, Reading, Row, RowError, Unreadable
from annotation.domain.formats.csv import Table, header_line_of, named_apart, names_again, stands_without_header
from annotation.domain.formats.inner_columns import text_paths, unfolded
from annotation.domain.formats.jsonl import object_sources
from annotation.domain.formats.lines import check_head
from annotation.domain.formats.parquet import Parquet
from annotation.domain.formats.xlsx import Workbook
from annotation.domain.sources.feather import Feather
from annotation.domain.sources.text_names import is_text_name, text_first

SHOWN = 5
MOST_COLUMNS = 60
_LONGEST, _LOOKED_INTO = 200, 2_000
"""Characters of a cell that are shown, and those that are handed on, since masking may shorten it."""
_WORDS, _LETTERS, _EASTERN = 3, 10, range(0x3040, 0xA000)
_LOOKED_AT = 12
"""Records of a table among which its header is looked for."""


class FirstRows:
    """A reader that yields no rows: it notes the columns of a file and its first rows in the tally of columns."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self._stream, self._reading = stream, reading

    def __iter__(self) -> Iterator[Row | RowError]:
        """Look at the file. Raises Unreadable if it has no row that can be read."""
        match self._reading.format:
            case Format.PARQUET:
                names, rows, line = *_of_batches(Parquet(self._stream, self._reading)), 1
            case Format.FEATHER:
                names, rows, line = *_of_batches(Feather(self._stream, self._reading)), 1
            case Format.XLSX:
                names, rows, line = _of_table(Workbook(self._stream, self._reading).records(), self._reading)
            case _ if check_head(self._stream).lstrip()[:1] in (b"{", b"["):
                names, rows, line = *_of_objects(self._stream, self._reading), 1
            case _:
                table = Table(self._stream, self._reading)
                names, rows, line = _of_table(table.records(), self._reading)
                self._reading.columns.first["separator"] = table.delimiter()
        likely = [name for name in text_first(names) if is_text_name(name)]
        likely = likely or [name for name in names if is_text_name(name.rpartition(".")[2])]
        likely = likely or of_prose(names, rows)
        self._reading.columns.first |= {
            "columns": [shortened(_shown(name)) for name in names[:MOST_COLUMNS]],
            "more_columns": max(0, len(names) - MOST_COLUMNS),
            "rows": [[_shown(cell) for cell in row[:MOST_COLUMNS]] for row in rows],
            "header_line": line,
            "likely": likely,
        }
        yield from ()


def of_prose(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return the columns whose first cells are mostly sentences, the longest first; labels would stand there twice."""

    def cells(place: int) -> list[str]:
        return [row[place] for row in rows if place < len(row) and isinstance(row[place], str) and row[place].strip()]

    columns = {name: cells(place) for place, name in enumerate(names)}
    prose = [name for name, said in columns.items() if len(set(said)) == len(said) < 2 * sum(map(_is_sentence, said))]
    return sorted(prose, key=lambda name: -sum(map(len, columns[name])))


def _is_sentence(cell: str) -> bool:
    """Return whether a cell has three words, or ten letters of a script without blanks, and is no address or list."""
    written = cell.strip()
    if written.startswith(("http://", "https://", "[", "{")):
        return False
    return len(written.split()) >= _WORDS or sum(map(_EASTERN.__contains__, map(ord, written))) >= _LETTERS


def _of_table(records: Iterator[tuple[int, list[str]]], reading: Reading) -> tuple[list[str], list[list[Any]], int]:
    """Return the header, the first rows, and the line of the header: another one where that is no header."""
    looked_at = []
    with suppress(Unreadable):
        looked_at = list(islice(records, _LOOKED_AT))
    if not looked_at:
        raise Unreadable(RowError(0, "no_rows", "The file holds no rows."))
    line = header_line_of(looked_at) or looked_at[0][0]
    rows = [(at, cells) for at, cells in looked_at if at >= line]
    has_none = stands_without_header([cells for _, cells in rows]) or _is_text_alone([cells for _, cells in rows])
    if line == looked_at[0][0] and reading.header_line < 2 and has_none:
        line, rows = 0, list(chain([(0, [""] * len(rows[0][1]))], rows))
    if line and len(rows) > 1 and names_again(rows[0][1], rows[1][1]):
        line, rows = rows[1][0], rows[1:]
    above = next((cells for at, cells in reversed(looked_at) if at < line), [])
    named = named_apart(rows[0][1], above)
    names = [cell.strip() or f"column {place}" for place, cell in enumerate(named, start=1)]
    return names, [cells for _, cells in rows[1 : SHOWN + 1]], line


def _is_text_alone(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the rows seem to be texts, one on each line, and the first of them no name of a column."""
    is_alone = all(len(cells) == 1 for cells in rows)
    return is_alone and not is_text_name(rows[0][0]) and all(_is_sentence(cells[0]) for cells in rows)


def _of_objects(stream: BinaryIO, reading: Reading) -> tuple[list[str], list[list[Any]]]:
    objects: list[dict[str, Any]] = []
    with suppress(Unreadable):
        for _line, _entry, text in islice(object_sources(stream, reading.limits), SHOWN):
            with suppress(BadValue):
                value = strict_json.parse(text)
                objects += [value] if isinstance(value, dict) else []
    if not any(objects):
        raise Unreadable(RowError(0, "no_rows", "The file holds no rows."))
    return _opened(objects)


def _opened(rows: list[dict[str, Any]]) -> tuple[list[str], list[list[Any]]]:
    """Return the columns and cells of rows; where none is called as the text is, objects that hold one are opened."""
    if rows and not any(is_text_name(name) and not isinstance(row[name], dict) for row in rows for name in row):
        rows = [unfolded(row, text_paths(rows[0])) for row in rows]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return names, [[row.get(name) for name in names] for row in rows]


def _of_batches(file: Parquet) -> tuple[list[str], list[list[Any]]]:
    names, cells = _opened(file.first(SHOWN))
    return names or file.header(), cells


def _shown(cell: Any) -> str:
    """Return a cell in few characters that a database takes; a picture inside the file is told as one."""
    if isinstance(cell, dict) and isinstance(cell.get("bytes"), bytes):
        cell = cell.get("path") or "(picture)"
    if isinstance(cell, list | dict):
        cell = json.dumps(cell, ensure_ascii=False, default=str)
    written = "" if cell is None else str(cell).encode(errors="replace").decode().replace("\0", "\ufffd")
    return written if len(written) <= _LOOKED_INTO else f"{written[:_LOOKED_INTO]}…"


def shortened(cell: str) -> str:
    """Return as much of a cell as is shown."""
    return cell if len(cell) <= _LONGEST else f"{cell[:_LONGEST]}…"
