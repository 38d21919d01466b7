"""Tables of figures: a line for each row, so that a figure stands beside what it counts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

import lxml.html

_MOST_OF_CELL = 120
_BLOCKS = {"p", "div", "table", "ul", "ol", "dl", "blockquote", "section", "article", "form", "pre"}
"""In a cell with one of these stands a part of a page; such a table lays out the page."""


def in_rows(text: str, tree: lxml.html.HtmlElement) -> str:
    """Return the text with the rows of tables as lines: trafilatura may make a line of each cell."""
    rows: dict[lxml.html.HtmlElement | None, list[str]] = {}
    for cell in cells_of_tables(tree):
        if written := " ".join(cell.text_content().split()):
            rows.setdefault(cell.getparent(), []).append(written)
    lines, at = text.split("\n"), 0
    places: dict[str, list[int]] = {}
    for place, line in enumerate(lines):
        places.setdefault(line, []).append(place)
    joined: dict[int, int] = {}  # of each row: its first line and the one behind its last
    for row in rows.values():
        known = places.get(row[0], ())
        place = known[found] if (found := bisect_left(known, at)) < len(known) else -1
        if place >= 0 and len(row) > 1 and lines[place : place + len(row)] == row:
            joined[place] = at = place + len(row)
    kept: list[str] = []
    at = 0
    while at < len(lines):
        end = joined.get(at, at + 1)
        kept.append(" | ".join(lines[at:end]))
        at = end
    return "\n".join(kept)


def cells_of_tables(tree: lxml.html.HtmlElement) -> Iterator[lxml.html.HtmlElement]:
    """Yield the cells of tables with short cells and several columns; other tables lay out a page."""
    for table in tree.iter("table"):
        cells = list(table.iter("td", "th"))
        if any(len(cell.text_content()) > _MOST_OF_CELL or _BLOCKS & {node.tag for node in cell} for cell in cells):
            continue
        if any(cell.getnext() is not None for cell in cells):
            yield from cells
