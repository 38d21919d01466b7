"""Figures about annotators and their change over time, with their uncertainty.

Every share comes with its denominator and its 95 % interval (Wilson 1927). A figure that cannot be computed is
`Undefined` with its reason, never 0 or NaN. No figure here decides anything.

A trend compares labels on equally informative posts: where hard posts come first, agreement would rise by itself.

*The majority of the others*: of all labels with a category on the same item in the same round, except one's own, the
categories that more than half of them name. If there is none, the label does not count. Where a label may name several
categories, it agrees if it names just these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from math import sqrt

import numpy as np

from annotation.domain.statistics.agreement import Pair, Together, alike_by_category, cohen_kappas
from annotation.domain.statistics.arrays import Flags, Floats, Ints
from annotation.domain.statistics.figure import Measured, Undefined, Why
from annotation.domain.statistics.intervals import Z95, Interval, wilson_interval

TREND_LABELS = 30
"""The minimum number of labels for a trend …"""
TREND_POINTS = 3
"""… and of the weeks (or blocks) with labels."""
BLOCK = 20
"""The number of labels in a block, for labels without dates."""
PAIR_ITEMS = 20
"""The minimum number of common items for a comparison of two people."""
UNDATED = -1
"""The week of a label that has no time of its own."""
_MONDAY = date(1, 1, 1)  # a Monday; weeks are counted from it


@dataclass(frozen=True)
class Rate:
    """The share `part` of `n`, n ≥ 1."""

    part: int
    n: int

    @property
    def value(self) -> float:
        return self.part / self.n

    @property
    def interval(self) -> Interval:
        return wilson_interval(self.part / self.n, self.n)


@dataclass(frozen=True)
class Typical:
    """The median of `n` measurements, in their unit."""

    n: int
    median: float


@dataclass(frozen=True)
class Trend:
    """The change of a share from one week (or block) to the next, from 0 to 1, with its 95 % interval."""

    n: int
    slope: float
    interval: Interval

    @property
    def changed(self) -> bool:
        """Whether the interval excludes 0; by chance alone that happens to one trend in twenty."""
        return self.interval.low > 0 or self.interval.high < 0


class Axis(StrEnum):
    """The horizontal axis of a drift."""

    WEEKS = "weeks"
    BLOCKS = "blocks"
    """Blocks of labels without dates, in the order of the file; they show time only if the file is in time order."""


@dataclass(frozen=True)
class Point:
    """The share in a week (given by its Monday) or a block (by its number from 1)."""

    place: int
    monday: date | None
    rate: Rate


@dataclass(frozen=True)
class Drift:
    """A person's agreement with the others over time."""

    axis: Axis
    points: tuple[Point, ...]
    trend: Trend | Undefined


@dataclass(frozen=True)
class Votes:
    """Labels as parallel columns. `case` numbers an item in a complete round from 0; -1 means not complete yet.

    `category` is an index into `CategorySets`, -1 if the label has none.
    """

    case: Ints
    annotator: Ints
    category: Ints


class CategorySets:
    """The sets of categories that labels name, numbered; those of one category have its own index."""

    def __init__(self, categories: int) -> None:
        self._numbers: dict[tuple[int, ...], int] = {(index,): index for index in range(categories)}
        self._categories = categories

    def number(self, indices: Iterable[int]) -> int:
        """Return the number of a set of category indices; -1 for none."""
        key = tuple(sorted(indices))
        return self._numbers.setdefault(key, len(self._numbers)) if key else -1

    @property
    def members(self) -> Flags:
        """Whether each set (row) has each category (column)."""
        members = np.zeros((len(self._numbers), self._categories), dtype=bool)
        for key, number in self._numbers.items():
            members[number, list(key)] = True
        return members


@dataclass(frozen=True)
class Likeness:
    """Two people compared over their common items. `others` is the higher of their agreement shares with all others."""

    first: int
    second: int
    same: Rate
    kappa: float | Undefined
    interval: Interval | None
    others: float | None

    @property
    def identical(self) -> bool:
        """Whether they gave the same answer to every common item."""
        return self.same.part == self.same.n

    @property
    def stands_out(self) -> bool:
        """Whether they agree beyond chance, and more with each other than either does with all others."""
        if self.interval is None or self.others is None:
            return False
        return self.interval.low > 0 and self.same.interval.low > self.others


def rate(part: int, n: int, otherwise: Why) -> Rate | Undefined:
    """Return the share `part` of `n`, or Undefined with the reason `otherwise` if n is 0."""
    return Rate(int(part), int(n)) if n else Undefined(otherwise)


def typical(values: Sequence[float] | Floats) -> Typical | Undefined:
    """Return the median, between the two middle values if their number is even."""
    if not len(values):
        return Undefined(Why.NO_TIMES)
    return Typical(len(values), float(np.median(np.asarray(values, dtype=np.float64))))


def others_majority(votes: Votes, members: Flags) -> Flags:
    """Return for every label (row) which categories (columns) the majority of the others names.

    `members` says which categories each set has.
    """
    majority = np.zeros((len(votes.case), members.shape[1]), dtype=bool)
    usable = (votes.case >= 0) & (votes.category >= 0)
    if not usable.any():
        return majority
    case, category = votes.case[usable], votes.category[usable]
    others = np.bincount(case)[case] - 1
    for column in range(members.shape[1]):  # one category after the other: a tenth of the memory
        named = members[category, column]
        majority[usable, column] = 2 * (np.bincount(case, weights=named)[case] - named) > others
    return majority


# ── Drift ─────────────────────────────────────────────────────────────────────


def week_of(day: date) -> int:
    """Return the number of a day's ISO week, counted continuously through the years."""
    return (day - _MONDAY).days // 7


def monday_of(week: int) -> date:
    """Return the Monday of a week numbered by `week_of`."""
    return _MONDAY + timedelta(weeks=week)


def drift(weeks: Ints, agrees: Flags, values: Ints) -> Drift:
    """Return the agreement over the weeks of the labels, or over blocks of 20 in their order if most have no date.

    `weeks` has UNDATED for labels without a date. `values` are the informativeness of the labels' items.
    """
    dated = weeks != UNDATED
    if 2 * np.count_nonzero(dated) >= len(weeks):
        axis, used, places = Axis.WEEKS, dated, weeks[dated]
    else:
        axis, used = Axis.BLOCKS, ~dated
        number = np.arange(np.count_nonzero(used))
        places = np.minimum(number // BLOCK, max(len(number) // BLOCK - 1, 0)) + 1
    return Drift(axis, _points(places, agrees[used], axis), trend(places, agrees[used], values[used]))


def trend(
    places: Sequence[int] | Ints, agrees: Sequence[bool] | Flags, values: Sequence[int] | Ints | None = None
) -> Trend | Undefined:
    """Return the least-squares slope of agreement (1 or 0) by week, with a robust 95 % interval (HC3).

    The model has a constant for each of the `values`, so that only labels on equally informative posts are compared.
    HC3 (MacKinnon and White 1985) does not assume the same scatter in every week and is wide for few labels.
    """
    x, y = np.asarray(places, dtype=np.float64), np.asarray(agrees, dtype=np.float64)
    if len(x) < TREND_LABELS:
        return Undefined(Why.TOO_FEW_LABELS)
    _names, level = np.unique(np.zeros(len(x)) if values is None else np.asarray(values), return_inverse=True)
    size = np.bincount(level)[level]
    centred = x - _means(x, level)
    square = float(centred @ centred)
    if len(np.unique(x)) < TREND_POINTS or square == 0:  # 0: no value's labels lie in more than one week
        return Undefined(Why.TOO_FEW_WEEKS)
    if len(np.unique(y)) == 1:  # without scatter there is no interval
        return Undefined(Why.ALWAYS_ALIKE)
    slope = float(centred @ y) / square
    residuals = y - _means(y, level) - slope * centred
    leverage = 1 / size + centred**2 / square
    free = leverage < 1 - 1e-9  # a label that decides its own constant, or the slope, says nothing about scatter
    if not (free & (centred != 0)).any():
        return Undefined(Why.TOO_FEW_WEEKS)
    terms = np.divide(residuals, 1 - leverage, out=np.zeros(len(x)), where=free)
    error = sqrt(float((centred**2) @ terms**2)) / square
    return Trend(len(x), slope, Interval(slope - Z95 * error, slope + Z95 * error))


def _means(values: Floats, level: Ints) -> Floats:
    """Return for each value the mean of those of its level."""
    means: Floats = np.bincount(level, weights=values)[level] / np.bincount(level)[level]
    return means


def _points(places: Ints, agrees: Flags, axis: Axis) -> tuple[Point, ...]:
    distinct, index = np.unique(places, return_inverse=True)
    sizes, parts = np.bincount(index), np.bincount(index, weights=agrees)
    return tuple(
        Point(place, monday_of(place) if axis is Axis.WEEKS else None, Rate(int(part), int(n)))
        for place, n, part in zip(distinct.tolist(), sizes, parts, strict=True)
    )


# ── Pairs ─────────────────────────────────────────────────────────────────────


def likenesses(together: Together, at_least: int = PAIR_ITEMS) -> list[Likeness]:
    """Return every two people with `at_least` common items, most alike (by kappa) first, undefined kappas last."""
    totals: dict[int, tuple[int, int]] = {}
    for alike in alike_by_category(together):
        n, part = totals.get(alike.annotator, (0, 0))
        totals[alike.annotator] = n + alike.others, part + alike.agreeing
    return sorted((_likeness(pair, totals) for pair in cohen_kappas(together, at_least)), key=_closeness)


def _likeness(pair: Pair, totals: Mapping[int, tuple[int, int]]) -> Likeness:
    same = Rate(pair.agreeing, pair.items)
    shares = [_others(totals[person], pair.items, pair.agreeing) for person in (pair.first, pair.second)]
    others = max((share for share in shares if share is not None), default=None)
    if not isinstance(pair.kappa, Measured):
        return Likeness(pair.first, pair.second, same, Undefined(Why.ONE_CATEGORY), None, others)
    low, high = ((share - pair.chance) / (1 - pair.chance) for share in (same.interval.low, same.interval.high))
    return Likeness(pair.first, pair.second, same, pair.kappa.value, Interval(low, high), others)


def _others(totals: tuple[int, int], n: int, part: int) -> float | None:
    """Return the share of agreement with everybody except the partner. Returns None if there is nobody else."""
    rest = totals[0] - n
    return (totals[1] - part) / rest if rest else None


def _closeness(pair: Likeness) -> tuple[bool, float, int, int]:
    undefined = isinstance(pair.kappa, Undefined)
    return undefined, 0.0 if isinstance(pair.kappa, Undefined) else -pair.kappa, pair.first, pair.second


def expected_by_chance(trends: Iterable[Trend | Undefined]) -> float:
    """Return how many of these trends would be flagged if nobody changed: one in twenty."""
    return 0.05 * sum(isinstance(candidate, Trend) for candidate in trends)
