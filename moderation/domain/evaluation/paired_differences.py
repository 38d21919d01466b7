"""The difference of two methods on the same items, with a percentile bootstrap over items.

A resample draws items; both methods keep their answers to a drawn item, so what makes an item hard for both cancels.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.domain.statistics.arrays import Floats
from annotation.domain.statistics.intervals import Interval, bootstrap, percentile_interval
from moderation.domain.evaluation.classification import macro_f1s
from moderation.domain.evaluation.intervals import RESAMPLES, Pairs, accuracies, confusion_cells


@dataclass(frozen=True)
class Difference:
    """A figure of the first method minus the same figure of the second; no interval for fewer than two items."""

    value: float
    interval: Interval | None

    def as_json(self) -> dict[str, Any]:
        return {"value": self.value, "interval": self.interval.as_json() if self.interval else None}


@dataclass(frozen=True)
class PairedDifferences:
    """The differences of two methods on the items that both answered."""

    items: int
    accuracy: Difference
    macro_f1: Difference

    def as_json(self) -> dict[str, Any]:
        return {"items": self.items, "accuracy": self.accuracy.as_json(), "macro_f1": self.macro_f1.as_json()}


def paired_differences(first: Sequence[Pairs], second: Sequence[Pairs]) -> PairedDifferences | None:
    """Compare two methods item by item; each item has (truth, predicted) of every repeat that answered it.

    Items that one of the methods did not answer are left out.

    Returns None if no item is left.
    Raises ValueError if the sequences differ in length.
    """
    both = [(tuple(one), tuple(other)) for one, other in zip(first, second, strict=True) if one and other]
    if not both:
        return None
    distinct = Counter(both)
    labels = sorted({label for row in distinct for pairs in row for pair in pairs for label in pair})
    cells = [confusion_cells([row[side] for row in distinct], labels) for side in (0, 1)]
    counts = np.array([*distinct.values()])
    (accuracy,), (macro_f1,) = _minus(counts[np.newaxis].astype(np.float64), cells, len(labels))
    resampled = bootstrap(counts, lambda weights: _minus(weights, cells, len(labels)), RESAMPLES)
    return PairedDifferences(
        len(both),
        Difference(float(accuracy), percentile_interval(resampled[0]) if len(both) > 1 else None),
        Difference(float(macro_f1), percentile_interval(resampled[1]) if len(both) > 1 else None),
    )


def _minus(weights: Floats, cells: Sequence[Floats], classes: int) -> Floats:
    """Return the difference of accuracy and of macro F1 for every row of weights."""
    first, second = ((weights @ side).reshape(len(weights), classes, classes) for side in cells)
    return np.stack([accuracies(first) - accuracies(second), macro_f1s(first) - macro_f1s(second)])
