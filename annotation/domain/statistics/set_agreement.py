"""Krippendorff's alpha of set-valued answers (several of a list), with the MASI distance of Passonneau (2006).

The distance of two sets is 1 - J x M: J is their Jaccard index; M is 1 for equal sets, 2/3 where one contains the
other, 1/3 where they overlap otherwise, 0 where they share nothing. Two empty sets are equal. As in Passonneau's use of
alpha the distance itself is the disagreement; it is not squared.

Different sets may be as many as items. So nothing here is a matrix of items by sets: disagreements are summed over
pairs of answers, and the sets are counted per resample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from annotation.domain.statistics.agreement import Alpha, alpha_of
from annotation.domain.statistics.arrays import Flags, Floats
from annotation.domain.statistics.figure import Undefined, Why

Chosen = tuple[str, ...]
"""The codes of the options that one person chose, sorted."""
_ROWS_AT_ONCE = 512  # rows of the matrix of distances that are held in memory


def set_alpha(counted: Mapping[tuple[Chosen, ...], int]) -> Alpha:
    """Return alpha over the items with at least two answers; `counted` has the items by their answers."""
    pairable = sorted((answers, times) for answers, times in counted.items() if len(answers) > 1)
    if not pairable:
        return Alpha(Undefined(Why.TOO_FEW_RATINGS if counted else Why.NO_ITEMS), 0, 0)
    sets = sorted({chosen for answers, _times in pairable for chosen in answers})
    place = {chosen: number for number, chosen in enumerate(sets)}
    members = _members(sets)
    answers = [[place[chosen] for chosen in item] for item, _times in pairable]
    observed = _disagreements(answers, members)
    flat = np.array([number for item in answers for number in item], dtype=np.int64)
    item_of = np.repeat(np.arange(len(answers)), [len(item) for item in answers])

    def alphas(weights: Floats) -> Floats:
        totals: Floats = np.stack([np.bincount(flat, row[item_of], len(sets)) for row in weights]).astype(np.float64)
        n = totals.sum(axis=1)
        expected = _expected(totals, members) / (n - 1)
        share: Floats = np.divide(weights @ observed, expected, out=np.full(len(n), np.nan), where=expected > 0)
        return 1 - share

    times = np.array([times for _answers, times in pairable], dtype=np.int64)
    sizes = np.array([len(item) for item in answers], dtype=np.int64)
    return alpha_of(times, sizes, alphas)


def _members(sets: Sequence[Chosen]) -> Flags:
    """Return a row for each set and a column for each option: whether the set has it."""
    options = sorted({option for chosen in sets for option in chosen})
    column = {option: number for number, option in enumerate(options)}
    members = np.zeros((len(sets), len(options)), dtype=np.bool_)
    for row, chosen in enumerate(sets):
        members[row, [column[option] for option in chosen]] = True
    return members


def _distances(first: Flags, second: Flags) -> Floats:
    """Return the distance of every two rows that stand side by side (shapes are broadcast)."""
    both = (first & second).sum(axis=-1)
    either = (first | second).sum(axis=-1)
    inside = (both == first.sum(axis=-1)) | (both == second.sum(axis=-1))
    weight = np.where(both == either, 3, np.where(inside, 2, 1))
    distances: Floats = np.where(either == 0, 0.0, 1 - both * weight / (3.0 * np.maximum(either, 1)))
    return distances


def _disagreements(answers: Sequence[Sequence[int]], members: Flags) -> Floats:
    """Return the observed disagreement of each item: over its ordered pairs, each weighted by 1 / (answers - 1)."""
    pairs = [(item, a, b) for item, numbers in enumerate(answers) for a, b in combinations(numbers, 2) if a != b]
    item, first, second = np.array(pairs, dtype=np.int64).reshape(-1, 3).T
    distances = _distances(members[first], members[second])
    sizes = np.array([len(numbers) for numbers in answers])
    summed: Floats = 2 * np.bincount(item, weights=distances, minlength=len(answers)) / (sizes - 1)
    return summed


def _expected(totals: Floats, members: Flags) -> Floats:
    """Return the disagreement of all pairs of answers, per resample; an answer with itself disagrees in nothing."""
    summed: Floats = np.zeros(len(totals))
    for low in range(0, len(members), _ROWS_AT_ONCE):
        block = slice(low, low + _ROWS_AT_ONCE)
        distances = _distances(members[block, np.newaxis, :], members[np.newaxis, :, :])
        summed += ((totals[:, block] @ distances) * totals).sum(axis=1)
    return summed
