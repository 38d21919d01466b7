"""How far annotators agree beyond chance (design section 4, Agreement).

Fleiss (1971), Krippendorff's nominal alpha (library `krippendorff`), Cohen (1960). Categories are given as
indices 0 … C-1. A figure that cannot be computed is `Undefined` with its reason, never 0, 1 or NaN.

Intervals are percentile bootstraps over items. Items with the same spread of ratings are interchangeable, so
a resample is one multinomial draw over the distinct spreads: the cost does not grow with the number of items.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

import krippendorff
import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

RESAMPLES = 1000
SEED = 20_240_601
COVERAGE = 0.95
_CELLS_AT_ONCE = 2_000_000  # resample weights held in memory: 16 MB
_LIBRARY_CELLS = 4_000_000  # the library builds one matrix per item; above this only the distinct spreads are summed


class Why(StrEnum):
    """Why a figure is undefined."""

    NO_ITEMS = "no_items"
    ONE_CATEGORY = "one_category"
    TOO_FEW_RATINGS = "too_few_ratings"


@dataclass(frozen=True)
class Interval:
    """The 95 % bootstrap interval."""

    low: float
    high: float


@dataclass(frozen=True)
class Measured:
    """A figure; without an interval where fewer than two items or hardly any resample define one."""

    value: float
    interval: Interval | None = None


@dataclass(frozen=True)
class Undefined:
    """There is no such figure, and why."""

    why: Why


Figure = Measured | Undefined


@dataclass(frozen=True)
class Tally:
    """The distinct spreads of ratings over the categories, and how many items have each.

    `spreads[u, c]` ratings of category c; `times[u]` items. The order is canonical, so equal data give equal
    figures and intervals to the last bit.
    """

    spreads: Ints
    times: Ints

    @property
    def items(self) -> int:
        return int(self.times.sum())

    @property
    def ratings(self) -> int:
        return int(self.times @ self.spreads.sum(axis=1))

    def merged(self, groups: Sequence[int]) -> "Tally":
        """The same items with categories put together: category c becomes group `groups[c]`."""
        into = np.zeros((len(groups), max(groups, default=-1) + 1), dtype=np.int64)
        into[np.arange(len(groups)), np.array(groups, dtype=np.int64)] = 1
        return _collected(self.spreads @ into, self.times)

    def with_ratings(self, at_least: int, at_most: int | None = None) -> "Tally":
        """Only the items with so many ratings."""
        sizes = self.spreads.sum(axis=1)
        keep = (sizes >= at_least) & (sizes <= (sizes.max(initial=0) if at_most is None else at_most))
        return Tally(self.spreads[keep], self.times[keep])


def tally(items: Iterable[Sequence[int]], categories: int) -> Tally:
    """Count the items by their ratings; each item is the sequence of its category indices."""
    return tally_of(Counter(tuple(item) for item in items), categories)


def tally_of(counted: Mapping[tuple[int, ...], int], categories: int) -> Tally:
    """The tally of items counted by their ratings, in whatever order the ratings stand."""
    spreads = np.zeros((len(counted), categories), dtype=np.int64)
    for row, ratings in enumerate(counted):
        np.add.at(spreads[row], list(ratings), 1)
    return _collected(spreads, np.fromiter(counted.values(), dtype=np.int64, count=len(counted)))


def binary(counted: Tally, hateful: Sequence[bool]) -> Tally:
    """The same items with every category read as hateful (1) or not (0)."""
    both = counted.merged([int(flag) for flag in hateful])
    missing = 2 - both.spreads.shape[1]
    return Tally(np.pad(both.spreads, ((0, 0), (0, missing))), both.times) if missing > 0 else both


def fleiss_kappa(counted: Tally, k: int) -> Figure:
    """Fleiss' kappa over the items with exactly k ratings; others are left out."""
    complete = counted.with_ratings(k, k)
    if complete.items == 0:
        return Undefined(Why.NO_ITEMS)
    if k < 2:
        return Undefined(Why.TOO_FEW_RATINGS)
    return _measured(complete, lambda weights: _kappas(complete.spreads, weights, k))


def krippendorff_alpha(counted: Tally) -> Figure:
    """Krippendorff's nominal alpha over the items with at least two ratings; missing ratings are allowed."""
    pairable = counted.with_ratings(2)
    if counted.items == 0:
        return Undefined(Why.NO_ITEMS)
    if pairable.items == 0:
        return Undefined(Why.TOO_FEW_RATINGS)
    figure = _measured(pairable, lambda weights: _alphas(pairable.spreads, weights))
    match figure:
        case Measured(_, interval) if pairable.items * pairable.spreads.shape[1] ** 2 <= _LIBRARY_CELLS:
            units = np.repeat(pairable.spreads, pairable.times, axis=0)
            value = float(krippendorff.alpha(value_counts=units, level_of_measurement="nominal"))
            return Measured(value, interval)
        case _:
            return figure


def kappa_of_category(counted: Tally, k: int, category: int) -> Figure:
    """Fleiss' kappa of one category against all others, over the items with exactly k ratings."""
    groups = [int(each == category) for each in range(counted.spreads.shape[1])]
    return fleiss_kappa(counted.merged(groups), k)


# ── Pairs of annotators ───────────────────────────────────────────────────────


@dataclass(frozen=True)
class Ratings:
    """Single ratings as parallel columns: which item, by whom, which category; at most one per item and person."""

    item: Ints
    annotator: Ints
    category: Ints

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, int]]) -> "Ratings":
        table = np.fromiter(chain.from_iterable(rows), dtype=np.int64).reshape(-1, 3)
        table = table[np.lexsort((table[:, 1], table[:, 0]))]
        return cls(table[:, 0], table[:, 1], table[:, 2])


@dataclass(frozen=True)
class Pair:
    """Two annotators (first < second) and the items that both rated."""

    first: int
    second: int
    items: int
    agreeing: int
    kappa: Figure


@dataclass(frozen=True)
class Alike:
    """How often the others on the same items chose what one annotator chose, where they chose `category`."""

    annotator: int
    category: int
    others: int
    agreeing: int


def cohen_kappas(ratings: Ratings) -> list[Pair]:
    """Cohen's kappa of every two annotators with an item in common, by annotator."""
    first, second, one, two = rated_together(ratings)
    keys, which = np.unique(np.column_stack((first, second)), axis=0, return_inverse=True)
    which = which.reshape(-1)
    order = np.argsort(which, kind="stable")
    bounds = np.searchsorted(which[order], np.arange(len(keys) + 1))
    return [
        _pair(int(a), int(b), one[order[low:high]], two[order[low:high]])
        for (a, b), low, high in zip(keys, bounds[:-1], bounds[1:], strict=True)
    ]


def alike_by_category(ratings: Ratings) -> list[Alike]:
    """Agreement of every annotator with the others on the same items, by the category they chose."""
    first, second, one, two = rated_together(ratings)
    who = np.concatenate((first, second))
    chose = np.concatenate((one, two))
    same = np.concatenate((one == two, one == two))
    keys, which = np.unique(np.column_stack((who, chose)), axis=0, return_inverse=True)
    others = np.bincount(which.reshape(-1), minlength=len(keys))
    agreeing = np.bincount(which.reshape(-1), weights=same, minlength=len(keys))
    return [
        Alike(int(annotator), int(category), int(n), int(agreed))
        for (annotator, category), n, agreed in zip(keys, others, agreeing, strict=True)
    ]


def rated_together(ratings: Ratings) -> tuple[Ints, Ints, Ints, Ints]:
    """Annotators and categories of every two ratings of one item, the smaller annotator first."""
    columns: list[tuple[Ints, Ints, Ints, Ints]] = []
    step = 1
    while True:
        together = ratings.item[:-step] == ratings.item[step:] if step < len(ratings.item) else np.zeros(0, dtype=bool)
        if not together.any():
            break
        columns.append(
            (
                ratings.annotator[:-step][together],
                ratings.annotator[step:][together],
                ratings.category[:-step][together],
                ratings.category[step:][together],
            )
        )
        step += 1
    if not columns:
        none = np.zeros(0, dtype=np.int64)
        return none, none, none, none
    first, second, one, two = (np.concatenate(column) for column in zip(*columns, strict=True))
    return first, second, one, two


def _pair(first: int, second: int, one: Ints, two: Ints) -> Pair:
    n = len(one)
    agreeing = int((one == two).sum())
    width = int(max(one.max(), two.max())) + 1
    # Whole numbers, so that "expected is 1" is exact: n² times the chance agreement.
    expected = int(np.bincount(one, minlength=width) @ np.bincount(two, minlength=width))
    if expected == n * n:
        return Pair(first, second, n, agreeing, Undefined(Why.ONE_CATEGORY))
    return Pair(first, second, n, agreeing, Measured((agreeing * n - expected) / (n * n - expected)))


# ── Arithmetic over resampled items ───────────────────────────────────────────


def _kappas(spreads: Ints, weights: Floats, k: int) -> Floats:
    """Fleiss' kappa for each row of item weights; NaN where only one category is left."""
    n = weights.sum(axis=1)
    observed = weights @ ((spreads * (spreads - 1)).sum(axis=1) / (k * (k - 1))) / n
    totals = weights @ spreads
    expected = (totals**2).sum(axis=1) / (n * k) ** 2
    return _beyond_chance(1 - observed, 1 - expected, totals)


def _alphas(spreads: Ints, weights: Floats) -> Floats:
    """Nominal alpha for each row of item weights; NaN where only one category is left."""
    sizes = spreads.sum(axis=1)
    totals = weights @ spreads
    n = totals.sum(axis=1)
    agreeing = weights @ ((spreads * (spreads - 1)).sum(axis=1) / (sizes - 1))
    expected = (totals * (totals - 1)).sum(axis=1) / (n * (n - 1))
    return _beyond_chance(1 - agreeing / n, 1 - expected, totals)


def _beyond_chance(observed: Floats, expected: Floats, totals: Floats) -> Floats:
    varied = (totals > 0).sum(axis=1) > 1
    share: Floats = np.divide(observed, expected, out=np.full(len(observed), np.nan), where=varied)
    return 1 - share


def _measured(counted: Tally, figures: Callable[[Floats], Floats]) -> Figure:
    value = float(figures(counted.times[np.newaxis, :].astype(np.float64))[0])
    if np.isnan(value):
        return Undefined(Why.ONE_CATEGORY)
    return Measured(value, _interval(counted, figures))


def _interval(counted: Tally, figures: Callable[[Floats], Floats]) -> Interval | None:
    """The percentile interval; None for a single item, or where most resamples have one category only."""
    n = counted.items
    if n < 2:
        return None
    random = np.random.default_rng(SEED)
    at_once = max(1, _CELLS_AT_ONCE // len(counted.times))
    sizes = [min(at_once, RESAMPLES - done) for done in range(0, RESAMPLES, at_once)]
    drawn = np.concatenate(
        [figures(random.multinomial(n, counted.times / n, size=size).astype(np.float64)) for size in sizes]
    )
    defined = drawn[~np.isnan(drawn)]
    if 2 * len(defined) < RESAMPLES:
        return None
    tail = (1 - COVERAGE) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high))


def _collected(spreads: Ints, times: Ints) -> Tally:
    """Equal spreads put together, in canonical order."""
    if len(spreads) == 0:
        return Tally(spreads, times)
    distinct, which = np.unique(spreads, axis=0, return_inverse=True)
    return Tally(distinct, np.bincount(which.reshape(-1), weights=times).astype(np.int64))
