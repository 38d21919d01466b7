"""Spearman's rank correlation of two figures of the same items, with a percentile bootstrap over the items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from annotation.domain.statistics.arrays import Floats, Ints
from annotation.domain.statistics.figure import Figure, Measured, Undefined, Why
from annotation.domain.statistics.intervals import bootstrap, percentile_interval

if TYPE_CHECKING:
    import numpy.typing as npt

_RESAMPLES = 2000
FEWEST = 10
"""The fewest items that have a rank correlation."""


def spearman(pairs: Sequence[tuple[float, float]]) -> Figure:
    """Return Spearman's ρ, -1 to 1: Pearson's correlation of the ranks, where ties share their mean rank.

    Spearman 1904; for ties Kendall & Gibbons 1990, section 3.8. Undefined for fewer than `FEWEST` items, or if one of
    the figures is the same on all of them.
    """
    if len(pairs) < FEWEST:
        return Undefined(Why.TOO_FEW_ITEMS)
    distinct = Counter(pairs)
    first, second = (_levels(values) for values in zip(*distinct, strict=True))
    counts = np.array([*distinct.values()])
    (rho,) = _rhos(counts[np.newaxis].astype(np.float64), first, second)
    if np.isnan(rho):
        return Undefined(Why.ONE_VALUE)
    interval = percentile_interval(bootstrap(counts, lambda weights: _rhos(weights, first, second), _RESAMPLES))
    return Measured(float(rho), interval, None if interval else Why.ONE_VALUE)


def _levels(values: Sequence[float]) -> Ints:
    """Return the number of each value among the different ones, smallest first."""
    levels: npt.NDArray[np.int64] = np.unique(np.array(values), return_inverse=True)[1]
    return levels


def _rhos(weights: Floats, first: Ints, second: Ints) -> Floats:
    """Return ρ for every row of weights (resamples × distinct pairs); NaN if all ranks of a figure are the same."""
    middle = (weights.sum(axis=1, keepdims=True) + 1) / 2
    x, y = (_mid_ranks(weights, levels) - middle for levels in (first, second))
    spread = np.sqrt((weights * x * x).sum(axis=1) * (weights * y * y).sum(axis=1))
    with np.errstate(invalid="ignore"):  # 0 / 0: no spread
        rhos: Floats = (weights * x * y).sum(axis=1) / spread
    return rhos


def _mid_ranks(weights: Floats, levels: Ints) -> Floats:
    """Return the mean rank of each pair's value, where a pair stands for as many items as its weight."""
    at_level = weights @ np.eye(int(levels.max()) + 1)[levels]
    ranks: Floats = (np.cumsum(at_level, axis=1) - at_level + (at_level + 1) / 2)[:, levels]
    return ranks
