"""A report's tables and charts: for its page in the reader's language, and as SVG files in English."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotation.pages.display_names import name_of
from annotation.pages.svg import heat, share
from moderation.domain.evaluation.tables.cost_plot import HEIGHT, LEFT, WIDTH, CostPlot, CostPoint, cost_plots
from moderation.domain.evaluation.tables.cost_plot import TOP as TOP_OF_PLOT
from moderation.domain.evaluation.tables.render import formatted_rows
from moderation.domain.evaluation.tables.report_tables import confusion_names as names_of
from moderation.domain.evaluation.tables.report_tables import tables_of
from moderation.domain.evaluation.tables.table import ColumnForm, EvaluationTable, Phrase, Report, Value
from moderation.domain.evaluation.tables.table_by_dataset import LEVEL_NAMES, LEVELS
from moderation.models import Evaluation
from vocabulary.display_names import NamedEnum

_LABELLED = "labelled "
CELL, LABEL, TOP, BAR = 76, 130, 72, 26
"""Pixels: width of a confusion cell, space for names beside and above the cells, height of a bar with its gap."""
_SHADES = ("#ffffff", "#e3eef9", "#bcd7ef", "#8bb9e0", "#4f92c9", "#1c639e")


@dataclass(frozen=True)
class ShownTable:
    """A table in the reader's language: headings and cells as text, each with whether its column holds numbers."""

    key: str
    title: str
    columns: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[tuple[str, bool]]]
    note: str


@dataclass(frozen=True)
class DifficultyBar:
    """The accuracy at one level of difficulty: the length of its bar and its figures."""

    level: str
    width: str
    accuracy: str
    total: int
    refused: int


@dataclass(frozen=True)
class ConfusionCell:
    """A cell of the confusion matrix: count, share of the row, shade (1 to 5)."""

    count: int
    share: str
    shade: int | None
    right: bool


@dataclass(frozen=True)
class ArmCharts:
    """The charts of one arm on one data set."""

    arm: str
    dataset: str
    bars: Sequence[DifficultyBar]
    labels: Sequence[str]
    confusion: Sequence[tuple[str, Sequence[ConfusionCell]]]


def shown_tables(report: Report) -> list[ShownTable]:
    """Return all tables but the confusion matrices, which have charts."""
    return [_shown(table) for table in tables_of(report) if not table.key.startswith("confusion")]


def arm_charts(report: Report) -> list[ArmCharts]:
    """Return the charts of every arm on every data set."""
    return [_pictures(report, result) for result in report["results"]]


def translated(text: str) -> str:
    """Return a text of the report in the reader's language; files keep the English one."""
    if isinstance(text, Phrase):
        values = {name: translated(value) if isinstance(value, str) else value for name, value in text.values.items()}
        return str(_(text.template) % values)
    return str(_(text)) if text else ""


def left_out_reasons(evaluation: Evaluation) -> list[tuple[str, list[tuple[str, int]]]]:
    """Return the reasons for left-out rows and their numbers, by source, in the reader's language."""
    return [
        (source, [(_why(reason), count) for reason, count in reasons.items()])
        for source, reasons in evaluation.left_out.items()
    ]


def _why(why: str) -> str:
    reasons = {
        "no text": _("no text"),
        "bad row": _("bad row"),
        "no majority": _("no majority"),
        "not decided": _("not decided"),
    }
    if why.startswith(_LABELLED):
        return _("labelled %(label)s") % {"label": why.removeprefix(_LABELLED)}
    return reasons.get(why, why)


def _shown(table: EvaluationTable) -> ShownTable:
    columns = [(translated(column.title), column.form is not ColumnForm.TEXT) for column in table.columns]
    rows = [
        [
            (_word(value, shown), is_number)
            for value, shown, (_title, is_number) in zip(row, cells, columns, strict=True)
        ]
        for row, cells in zip(table.rows, formatted_rows(table), strict=True)
    ]
    return ShownTable(table.key, translated(table.title), columns, rows, translated(table.note))


def _word(value: Value, shown: str) -> str:
    """Return the cell of a page: phrases and stored words in the reader's language, other values as `shown`."""
    if isinstance(value, NamedEnum):
        return name_of(value)
    return translated(value) if isinstance(value, Phrase) else shown


def _pictures(report: Report, result: Mapping[str, Any]) -> ArmCharts:
    labels = [translated(name) if isinstance(name, Phrase) else name for name in names_of(report, result)]
    counts = result["confusion"]["counts"]
    return ArmCharts(
        result["arm"],
        result["dataset"] if len(report["datasets"]) > 1 else "",
        [bar for level in LEVELS if (bar := _bar(translated(LEVEL_NAMES[level]), result["levels"][level]))],
        labels,
        [(label, _squares(row, at)) for at, (label, row) in enumerate(zip(labels, counts, strict=True))],
    )


def _bar(name: str, counts: Mapping[str, int]) -> DifficultyBar | None:
    if not counts["total"] + counts["refused"]:
        return None
    accuracy = f"{100 * counts['right'] / counts['total']:.1f} %" if counts["total"] else "–"
    return DifficultyBar(name, share(counts["right"], counts["total"]), accuracy, counts["total"], counts["refused"])


def _squares(row: Sequence[int], place: int) -> list[ConfusionCell]:
    total = sum(row)
    return [
        ConfusionCell(count, share(count, total), heat(count / total) if total and count else None, at == place)
        for at, count in enumerate(row)
    ]


@dataclass(frozen=True)
class ShownPlot:
    """A plot in the reader's language, ready to be drawn."""

    title: str
    axis: str
    accuracy: str
    plot: CostPlot
    legend: Sequence[tuple[int, CostPoint]]
    """The height of each point's line in the legend, and the point."""
    height: int
    frame: Mapping[str, int]


def shown_cost_plots(report: Report) -> list[ShownPlot]:
    """Return accuracy against cost, one plot for each data set with two lines or more."""
    return [_shown_plot(plot) for plot in cost_plots(report)]


def _shown_plot(plot: CostPlot) -> ShownPlot:
    bottom = TOP_OF_PLOT + HEIGHT
    title = _("Accuracy and cost")
    return ShownPlot(
        f"{title}: {plot.dataset}" if plot.dataset else title,
        translated(plot.axis),
        _("Accuracy"),
        plot,
        [(bottom + 72 + 20 * at, point) for at, point in enumerate(plot.points)],
        bottom + 72 + 20 * len(plot.points),
        {
            "left": LEFT,
            "right": LEFT + WIDTH,
            "top": TOP_OF_PLOT,
            "bottom": bottom,
            "below": bottom + 20,
            "named": bottom + 42,
        },
    )


def cost_svg(report: Report) -> str | None:
    """Return accuracy against cost on the first data set as SVG, in English. Returns None without a plot."""
    with override("en"):
        return next((svg for _name, svg in _cost_svgs(report)), None)


def _cost_svgs(report: Report) -> Iterator[tuple[str, str]]:
    plots = shown_cost_plots(report)
    for number, shown in enumerate(plots, start=1):
        end = f"-{number}" if len(plots) > 1 else ""
        yield f"cost{end}.svg", render_to_string("moderation/cost.svg", {"shown": shown})


def svg_charts(report: Report) -> Iterator[tuple[str, str]]:
    """Yield the name and content of each SVG chart, in English as all files of a report.

    An arm without known patterns has no bar chart.
    """
    with override("en"):
        shown = arm_charts(report)
        for number, chart in enumerate(shown, start=1):
            end = f"-{number}" if len(shown) > 1 else ""
            yield f"confusion{end}.svg", _confusion(chart)
            if chart.bars:
                yield f"difficulty{end}.svg", _bars(chart)
        yield from _cost_svgs(report)


def _title(chart: ArmCharts) -> str:
    return f"{chart.arm}, {chart.dataset}" if chart.dataset else chart.arm


def _confusion(chart: ArmCharts) -> str:
    columns = [(label, LABEL + CELL * at + CELL // 2) for at, label in enumerate(chart.labels)]
    rows = [
        (label, TOP + CELL * down, [_cell(square, at) for at, square in enumerate(squares)])
        for down, (label, squares) in enumerate(chart.confusion)
    ]
    context = {
        "title": _title(chart),
        "columns": columns,
        "rows": rows,
        "width": max(LABEL + CELL * len(columns) + 16, 32 + 8 * len(_title(chart))),
        "height": TOP + CELL * len(rows) + 16,
        "cell": CELL,
    }
    return render_to_string("moderation/confusion.svg", context)


def _cell(square: ConfusionCell, at: int) -> tuple[ConfusionCell, int, str, str]:
    """Return a cell with its left position, its background colour and its text colour."""
    shade = square.shade or 0
    return square, LABEL + CELL * at, _SHADES[shade], "#ffffff" if shade > 3 else "#1a1a1a"


def _bars(chart: ArmCharts) -> str:
    rows = [(bar, 48 + BAR * at, 2.4 * float(bar.width.rstrip("%"))) for at, bar in enumerate(chart.bars)]
    height = 48 + BAR * len(rows) + 12
    return render_to_string("moderation/difficulty.svg", {"title": _title(chart), "rows": rows, "height": height})
