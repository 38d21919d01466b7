"""Confidence intervals that several figures use: Wilson's, Student's, and the percentile bootstrap.

The bootstrap resamples items. Items with the same answers are interchangeable, so a resample is one multinomial draw
over the distinct ones: the cost does not grow with the number of items. Where nearly every item has its own answers
(passages of a text), the items are drawn one by one, which is then faster. The seed is fixed: the same answers give
exactly the same interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import atan, cos, pi, sin, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from annotation.domain.statistics.arrays import Floats

if TYPE_CHECKING:
    import numpy.typing as npt

SEED = 20_240_601
COVERAGE = 0.95
Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution, for two-sided 95 % intervals."""
_CELLS_AT_ONCE = 2_000_000  # resample weights held in memory: 16 MB
_NEARLY_NORMAL = 1000
_MANY_DISTINCT = 5000  # distinct answers from which items are drawn one by one


@dataclass(frozen=True)
class Interval:
    """The bounds of a 95 % interval."""

    low: float
    high: float

    def as_json(self) -> list[float]:
        return [self.low, self.high]


def wilson_interval(share: float, count: float, quantile: float = Z95) -> Interval:
    """Return the interval of a share of `count` > 0 answers (Wilson 1927); it stays within 0 … 1.

    `quantile` is that of the normal distribution, or of Student's t if answers are few.
    """
    squared = quantile * quantile
    widened = 1 + squared / count
    middle = (share + squared / (2 * count)) / widened
    reach = quantile * sqrt(share * (1 - share) / count + squared / (4 * count * count)) / widened
    return Interval(max(0.0, min(share, middle - reach)), min(1.0, max(share, middle + reach)))


@lru_cache(maxsize=256)
def student_quantile(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's t; more than 1,000 degrees of freedom count as 1,000.

    Found by halving: the share within ± t is exact for whole degrees (Abramowitz & Stegun, 26.7.3 and 26.7.4).
    """
    low, high = Z95, 13.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if _share_within(middle, min(degrees, _NEARLY_NORMAL)) < COVERAGE else (low, middle)
    return high


def _share_within(t: float, degrees: int) -> float:
    """Return the probability that Student's t lies between -t and t."""
    angle, odd = atan(t / sqrt(degrees)), degrees % 2
    term = cos(angle) if odd else 1.0
    total = 0.0
    for power in range(odd, degrees - 1, 2):
        total += term
        term *= (power + 1) / (power + 2) * cos(angle) ** 2
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total


def bootstrap(items: npt.NDArray[Any], figures: Callable[[Floats], Floats], resamples: int) -> Floats:
    """Return the figures of every resample; `items` counts the items with each distinct answer.

    `figures` gets weights (resamples × distinct answers) and returns one figure a row, or several such lists.
    """
    random, n = np.random.default_rng(SEED), int(items.sum())
    at_once = max(1, _CELLS_AT_ONCE // len(items))
    sizes = [min(at_once, resamples - done) for done in range(0, resamples, at_once)]
    draw = _drawn_items if len(items) > _MANY_DISTINCT else _drawn_counts
    return np.concatenate([figures(draw(random, items, n, size)) for size in sizes], axis=-1)


def _drawn_counts(random: np.random.Generator, items: npt.NDArray[Any], n: int, size: int) -> Floats:
    return random.multinomial(n, items / n, size=size).astype(np.float64)


def _drawn_items(random: np.random.Generator, items: npt.NDArray[Any], n: int, size: int) -> Floats:
    answer_of = np.repeat(np.arange(len(items)), items)
    draws = (answer_of[random.integers(0, n, size=n)] for _resample in range(size))
    return np.stack([np.bincount(draw, minlength=len(items)) for draw in draws]).astype(np.float64)


def percentile_interval(drawn: Floats) -> Interval | None:
    """Return the interval that contains 95 % of the resampled figures. Returns None if more than half are undefined."""
    defined = drawn[~np.isnan(drawn)]
    if 2 * len(defined) < len(drawn):
        return None
    tail = (1 - COVERAGE) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high))
