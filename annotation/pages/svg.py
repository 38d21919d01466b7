"""Parts of charts that templates draw as SVG. Lengths are attributes, never styles, and never localized."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from annotation.domain.statistics.figure import Figure, Measured
from annotation.domain.statistics.intervals import Interval

PLOT_HEIGHT = 96


def share(part: float, whole: float) -> str:
    """Return a length as a percentage from 0 to 100 with one decimal and a point, `"0%"` if `whole` is not positive."""
    if whole <= 0:
        return "0%"
    return f"{min(max(part / whole, 0), 1) * 100:.1f}%"


@dataclass(frozen=True)
class Whisker:
    """A figure on an axis from `low` to 1: the positions of its point and of the ends of its interval."""

    at: str
    left: str
    right: str


def whisker(figure: Figure, low: float) -> Whisker | None:
    """Return the figure on an axis that begins at `low` (0 or -1). Returns None if it is undefined."""
    if not isinstance(figure, Measured):
        return None
    interval = figure.interval or Interval(figure.value, figure.value)
    at, left, right = (share(value - low, 1 - low) for value in (figure.value, interval.low, interval.high))
    return Whisker(at, left, right)


def axis_start(figures: Sequence[Figure]) -> int:
    """Return the start of an axis for these figures: 0, or -1 if one of them or its interval is negative."""
    lowest = [
        min(figure.value, figure.interval.low if figure.interval else figure.value)
        for figure in figures
        if isinstance(figure, Measured)
    ]
    return -1 if min(lowest, default=0) < 0 else 0


def axis_marks(start: int) -> list[str]:
    """Return the marks of an axis that begins at 0 or -1 and ends at 1."""
    return ["0", "0.5", "1"] if start == 0 else ["−1", "0", "1"]


@dataclass(frozen=True)
class DayBar:
    """The bar of a day in a plot 96 units high."""

    day: date
    count: int
    x: str
    width: str
    y: str
    height: str
    last: bool


def day_bars(
    counts: Mapping[date, int], today: date, days: int, *, top: int | None = None, part: int = 0, parts: int = 1
) -> list[DayBar]:
    """Return a bar for each of the last days up to today, scaled to `top`: a round number above the highest count.

    Where a plot shows several counts of a day beside each other, this is the part with the number `part` of `parts`.
    """
    shown = [today - timedelta(days=days - 1 - place) for place in range(days)]
    top = round_above(max((counts.get(day, 0) for day in shown), default=0)) if top is None else top
    step = 100 / days
    bars = []
    for place, day in enumerate(shown):
        count = counts.get(day, 0)
        height = PLOT_HEIGHT * count / top if top else 0
        bars.append(
            DayBar(
                day=day,
                count=count,
                x=f"{step * (place + 0.1 + 0.8 * part / parts):.2f}%",
                width=f"{step * 0.8 / parts:.2f}%",
                y=f"{PLOT_HEIGHT - height:.1f}",
                height=f"{height:.1f}",
                last=place == days - 1,
            )
        )
    return bars


def round_above(most: int) -> int:
    """Return the smallest of 2, 4, 10, 20, 40, 100 … that is at least `most`; 0 if `most` is not positive.

    Half of the result is a whole number.
    """
    if most <= 0:
        return 0
    scale = 1
    while True:
        for factor in (2, 4, 10):
            if most <= factor * scale:
                return factor * scale
        scale *= 10


def heat(percent: float) -> int:
    """Return the step of the heat map for a share of 0 … 1: 1 (pale) to 5 (strong), a fifth each."""
    return min(5, int(max(0.0, percent) * 5) + 1)


@dataclass(frozen=True)
class MoodMark:
    """An answer of 1 to 5 as a dot in a plot 96 units high, 5 at the top."""

    day: date
    mood: int
    x: str
    y: str


def mood_marks(moods: dict[date, int], today: date, days: int) -> list[MoodMark]:
    """Return a dot for each of the last days with an answer; today is at the right."""
    step = 100 / days
    return [
        MoodMark(
            day,
            moods[day],
            x=f"{step * (place + 0.5):.2f}%",
            y=f"{PLOT_HEIGHT * (5.5 - moods[day]) / 5:.1f}",
        )
        for place in range(days)
        if (day := today - timedelta(days=days - 1 - place)) in moods
    ]


def line(values: Sequence[float]) -> str:
    """Return the points of a line through values of 0 … 1, evenly spaced, in a plot 100 wide and 96 high.

    1 is at the top.
    """
    step = 100 / max(1, len(values) - 1)
    return " ".join(
        f"{place * step:.1f},{PLOT_HEIGHT * (1 - min(max(value, 0), 1)):.1f}" for place, value in enumerate(values)
    )
