"""Percentile bootstrap over items, seeded: the same answers give the same interval to the last bit.

Items with the same answers are interchangeable, so a resample is one multinomial draw over the distinct ones.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from moderation.domain.evaluation.classification import Floats, f1s_of, macro_f1s

RESAMPLES = 2000
SEED = 20_240_601
COVERAGE = 0.95
_BLOCK = 100

Pairs = Sequence[tuple[int, int]]
"""(truth, said) of one item, once for every repeat that answered it."""


@dataclass(frozen=True)
class Interval:
    """Where 95 % of the resamples lie."""

    low: float
    high: float

    def as_json(self) -> list[float]:
        return [self.low, self.high]


@dataclass(frozen=True)
class Intervals:
    """Of the figures that a table prints; None where there is no such figure or fewer than two items."""

    accuracy: Interval | None
    macro_f1: Interval | None
    f1: Interval | None


def intervals(items: Sequence[Pairs], hateful: int | None = None) -> Intervals:
    """Resample the items with all their repeats; `hateful` is the class whose F1 is wanted, in the binary task."""
    kept = [tuple(pairs) for pairs in items if pairs]
    if len(kept) < 2:
        return Intervals(None, None, None)
    distinct = Counter(kept)
    labels = sorted({label for pairs in distinct for pair in pairs for label in pair})
    cells = _cells(list(distinct), labels)
    weights = np.array(list(distinct.values()), dtype=np.float64)
    random = np.random.default_rng(SEED)
    drawn = random.multinomial(len(kept), weights / weights.sum(), size=RESAMPLES).astype(np.float64)
    matrices = (drawn @ cells).reshape(RESAMPLES, len(labels), len(labels))
    return Intervals(
        _interval(matrices, _accuracies),
        _interval(matrices, macro_f1s),
        _interval(matrices, lambda many: f1s_of(many, labels.index(hateful))) if hateful in labels else None,
    )


def mean_interval(items: Sequence[Sequence[float]]) -> Interval | None:
    """Of the mean over all values, items resampled with all their repeats; None for fewer than two items."""
    distinct = Counter((sum(values), len(values)) for values in items if values)
    count = distinct.total()
    if count < 2:
        return None
    sums, lengths = (np.array(column, dtype=np.float64) for column in zip(*distinct, strict=True))
    weights = np.array(list(distinct.values()), dtype=np.float64)
    random = np.random.default_rng(SEED)
    means = np.empty(RESAMPLES)
    for start in range(0, RESAMPLES, _BLOCK):  # in blocks: every item may be its own kind
        drawn = random.multinomial(count, weights / weights.sum(), size=_BLOCK).astype(np.float64)
        means[start : start + _BLOCK] = (drawn @ sums) / (drawn @ lengths)
    tail = (1 - COVERAGE) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))


def _cells(distinct: Sequence[Pairs], labels: Sequence[int]) -> Floats:
    place = {label: at for at, label in enumerate(labels)}
    cells = np.zeros((len(distinct), len(labels) ** 2))
    for row, pairs in enumerate(distinct):
        for truth, said in pairs:
            cells[row, place[truth] * len(labels) + place[said]] += 1
    return cells


def _accuracies(matrices: Floats) -> Floats:
    found: Floats = np.einsum("nii->n", matrices) / matrices.sum(axis=(1, 2))
    return found


def _interval(matrices: Floats, figures: Callable[[Floats], Floats]) -> Interval | None:
    found = figures(matrices)
    found = found[~np.isnan(found)]
    if 2 * len(found) < RESAMPLES:
        return None
    tail = (1 - COVERAGE) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    return Interval(float(low), float(high))
