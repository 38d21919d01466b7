"""The drawings of a report as SVG files: the confusion of every line, and its accuracy by difficulty."""

from collections.abc import Iterator

from django.template.loader import render_to_string
from django.utils.translation import override

from moderation.domain.evaluation.table_shapes import Report
from moderation.evaluation_charts import Pictures, Square, pictures

CELL, LABEL, TOP, BAR = 76, 130, 72, 26
"""Pixels: a cell of the confusion, the room for names beside and above the cells, a bar with its gap."""
_SHADES = ("#ffffff", "#e3eef9", "#bcd7ef", "#8bb9e0", "#4f92c9", "#1c639e")


def drawings(report: Report) -> Iterator[tuple[str, str]]:
    """Name → SVG, in English, as all files of a report. A line without known patterns has no bars."""
    with override("en"):
        shown = pictures(report)
        for number, each in enumerate(shown, start=1):
            end = f"-{number}" if len(shown) > 1 else ""
            yield f"confusion{end}.svg", _confusion(each)
            if each.bars:
                yield f"difficulty{end}.svg", _bars(each)


def _title(each: Pictures) -> str:
    return f"{each.arm}, {each.dataset}" if each.dataset else each.arm


def _confusion(each: Pictures) -> str:
    columns = [(label, LABEL + CELL * at + CELL // 2) for at, label in enumerate(each.labels)]
    rows = [
        (label, TOP + CELL * down, [_cell(square, at) for at, square in enumerate(squares)])
        for down, (label, squares) in enumerate(each.confusion)
    ]
    context = {
        "title": _title(each),
        "columns": columns,
        "rows": rows,
        "width": max(LABEL + CELL * len(columns) + 16, 32 + 8 * len(_title(each))),
        "height": TOP + CELL * len(rows) + 16,
        "cell": CELL,
    }
    return render_to_string("moderation/confusion.svg", context)


def _cell(square: Square, at: int) -> tuple[Square, int, str, str]:
    """A cell with its place from the left, its ground and its ink."""
    shade = square.shade or 0
    return square, LABEL + CELL * at, _SHADES[shade], "#ffffff" if shade > 3 else "#1a1a1a"


def _bars(each: Pictures) -> str:
    rows = [(bar, 48 + BAR * at, 2.4 * float(bar.width.rstrip("%"))) for at, bar in enumerate(each.bars)]
    height = 48 + BAR * len(rows) + 12
    return render_to_string("moderation/difficulty.svg", {"title": _title(each), "rows": rows, "height": height})
