"""Figures about annotators and how they change over time: what is counted, and how sure one can be of it.

Every share comes with the number it is a share of and its 95 % interval (Wilson 1927). What cannot be said is
`Nothing` with its reason, never 0 or NaN. No figure here decides anything.

*The majority of the others*: of all labels with a category on the same item in the same round but one's own, the
category that more than half of them have. Where they have none, the label does not count.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from math import sqrt

import numpy as np
import numpy.typing as npt

from annotation.domain.statistics.agreement import Interval, Ratings, rated_together
from annotation.domain.statistics.intervals import Z95, wilson_interval

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

TREND_LABELS = 30
"""A trend needs so many labels …"""
TREND_POINTS = 3
"""… in so many weeks (or blocks)."""
BLOCK = 20
"""Labels in a block, where they carry no dates."""
PAIR_ITEMS = 20
"""Two people are compared over so many items of both."""
PAIRS_SHOWN = 20
_MONDAY = date(1, 1, 1)  # a Monday: weeks are counted from it


class Lack(StrEnum):
    """Why there is no figure."""

    NO_LABELS = "no_labels"
    NO_OTHERS = "no_others"
    NO_FINAL = "no_final"
    NO_KNOWN = "no_known"
    NO_TIMES = "no_times"
    TOO_FEW_LABELS = "too_few_labels"
    TOO_FEW_WEEKS = "too_few_weeks"
    ONE_CATEGORY = "one_category"
    ALWAYS_ALIKE = "always_alike"


@dataclass(frozen=True)
class Nothing:
    """There is no such figure, and why."""

    why: Lack


@dataclass(frozen=True)
class Rate:
    """`part` of `n`, n ≥ 1."""

    part: int
    n: int

    @property
    def value(self) -> float:
        return self.part / self.n

    @property
    def interval(self) -> Interval:
        return wilson_interval(self.part / self.n, self.n)


@dataclass(frozen=True)
class Quartiles:
    """The middle of `n` measurements and what lies around it, in their unit."""

    n: int
    lower: float
    median: float
    upper: float


@dataclass(frozen=True)
class Trend:
    """How much a share changes from one week (or block) to the next, in shares of one, with its 95 % interval."""

    n: int
    slope: float
    interval: Interval

    @property
    def changed(self) -> bool:
        """Whether the interval leaves out 0: by chance alone that happens to one trend in twenty."""
        return self.interval.low > 0 or self.interval.high < 0


class Axis(StrEnum):
    """What a drift is drawn along."""

    WEEKS = "weeks"
    BLOCKS = "blocks"
    """Labels that came without dates, in the order of the file: a time only if the file is in order."""


@dataclass(frozen=True)
class Point:
    """A week (by its Monday) or a block (by its number from 1), and the share in it."""

    place: int
    monday: date | None
    rate: Rate


@dataclass(frozen=True)
class Drift:
    """A person's agreement with the others along time."""

    axis: Axis
    points: tuple[Point, ...]
    trend: Trend | Nothing


@dataclass(frozen=True)
class Votes:
    """Labels as parallel columns. `case` numbers an item in a complete round from 0; -1: not complete yet.

    `category` is an index, -1 where the label has none.
    """

    case: Ints
    annotator: Ints
    category: Ints


@dataclass(frozen=True)
class Likeness:
    """Two people over the items of both. `others` is the higher of their shares of agreement with everybody else."""

    first: int
    second: int
    same: Rate
    kappa: float | Nothing
    interval: Interval | None
    others: float | None

    @property
    def identical(self) -> bool:
        """Whether they answered everything alike."""
        return self.same.part == self.same.n

    @property
    def stands_out(self) -> bool:
        """Whether they agree beyond chance, and more with each other than either does with everybody else."""
        if self.interval is None or self.others is None:
            return False
        return self.interval.low > 0 and self.same.interval.low > self.others


def rate(part: int, n: int, otherwise: Lack) -> Rate | Nothing:
    """`part` of `n`, or the reason why there is none of it."""
    return Rate(int(part), int(n)) if n else Nothing(otherwise)


def quartiles(values: Sequence[float]) -> Quartiles | Nothing:
    """Median and quartiles (linear between measurements, as spreadsheets have it)."""
    if not len(values):
        return Nothing(Lack.NO_TIMES)
    lower, median, upper = np.quantile(np.asarray(values, dtype=np.float64), [0.25, 0.5, 0.75])
    return Quartiles(len(values), float(lower), float(median), float(upper))


def others_majority(votes: Votes, categories: int) -> Ints:
    """For every label the index of the category that the majority of the others chose; -1 where there is none."""
    found = np.full(len(votes.case), -1, dtype=np.int64)
    usable = (votes.case >= 0) & (votes.category >= 0)
    if not usable.any():
        return found
    case, category = votes.case[usable], votes.category[usable]
    counts = np.zeros((int(case.max()) + 1, categories), dtype=np.int64)
    np.add.at(counts, (case, category), 1)
    rest = counts[case]
    rest[np.arange(len(rest)), category] -= 1
    others = rest.sum(axis=1)
    found[usable] = np.where(2 * rest.max(axis=1) > others, rest.argmax(axis=1), -1)
    return found


# ── Drift ─────────────────────────────────────────────────────────────────────


def week_of(day: date) -> int:
    """The number of a day's ISO week, counted through the years."""
    return (day - _MONDAY).days // 7


def monday_of(week: int) -> date:
    """The Monday of a week numbered by `week_of`."""
    return _MONDAY + timedelta(weeks=week)


def drift(weeks: Sequence[int | None], agrees: Sequence[bool]) -> Drift:
    """Agreement along the weeks of the labels; along blocks of 20 in their order where most carry no date."""
    dated = [(week, agreed) for week, agreed in zip(weeks, agrees, strict=True) if week is not None]
    if 2 * len(dated) >= len(weeks):
        places, said = [week for week, _agreed in dated], [agreed for _week, agreed in dated]
        axis = Axis.WEEKS
    else:
        said = [agreed for week, agreed in zip(weeks, agrees, strict=True) if week is None]
        places = [min(number // BLOCK, max(len(said) // BLOCK - 1, 0)) + 1 for number in range(len(said))]
        axis = Axis.BLOCKS
    return Drift(axis, _points(places, said, axis), trend(places, said))


def trend(places: Sequence[int], agrees: Sequence[bool]) -> Trend | Nothing:
    """The least-squares slope of agreeing (1) or not (0) on the week, with a robust 95 % interval (HC3).

    HC3 (MacKinnon and White 1985) does not take the scatter to be the same in every week and is wide for few labels.
    """
    x, y = np.asarray(places, dtype=np.float64), np.asarray(agrees, dtype=np.float64)
    if len(x) < TREND_LABELS:
        return Nothing(Lack.TOO_FEW_LABELS)
    if len(np.unique(x)) < TREND_POINTS:
        return Nothing(Lack.TOO_FEW_WEEKS)
    if len(np.unique(y)) == 1:  # no scatter, so no interval either
        return Nothing(Lack.ALWAYS_ALIKE)
    off = x - x.mean()
    square = float(off @ off)
    slope = float(off @ y) / square
    left = y - y.mean() - slope * off
    leverage = 1 / len(x) + off**2 / square
    error = sqrt(float((off**2) @ (left / (1 - leverage)) ** 2)) / square
    return Trend(len(x), slope, Interval(slope - Z95 * error, slope + Z95 * error))


def _points(places: Sequence[int], agrees: Sequence[bool], axis: Axis) -> tuple[Point, ...]:
    counted: dict[int, list[int]] = {}
    for place, agreed in zip(places, agrees, strict=True):
        of = counted.setdefault(place, [0, 0])
        of[0] += agreed
        of[1] += 1
    return tuple(
        Point(place, monday_of(place) if axis is Axis.WEEKS else None, Rate(part, n))
        for place, (part, n) in sorted(counted.items())
    )


# ── Pairs ─────────────────────────────────────────────────────────────────────


def likenesses(ratings: Ratings, at_least: int = PAIR_ITEMS) -> list[Likeness]:
    """Every two people with so many items in common, most alike (by kappa) first; undefined kappas last."""
    first, second, one, two = rated_together(ratings)
    keys, which = np.unique(np.column_stack((first, second)), axis=0, return_inverse=True)
    which = which.reshape(-1)
    items = np.bincount(which, minlength=len(keys))
    same = np.bincount(which, weights=one == two, minlength=len(keys)).astype(np.int64)
    of_person = _totals(keys, items, same)
    order = np.argsort(which, kind="stable")
    ends = np.cumsum(items)
    found = []
    for number in np.flatnonzero(items >= at_least):
        a, b = int(keys[number, 0]), int(keys[number, 1])
        n, part = int(items[number]), int(same[number])
        here = order[ends[number] - n : ends[number]]
        others = [_others(of_person[person], n, part) for person in (a, b)]
        told = [share for share in others if share is not None]
        found.append(_likeness(a, b, Rate(part, n), one[here], two[here], max(told, default=None)))
    return sorted(found, key=_closeness)


def _likeness(first: int, second: int, same: Rate, one: Ints, two: Ints, others: float | None) -> Likeness:
    width = int(max(one.max(), two.max())) + 1
    expected = int(np.bincount(one, minlength=width) @ np.bincount(two, minlength=width))  # n² times chance
    if expected == same.n**2:
        return Likeness(first, second, same, Nothing(Lack.ONE_CATEGORY), None, others)
    chance = expected / same.n**2
    low, high = ((share - chance) / (1 - chance) for share in (same.interval.low, same.interval.high))
    return Likeness(first, second, same, (same.value - chance) / (1 - chance), Interval(low, high), others)


def _totals(keys: Ints, items: Ints, same: Ints) -> Mapping[int, tuple[int, int]]:
    people, where = np.unique(keys.reshape(-1), return_inverse=True)
    where = where.reshape(-1)
    twice = np.repeat(items, 2), np.repeat(same, 2)
    n, part = (np.bincount(where, weights=each, minlength=len(people)).astype(np.int64) for each in twice)
    return {int(person): (int(total), int(alike)) for person, total, alike in zip(people, n, part, strict=True)}


def _others(totals: tuple[int, int], n: int, part: int) -> float | None:
    """The share of agreement with everybody but the partner."""
    rest = totals[0] - n
    return (totals[1] - part) / rest if rest else None


def _closeness(pair: Likeness) -> tuple[bool, float, int, int]:
    undefined = isinstance(pair.kappa, Nothing)
    return undefined, 0.0 if isinstance(pair.kappa, Nothing) else -pair.kappa, pair.first, pair.second


def expected_by_chance(trends: Iterable[Trend | Nothing]) -> float:
    """How many of these trends would be flagged if nobody changed at all: one in twenty of those that exist."""
    return 0.05 * sum(isinstance(each, Trend) for each in trends)
