"""Precision, recall and F1 from a confusion matrix, computed as scikit-learn does (`zero_division=0`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.domain.statistics.arrays import Floats, Ints


@dataclass(frozen=True)
class Confusion:
    """A confusion matrix: how often the class of row t was answered as the class of column s; `labels` names both."""

    labels: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, truth: Sequence[int], predicted: Sequence[int], labels: Sequence[int] = ()) -> Confusion:
        """Count the pairs over `labels`; without them, over the labels that occur as truth or answer."""
        present = tuple(labels) or tuple(sorted({*truth, *predicted}))
        place = {label: number for number, label in enumerate(present)}
        counts = np.zeros((len(present), len(present)), dtype=np.int64)
        for true_label, predicted_label in zip(truth, predicted, strict=True):
            counts[place[true_label], place[predicted_label]] += 1
        return cls(present, tuple(tuple(int(count) for count in row) for row in counts))

    @property
    def matrix(self) -> Ints:
        """The counts as an array, classes × classes."""
        return np.array(self.counts, dtype=np.int64).reshape(len(self.labels), len(self.labels))


@dataclass(frozen=True)
class ClassFigures:
    """The figures of one class; `support` is the number of items whose truth it is."""

    precision: float
    recall: float
    f1: float
    support: int


def class_figures(confusion: Confusion) -> dict[int, ClassFigures]:
    """Return the figures of every class of the matrix; a division by zero gives 0."""
    precision, recall, f1 = _rates(confusion.matrix[np.newaxis].astype(np.float64))
    support = confusion.matrix.sum(axis=1)
    return {
        label: ClassFigures(float(precision[0, at]), float(recall[0, at]), float(f1[0, at]), int(support[at]))
        for at, label in enumerate(confusion.labels)
    }


@dataclass(frozen=True)
class Averages:
    """Means over the classes: `macro` is unweighted, `weighted` is weighted by the support of each class."""

    precision: float
    recall: float
    macro_f1: float
    weighted_f1: float


def averages(confusion: Confusion) -> Averages | None:
    """Return the means over the classes that occur as truth or answer.

    Returns None if nothing was answered.
    """
    figures = _occurring(confusion)
    if not figures:
        return None
    support = sum(figure.support for figure in figures)
    count = len(figures)
    return Averages(
        precision=sum(figure.precision for figure in figures) / count,
        recall=sum(figure.recall for figure in figures) / count,
        macro_f1=sum(figure.f1 for figure in figures) / count,
        weighted_f1=sum(figure.f1 * figure.support for figure in figures) / support if support else 0.0,
    )


def _occurring(confusion: Confusion) -> list[ClassFigures]:
    seen = confusion.matrix.sum(axis=0) + confusion.matrix.sum(axis=1)
    return [figure for figure, count in zip(class_figures(confusion).values(), seen, strict=True) if count]


def macro_f1s(matrices: Floats) -> Floats:
    """Return the macro F1 of n confusion matrices (n × classes × classes), each over the classes that occur in it."""
    _, _, f1 = _rates(matrices)
    seen = (matrices.sum(axis=1) + matrices.sum(axis=2)) > 0
    occurring = seen.sum(axis=1)
    scores: Floats = np.divide(
        (f1 * seen).sum(axis=1), occurring, out=np.full(len(matrices), np.nan), where=occurring > 0
    )
    return scores


def f1s_of(matrices: Floats, at: int) -> Floats:
    """Return the F1 of the class with index `at` in n confusion matrices (n × classes × classes)."""
    _, _, f1 = _rates(matrices)
    scores: Floats = f1[:, at]
    return scores


def _rates(matrices: Floats) -> tuple[Floats, Floats, Floats]:
    hits = np.einsum("nii->ni", matrices)
    answered, true = matrices.sum(axis=1), matrices.sum(axis=2)
    precision, recall = _over(hits, answered), _over(hits, true)
    return precision, recall, _over(2 * hits, answered + true)


def _over(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
