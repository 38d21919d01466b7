"""Agreement of annotators beyond chance (design section 4, Agreement).

Fleiss (1971), Krippendorff's alpha of categories and of points on a scale (library `krippendorff`), Cohen (1960).
Categories and points are indices 0 … C-1. A figure that cannot be computed is `Undefined` with its reason, never 0, 1
or NaN. Alpha of sets is in `set_agreement`, of passages in `span_agreement`.

Intervals are percentile bootstraps over items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import Literal

import krippendorff
import numpy as np

from annotation.domain.statistics.arrays import Flags, Floats, Ints
from annotation.domain.statistics.counted_rows import CountedRows
from annotation.domain.statistics.figure import Figure, Measured, Undefined, Why
from annotation.domain.statistics.intervals import bootstrap, percentile_interval

RESAMPLES = 1000
_LIBRARY_CELLS = 400_000  # the library builds one matrix per item; above this size, 11 MB, `_alphas` is used alone


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's alpha and what it rests on: the items with at least two ratings, and their ratings."""

    figure: Figure
    items: int
    ratings: int


@dataclass(frozen=True)
class Tally:
    """The distinct counts of ratings by category, and how many items have each.

    `spreads[u, c]` is the number of ratings of category c; `times[u]` the number of items. The order is canonical, so
    equal data give equal figures and intervals to the last bit.
    """

    spreads: Ints
    times: Ints

    @property
    def items(self) -> int:
        return int(self.times.sum())

    @property
    def ratings(self) -> int:
        return int(self.times @ self.spreads.sum(axis=1))

    def merged(self, groups: Sequence[int]) -> Tally:
        """Return the same items with categories merged: category c becomes group `groups[c]`."""
        membership = np.zeros((len(groups), max(groups, default=-1) + 1), dtype=np.int64)
        membership[np.arange(len(groups)), np.array(groups, dtype=np.int64)] = 1
        return _collected(self.spreads @ membership, self.times)

    def with_ratings(self, at_least: int, at_most: int | None = None) -> Tally:
        """Return only the items with `at_least` to `at_most` ratings."""
        sizes = self.spreads.sum(axis=1)
        keep = (sizes >= at_least) & (sizes <= (sizes.max(initial=0) if at_most is None else at_most))
        return Tally(self.spreads[keep], self.times[keep])


def tally(items: Iterable[Sequence[int]], categories: int) -> Tally:
    """Count the items by their ratings; each item is the sequence of its category indices."""
    return tally_of(Counter(tuple(item) for item in items), categories)


def tally_of(counted: Mapping[tuple[int, ...], int], categories: int) -> Tally:
    """Return the tally of items that are counted by their ratings; the order of the ratings does not matter."""
    spreads = np.zeros((len(counted), categories), dtype=np.int64)
    for row, ratings in enumerate(counted):
        np.add.at(spreads[row], list(ratings), 1)
    return _collected(spreads, np.fromiter(counted.values(), dtype=np.int64, count=len(counted)))


def binary(counted: Tally, hateful: Sequence[bool]) -> Tally:
    """Return the same items with every category replaced by hateful (1) or not (0)."""
    both = counted.merged([int(flag) for flag in hateful])
    missing = 2 - both.spreads.shape[1]
    return Tally(np.pad(both.spreads, ((0, 0), (0, missing))), both.times) if missing > 0 else both


def fleiss_kappa(counted: Tally, k: int) -> Figure:
    """Return Fleiss' kappa over the items with exactly k ratings; other items are left out."""
    complete = counted.with_ratings(k, k)
    if complete.items == 0:
        return Undefined(Why.NO_ITEMS)
    if k < 2:
        return Undefined(Why.TOO_FEW_RATINGS)
    return _measured(complete.times, lambda weights: _kappas(complete.spreads, weights, k))


def krippendorff_alpha(counted: Tally) -> Figure:
    """Return Krippendorff's nominal alpha over the items with at least two ratings; missing ratings are allowed."""
    return nominal_alpha(counted).figure


def nominal_alpha(counted: Tally) -> Alpha:
    """Return alpha of categories without an order."""
    return _tallied_alpha(counted, "nominal", _alphas)


def ordinal_alpha(counted: Tally) -> Alpha:
    """Return alpha of the points of a scale, in their order.

    The distance of two points is the number of ratings between them, half of those on the points included, squared.
    """
    return _tallied_alpha(counted, "ordinal", _ordinal_alphas)


def _tallied_alpha(
    counted: Tally, level: Literal["nominal", "ordinal"], alphas: Callable[[Ints, Floats], Floats]
) -> Alpha:
    """Return alpha over the items with at least two ratings, where there is room by the library."""
    pairable = counted.with_ratings(2)
    if pairable.items == 0:
        return Alpha(Undefined(Why.TOO_FEW_RATINGS if counted.items else Why.NO_ITEMS), 0, 0)
    sizes = pairable.spreads.sum(axis=1)
    alpha = alpha_of(pairable.times, sizes, lambda weights: alphas(pairable.spreads, weights))
    match alpha.figure:
        case Measured(_, interval) if pairable.items * pairable.spreads.shape[1] ** 2 <= _LIBRARY_CELLS:
            units = np.repeat(pairable.spreads, pairable.times, axis=0)
            value = float(krippendorff.alpha(value_counts=units, level_of_measurement=level))
            return Alpha(Measured(value, interval), alpha.items, alpha.ratings)
        case _:
            return alpha


def alpha_of(times: Ints, sizes: Ints, alphas: Callable[[Floats], Floats]) -> Alpha:
    """Return alpha with its interval over the distinct items: `times` of each, with `sizes` ratings.

    `alphas` returns alpha for each row of weights of the distinct items, NaN where it is not defined.
    """
    return Alpha(_measured(times, alphas), int(times.sum()), int(times @ sizes))


def kappa_of_category(counted: Tally, k: int, has: Sequence[bool]) -> Figure:
    """Return Fleiss' kappa of one category against all others, over the items with exactly k ratings.

    `has` says of every rating whether it names the category: only itself does, or every set that holds it.
    """
    return fleiss_kappa(counted.merged([int(flag) for flag in has]), k)


# ── Pairs of annotators ───────────────────────────────────────────────────────


@dataclass(frozen=True)
class Ratings:
    """Single ratings as parallel columns: item, annotator and category; at most one rating per item and person."""

    item: Ints
    annotator: Ints
    category: Ints

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, int]]) -> Ratings:
        """Return the ratings of rows of item, annotator and category."""
        table = np.fromiter(chain.from_iterable(rows), dtype=np.int64).reshape(-1, 3)
        return cls.of_columns(table[:, 0], table[:, 1], table[:, 2])

    @classmethod
    def of_columns(cls, item: Ints, annotator: Ints, category: Ints) -> Ratings:
        """Return the ratings of three columns of any kind of whole numbers; the kinds are kept."""
        order = np.lexsort((annotator, item))
        return cls(item[order], annotator[order], category[order])


@dataclass(frozen=True)
class Pair:
    """Two annotators (first < second) and the items that both rated."""

    first: int
    second: int
    items: int
    agreeing: int
    chance: float
    """The agreement expected by chance, 0 to 1."""
    kappa: Figure


@dataclass(frozen=True)
class Alike:
    """How often other annotators of the same items chose the same category as one annotator who chose `category`."""

    annotator: int
    category: int
    others: int
    agreeing: int


def cohen_kappas(together: Together, at_least: int = 1) -> list[Pair]:
    """Return Cohen's kappa of every two annotators with `at_least` items in common, by annotator."""
    keys, pair_index = np.unique(np.column_stack((together.first, together.second)), axis=0, return_inverse=True)
    pair_index = pair_index.reshape(-1)
    order = np.argsort(pair_index, kind="stable")
    bounds = np.searchsorted(pair_index[order], np.arange(len(keys) + 1))
    rows = zip(keys, bounds[:-1], bounds[1:], strict=True)
    counted = ((a, b, together.at(order[low:high])) for (a, b), low, high in rows)
    return [_pair(int(a), int(b), own) for a, b, own in counted if own.times.sum() >= at_least]


def alike_by_category(together: Together) -> list[Alike]:
    """Return the agreement of every annotator with the others on the same items, by the chosen category."""
    annotators = np.concatenate((together.first, together.second))
    categories = np.concatenate((together.first_category, together.second_category))
    times = np.concatenate((together.times, together.times))
    same = times * np.tile(together.first_category == together.second_category, 2)
    keys, index = np.unique(np.column_stack((annotators, categories)), axis=0, return_inverse=True)
    others = np.bincount(index.reshape(-1), weights=times, minlength=len(keys))
    agreeing = np.bincount(index.reshape(-1), weights=same, minlength=len(keys))
    return [
        Alike(int(annotator), int(category), int(n), int(agreed))
        for (annotator, category), n, agreed in zip(keys, others, agreeing, strict=True)
    ]


def alike_in_naming(together: Together, members: Flags) -> list[Alike]:
    """Return how often the others on the same items name a category too that an annotator named, by both.

    `members` says which categories (columns) each rating (row) names.
    """
    annotators = np.concatenate((together.first, together.second))
    own = np.concatenate((together.first_category, together.second_category))
    other = np.concatenate((together.second_category, together.first_category))
    times = np.concatenate((together.times, together.times))
    figures = []
    for category in range(members.shape[1]):
        named = members[own, category]
        keys, index = np.unique(annotators[named], return_inverse=True)
        others = np.bincount(index, weights=times[named], minlength=len(keys))
        agreeing = np.bincount(index, weights=times[named] * members[other[named], category], minlength=len(keys))
        figures += [
            Alike(int(who), category, int(n), int(same)) for who, n, same in zip(keys, others, agreeing, strict=True)
        ]
    return figures


@dataclass(frozen=True)
class Together:
    """Every two ratings of one item, counted: two annotators, the smaller first, their categories, and how often."""

    first: Ints
    second: Ints
    first_category: Ints
    second_category: Ints
    times: Ints

    def at(self, rows: Ints) -> Together:
        """Return these rows alone."""
        return Together(*(getattr(self, column.name)[rows] for column in fields(self)))


class RatedTogether:
    """Every two ratings of one item, counted while ratings come in blocks; no item may be in two blocks.

    Memory goes with pairs of people, not with items.
    """

    def __init__(self) -> None:
        self._rows = CountedRows(4)

    def add(self, ratings: Ratings) -> None:
        """Count the ratings of a block."""
        step = 1
        while (same := ratings.item[:-step] == ratings.item[step:]).any():
            people, categories = ratings.annotator, ratings.category
            columns = (people[:-step], people[step:], categories[:-step], categories[step:])
            self._rows.add(*(column[same] for column in columns))
            step += 1

    def counted(self) -> Together:
        """Return what was counted."""
        (first, second, first_category, second_category), times = self._rows.counted()
        return Together(first, second, first_category, second_category, times)


def rated_together(ratings: Ratings) -> Together:
    """Count every two ratings of one item."""
    together = RatedTogether()
    together.add(ratings)
    return together.counted()


def _pair(first: int, second: int, together: Together) -> Pair:
    n = int(together.times.sum())
    agreeing = int(together.times[together.first_category == together.second_category].sum())
    width = int(max(together.first_category.max(), together.second_category.max())) + 1
    margins = (
        np.bincount(column, weights=together.times, minlength=width).astype(np.int64)
        for column in (together.first_category, together.second_category)
    )
    # Whole numbers, so that "expected is 1" is exact: n² times the chance agreement.
    expected = int(np.dot(*margins))
    if expected == n * n:
        return Pair(first, second, n, agreeing, 1.0, Undefined(Why.ONE_CATEGORY))
    return Pair(first, second, n, agreeing, expected / n**2, Measured((agreeing * n - expected) / (n * n - expected)))


# ── Arithmetic over resampled items ───────────────────────────────────────────


def _kappas(spreads: Ints, weights: Floats, k: int) -> Floats:
    """Return Fleiss' kappa for each row of item weights; NaN if a row has only one category."""
    n = weights.sum(axis=1)
    observed = weights @ ((spreads * (spreads - 1)).sum(axis=1) / (k * (k - 1))) / n
    totals = weights @ spreads
    expected = (totals**2).sum(axis=1) / (n * k) ** 2
    return _beyond_chance(1 - observed, 1 - expected, totals)


def _alphas(spreads: Ints, weights: Floats) -> Floats:
    """Return nominal alpha for each row of item weights; NaN if a row has only one category."""
    sizes = spreads.sum(axis=1)
    totals = weights @ spreads
    n = totals.sum(axis=1)
    agreeing = weights @ ((spreads * (spreads - 1)).sum(axis=1) / (sizes - 1))
    expected = (totals * (totals - 1)).sum(axis=1) / (n * (n - 1))
    return _beyond_chance(1 - agreeing / n, 1 - expected, totals)


def _ordinal_alphas(spreads: Ints, weights: Floats) -> Floats:
    """Return ordinal alpha for each row of item weights; NaN if a row has only one point.

    With m(c) the ratings below point c plus half of those on it, the distance of c and k is (m(c) - m(k))². So the
    disagreements follow from the sums of m and m² over the ratings of an item, and over all ratings.
    """
    sizes = spreads.sum(axis=1)
    totals = weights @ spreads
    n = totals.sum(axis=1)
    middles = np.cumsum(totals, axis=1) - totals / 2
    middles = (middles - (n / 2)[:, np.newaxis]) / n[:, np.newaxis]  # alpha does not change; the sums stay small
    pairs = spreads[:, :, np.newaxis] * spreads[:, np.newaxis, :] / (sizes - 1)[:, np.newaxis, np.newaxis]
    coincidences = np.tensordot(weights, pairs, axes=1)
    together = np.einsum("rc,rk,rck->r", middles, middles, coincidences)
    alone = ((weights @ (spreads * (sizes / (sizes - 1))[:, np.newaxis])) * middles**2).sum(axis=1)
    expected = (n * (totals * middles**2).sum(axis=1) - (totals * middles).sum(axis=1) ** 2) / (n - 1)
    return _beyond_chance(alone - together, expected, totals)


def _beyond_chance(observed: Floats, expected: Floats, totals: Floats) -> Floats:
    varied = (totals > 0).sum(axis=1) > 1
    share: Floats = np.divide(observed, expected, out=np.full(len(observed), np.nan), where=varied)
    return 1 - share


def _measured(times: Ints, figures: Callable[[Floats], Floats]) -> Figure:
    value = float(figures(times[np.newaxis, :].astype(np.float64))[0])
    if np.isnan(value):
        return Undefined(Why.ONE_CATEGORY)
    if times.sum() < 2:
        return Measured(value)
    return Measured(value, percentile_interval(bootstrap(times, figures, RESAMPLES)))


def _collected(spreads: Ints, times: Ints) -> Tally:
    """Return the tally with equal counts merged, in canonical order."""
    if len(spreads) == 0:
        return Tally(spreads, times)
    distinct, index = np.unique(spreads, axis=0, return_inverse=True)
    return Tally(distinct, np.bincount(index.reshape(-1), weights=times).astype(np.int64))
