"""The text of a PDF file, read in a process of its own (`reading_process`): {"pages", …} or {"fault"}."""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pypdf

from providers.http.reading_process import TooCostly, read_apart, serve

PAGES = 1000
_ROWS = 3  # rows at least of two columns
_PROSE = 18  # characters of a line in a column
_FEW = 40  # characters of a page that is a picture, with its number and the like


Piece = tuple[int, int, str]
"""Some text and where it is drawn: x from the left, y from the bottom."""


class BadPdf(ValueError):
    """The file cannot be read; the message says why in one sentence."""


@dataclass(frozen=True)
class PdfText:
    """The text of each page; `cut` says that there are more. `is_scanned`: the pages are pictures of text."""

    pages: list[str]
    title: str
    cut: bool
    is_scanned: bool
    author: str = ""
    changed: str = ""  # as the file writes it


def pdf_text(content: bytes, most: int, patience: float | None = None) -> str:
    """Return at most `most` characters of the file's text, pages separated by blank lines.

    Raises BadPdf if it cannot be read, and AllBusy as `read_apart`.
    """
    return "\n\n".join(pdf_pages(content, most, patience).pages)[:most]


def pdf_pages(content: bytes, most: int, patience: float | None = None) -> PdfText:
    """Return the file's pages, no more than hold `most` characters.

    Raises BadPdf if it cannot be read, and AllBusy as `read_apart`.
    """
    try:
        answer = read_apart("providers.pages.pdf_text", content, most, patience=patience)
    except TooCostly:
        raise BadPdf("The PDF could not be read within its limits of time and memory.") from None
    if "fault" in answer:
        raise BadPdf(answer["fault"])
    return PdfText(**answer)


def _read(content: bytes, most: int) -> dict[str, Any]:
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            return {"fault": "The PDF is locked by a password."}
        pages: list[str] = []
        size = pictured = coded = 0
        for page in reader.pages[:PAGES]:
            text = _page_text(page).encode("utf-8", "replace").decode("utf-8")
            pages.append(text[: most + 1])
            pictured += _holds_picture(page)
            coded += _draws_unknown_characters(page)
            size += len(text)
            if size > most:
                break
        told = [str(reader.metadata.get(name) or "")[:1000] if reader.metadata else "" for name in _TOLD]
        cut = len(pages) < len(reader.pages) or size > most
    except (
        pypdf.errors.PyPdfError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        OSError,
        RecursionError,
    ):
        return {"fault": "The file is no PDF that can be read."}
    if 2 * coded > len(pages):
        return {"fault": "The PDF does not say which characters its fonts draw."}
    is_scanned = 2 * pictured > len(pages) and size < _FEW * len(pages)
    title, author, changed, made = told
    day = (changed or made).removeprefix("D:")[:8]
    return {"pages": pages, "title": title, "cut": cut, "is_scanned": is_scanned, "author": author, "changed": day}


_TOLD = ("/Title", "/Author", "/ModDate", "/CreationDate")


def _page_text(page: pypdf.PageObject) -> str:
    text, pieces = _drawn(page)
    with suppress(TypeError, ValueError, IndexError):  # a move without its numbers: the text was read all the same
        return by_column(pieces) or (by_column(_drawn(page)[1]) if _part_lines(page) else "") or text
    return text


def _drawn(page: pypdf.PageObject) -> tuple[str, list[Piece]]:
    """Return the text of a page, and its text objects with their places."""
    pieces: list[Piece] = []

    def see(text: str, _user: list[float], at: list[float], _font: Any, _size: float) -> None:
        if text.strip():
            pieces.append((round(at[4]), round(at[5]), text.strip()))

    return str(page.extract_text(visitor_text=see)), pieces


def _part_lines(page: pypdf.PageObject) -> bool:
    """Give each place where a text object goes on a text object of its own; return whether lines stand side by side.

    pypdf joins what one object draws at the same height, also across the gap between two columns.
    """
    operations: list[Any] = []
    line, across = _START, 0
    content = page.get_contents()
    for operands, operator in content.operations if content is not None else ():
        if operator == b"BT":
            line = _START
        if operator in (b"Td", b"TD", b"Tm"):
            before = line
            line = [float(number) for number in operands] if operator == b"Tm" else _moved(line, *map(float, operands))
            across += line[5] == before[5] and line[4] > before[4]
            operations += [([], b"ET"), ([], b"BT")]
            operands, operator = [pypdf.generic.FloatObject(number) for number in line], b"Tm"
        operations.append((operands, operator))
    if across < _ROWS:
        return False
    apart = pypdf.generic.ContentStream(None, page.pdf)
    apart.operations = operations
    page[pypdf.generic.NameObject("/Contents")] = apart
    return True


_START = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]


def _moved(matrix: list[float], x: float, y: float) -> list[float]:
    """Return the matrix of a line that begins x, y from the line with this matrix."""
    a, b, c, d, e, f = matrix
    return [a, b, c, d, e + x * a + y * c, f + x * b + y * d]


def by_column(pieces: Sequence[Piece]) -> str:
    """Return the text of a page whose file draws the lines of two columns in turn, one column after the other.

    Empty if it has no such columns. Cells of a table are shorter than lines of prose, and stay in their rows.
    """
    pairs = [(left, right) for left, right in pairwise(pieces) if left[1] == right[1] and left[0] < right[0]]
    starts = Counter(right[0] for _left, right in pairs)
    if not starts:
        return ""
    gutter, rows = starts.most_common(1)[0]
    columns = [[text for x, _y, text in pieces if x < gutter], [text for x, _y, text in pieces if x >= gutter]]
    lengths = [sum(map(len, column)) / max(1, len(column)) for column in columns]
    if rows < _ROWS or 2 * rows < len(columns[0]) or min(lengths) < _PROSE:
        return ""
    return "\n\n".join("\n".join(column) for column in columns)


def _resources(page: pypdf.PageObject, kind: str) -> dict[str, Any]:
    drawn: Any = page.get("/Resources")
    for name in (None, kind):
        drawn = drawn.get(name) if name and drawn is not None else drawn
        drawn = drawn.get_object() if drawn is not None else None
    return {name: entry.get_object() for name, entry in (drawn or {}).items()}


def _holds_picture(page: pypdf.PageObject) -> bool:
    return any(entry.get("/Subtype") in ("/Image", "/Form") for entry in _resources(page, "/XObject").values())


def _draws_unknown_characters(page: pypdf.PageObject) -> bool:
    """Return whether all fonts of the page draw glyphs by number, and none says which characters they are."""
    fonts = _resources(page, "/Font").values()
    return bool(fonts) and all(
        font.get("/Encoding") in ("/Identity-H", "/Identity-V") and "/ToUnicode" not in font for font in fonts
    )


if __name__ == "__main__":
    serve(lambda content: _read(content, int(sys.argv[1])))
