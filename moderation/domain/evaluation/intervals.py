"""Percentile bootstrap over items with a fixed seed: the same answers give exactly the same interval.

Items with the same answers are interchangeable, so a resample is one multinomial draw over the distinct ones.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from moderation.domain.evaluation.classification import Floats, f1s_of, macro_f1s

RESAMPLES = 2000
SEED = 20_240_601
COVERAGE = 0.95
_BLOCK = 100

Pairs = Sequence[tuple[int, int]]
"""(truth, said) of one item, one pair for each repeat that answered it."""


@dataclass(frozen=True)
class Interval:
    """The bounds that contain 95 % of the resamples."""

    low: float
    high: float

    def as_json(self) -> list[float]:
        return [self.low, self.high]


@dataclass(frozen=True)
class Intervals:
    """The intervals of the figures of a table; None if there is no such figure, or fewer than two items."""

    accuracy: Interval | None
    macro_f1: Interval | None
    f1: Interval | None


def intervals(items: Sequence[Pairs], hateful: int | None = None) -> Intervals:
    """Resample the items with all their repeats. Return the intervals.

    In the binary task, `hateful` is the class whose F1 is computed.
    """
    answered = [tuple(pairs) for pairs in items if pairs]
    if len(answered) < 2:
        return Intervals(None, None, None)
    distinct = Counter(answered)
    labels = sorted({label for pairs in distinct for pair in pairs for label in pair})
    cells = confusion_cells(list(distinct), labels)
    weights = np.array(list(distinct.values()), dtype=np.float64)
    random = np.random.default_rng(SEED)
    drawn = random.multinomial(len(answered), weights / weights.sum(), size=RESAMPLES).astype(np.float64)
    matrices = (drawn @ cells).reshape(RESAMPLES, len(labels), len(labels))
    return Intervals(
        quantiles(accuracies(matrices)),
        quantiles(macro_f1s(matrices)),
        quantiles(f1s_of(matrices, labels.index(hateful))) if hateful in labels else None,
    )


def mean_interval(items: Sequence[Sequence[float]]) -> Interval | None:
    """Return the interval of the mean over all values. Items are resampled with all their repeats.

    Returns None for fewer than two items.
    """
    distinct = Counter((sum(values), len(values)) for values in items if values)
    count = distinct.total()
    if count < 2:
        return None
    sums, lengths = (np.array(column, dtype=np.float64) for column in zip(*distinct, strict=True))
    weights = np.array(list(distinct.values()), dtype=np.float64)
    random = np.random.default_rng(SEED)
    means = np.empty(RESAMPLES)
    for start in range(0, RESAMPLES, _BLOCK):  # in blocks to save memory: all items may be distinct
        drawn = random.multinomial(count, weights / weights.sum(), size=_BLOCK).astype(np.float64)
        means[start : start + _BLOCK] = (drawn @ sums) / (drawn @ lengths)
    tail = (1 - COVERAGE) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))


def confusion_cells(distinct: Sequence[Pairs], labels: Sequence[int]) -> Floats:
    """Return one row for each item: its confusion matrix, flattened."""
    place = {label: at for at, label in enumerate(labels)}
    cells = np.zeros((len(distinct), len(labels) ** 2))
    for row, pairs in enumerate(distinct):
        for truth, said in pairs:
            cells[row, place[truth] * len(labels) + place[said]] += 1
    return cells


def accuracies(matrices: Floats) -> Floats:
    """Return the accuracy of n confusion matrices (n × classes × classes)."""
    shares: Floats = np.einsum("nii->n", matrices) / matrices.sum(axis=(1, 2))
    return shares


def quantiles(values: Floats) -> Interval | None:
    """Return the interval that contains 95 % of the resampled values.

    Returns None if more than half of them are undefined.
    """
    values = values[~np.isnan(values)]
    if 2 * len(values) < RESAMPLES:
        return None
    tail = (1 - COVERAGE) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return Interval(float(low), float(high))
