"""Accuracy against cost as points of a plot, in the units of its drawing."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moderation.domain.evaluation.tables.table import Phrase, Report
from moderation.domain.evaluation.tables.table import gettext_noop as _

LEFT, TOP, WIDTH, HEIGHT = 64, 40, 520, 280
"""Where the plot lies in its drawing."""
_TICKS = 4
"""The number of parts of an axis."""


@dataclass(frozen=True)
class Tick:
    """A mark on an axis: its position and its text."""

    at: float
    text: str


@dataclass(frozen=True)
class CostPoint:
    """One line of the report: its number in the legend, its position, and the ends of its interval, if there is one."""

    number: int
    name: str
    x: float
    y: float
    low: float | None
    high: float | None
    accuracy: str
    cost: str


@dataclass(frozen=True)
class CostPlot:
    """The plot of one data set. `axis` says what is on the horizontal axis."""

    dataset: str
    axis: str
    points: Sequence[CostPoint]
    across: Sequence[Tick]
    upward: Sequence[Tick]


@dataclass(frozen=True)
class _Line:
    name: str
    cost: float
    accuracy: float
    interval: Sequence[float]


@dataclass(frozen=True)
class _Scale:
    """The ends of the axes: the highest cost, and the lowest and highest accuracy."""

    dearest: float
    floor: float
    top: float

    def across(self, cost: float) -> float:
        return round(LEFT + WIDTH * cost / self.dearest, 1)

    def upward(self, accuracy: float) -> float:
        return round(TOP + HEIGHT * (1 - (accuracy - self.floor) / (self.top - self.floor)), 1)


_AXES = (("cost", 1000), ("tokens", 1), ("calls", 1))


def cost_plots(report: Report) -> list[CostPlot]:
    """Return the plot of every data set on which two lines or more have an accuracy and a cost."""
    plots = []
    for dataset in report["datasets"]:
        results = [row for row in report["results"] if row["dataset"] == dataset["name"] and row.get("alone")]
        results = [row for row in results if row["figures"]["accuracy"]]
        if len(results) > 1:
            plots.append(_plot(report, dataset["name"] if len(report["datasets"]) > 1 else "", results))
    return plots


def _plot(report: Report, dataset: str, results: Sequence[Mapping[str, Any]]) -> CostPlot:
    axis, factor = _axis(results)
    lines = [
        _Line(
            result["arm"],
            result["alone"][axis] * factor,
            result["figures"]["accuracy"]["mean"],
            result["intervals"]["accuracy"] or (),
        )
        for result in results
    ]
    dearest = max(line.cost for line in lines)
    least = min(min((line.accuracy, *line.interval)) for line in lines)
    most = max(max((line.accuracy, *line.interval)) for line in lines)
    top = max(0.1, math.ceil(round(10 * most, 9)) / 10)
    floor = min(math.floor(round(10 * least, 9)) / 10, round(top - 0.1, 9))
    across = ticks(0, dearest)
    upward = [floor + (top - floor) * part / _TICKS for part in range(_TICKS + 1)]
    scale = _Scale(across[-1], floor, top)
    return CostPlot(
        dataset,
        _named(axis, report["currency"]),
        [_point(number, line, scale) for number, line in enumerate(lines, start=1)],
        [Tick(scale.across(value), f"{value:,g}") for value in across],
        [Tick(scale.upward(value), f"{100 * value:.4g} %") for value in upward],
    )


def _axis(results: Sequence[Mapping[str, Any]]) -> tuple[str, int]:
    """Return money if every line has a price, else tokens; calls if those are zero too."""
    for name, factor in _AXES:
        values = [result["alone"][name] for result in results]
        if None not in values and any(values):
            return name, factor
    return _AXES[-1]


def _named(axis: str, currency: str) -> str:
    if axis == "cost":
        return Phrase.of(_("Cost of 1,000 items, %(currency)s"), currency=currency)
    return Phrase.of(_("Tokens per item") if axis == "tokens" else _("Calls per item"))


def _point(number: int, line: _Line, scale: _Scale) -> CostPoint:
    low, high = (scale.upward(bound) for bound in line.interval) if line.interval else (None, None)
    return CostPoint(
        number,
        line.name,
        scale.across(line.cost),
        scale.upward(line.accuracy),
        low,
        high,
        f"{100 * line.accuracy:.1f} %",
        f"{line.cost:,.4g}",
    )


def ticks(low: float, high: float) -> list[float]:
    """Return three to five evenly spaced numbers; the first is `low`, the last is at least `high`."""
    span = high - low
    if span <= 0:
        return [low, low + 1]
    scale = 10 ** math.floor(math.log10(span / _TICKS))
    step = next(factor * scale for factor in (1, 2, 2.5, 5, 10) if factor * scale * _TICKS >= span * (1 - 1e-9))
    return [round(low + step * count, 10) for count in range(math.ceil(span / step - 1e-9) + 1)]
