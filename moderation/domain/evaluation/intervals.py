"""Intervals of an evaluation's figures, by a bootstrap over items with all their repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.domain.statistics.arrays import Floats
from annotation.domain.statistics.intervals import Interval, bootstrap, percentile_interval
from moderation.domain.evaluation.classification import f1s_of, macro_f1s

RESAMPLES = 2000

Pairs = Sequence[tuple[int, int]]
"""(truth, predicted) of one item, one pair for each repeat that answered it."""


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

    def figures(weights: Floats) -> Floats:
        matrices = (weights @ cells).reshape(len(weights), len(labels), len(labels))
        f1s = [f1s_of(matrices, labels.index(hateful))] if hateful in labels else []
        return np.stack([accuracies(matrices), macro_f1s(matrices), *f1s])

    accuracy, macro_f1, *f1 = map(percentile_interval, bootstrap(np.array([*distinct.values()]), figures, RESAMPLES))
    return Intervals(accuracy, macro_f1, f1[0] if f1 else None)


def mean_interval(items: Sequence[Sequence[float]]) -> Interval | None:
    """Return the interval of the mean over all values. Items are resampled with all their repeats.

    Returns None for fewer than two items.
    """
    distinct = Counter((sum(values), len(values)) for values in items if values)
    if distinct.total() < 2:
        return None
    sums, lengths = (np.array(column, dtype=np.float64) for column in zip(*distinct, strict=True))
    counts = np.array([*distinct.values()])
    return percentile_interval(bootstrap(counts, lambda weights: (weights @ sums) / (weights @ lengths), RESAMPLES))


def confusion_cells(distinct: Sequence[Pairs], labels: Sequence[int]) -> Floats:
    """Return one row for each item: its confusion matrix, flattened."""
    place = {label: at for at, label in enumerate(labels)}
    cells = np.zeros((len(distinct), len(labels) ** 2))
    for row, pairs in enumerate(distinct):
        for truth, predicted in pairs:
            cells[row, place[truth] * len(labels) + place[predicted]] += 1
    return cells


def accuracies(matrices: Floats) -> Floats:
    """Return the accuracy of n confusion matrices (n × classes × classes)."""
    shares: Floats = np.einsum("nii->n", matrices) / matrices.sum(axis=(1, 2))
    return shares
