"""The first rows of a file as a table in a terminal, and the command line that would read it."""

import shlex
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

_WIDEST = 24
_MOST_COLUMNS = 12


def table_lines(first: Mapping[str, Any]) -> Iterator[str]:
    """Yield the columns and the first rows, a line each, in columns of equal width."""
    rows = [first["columns"], *first["rows"]]
    cells = [[_on_one_line(cell) for cell in row[:_MOST_COLUMNS]] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells):
        yield "  ".join(_padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        if number == 0:
            yield "  ".join("-" * width for width in widths)
    if len(first["columns"]) > _MOST_COLUMNS:
        yield f"… and {len(first['columns']) - _MOST_COLUMNS + first['more_columns']} more columns"


def command_line(slug: str, file: str, first: Mapping[str, Any]) -> str:
    """Return a command that reads the file. COLUMN stands for the column of the text where none is likely."""
    text = first["likely"][0] if first["likely"] else "COLUMN"
    words: list[str] = ["manage.py", "import_items", slug, file]
    words += [] if text == "text" else ["--text-column", text]
    words += ["--encoding", first["encoding"]] if first["encoding"] != "utf-8" else []
    words += ["--header-line", str(first["header_line"])] if first["header_line"] != 1 else []
    return " ".join(map(shlex.quote, [*words, "--dry-run"]))


def _on_one_line(cell: str) -> str:
    """Return a cell without what would leave its line or change the direction of the terminal, cut to its width."""
    seen = "".join(letter if letter.isprintable() else " " for letter in cell)
    kept: list[str] = []
    for letter in seen:
        if _width("".join(kept)) >= _WIDEST:
            return f"{''.join(kept)}…"
        kept.append(letter)
    return "".join(kept)


def _width(text: str) -> int:
    """Return the places that a text takes in a terminal: letters of Korean, Chinese and Japanese take two."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return wide + sum(not unicodedata.combining(letter) for letter in text)


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - _width(cell))
