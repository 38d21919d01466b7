"""Precision, recall and F1 out of a confusion matrix, as scikit-learn counts them (`zero_division=0`)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Confusion:
    """How often the class of row t was answered as the class of column s; `labels` names both."""

    labels: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, truth: Sequence[int], said: Sequence[int], labels: Sequence[int] = ()) -> "Confusion":
        """Over `labels`, or over those that occur on either side."""
        present = tuple(labels) or tuple(sorted({*truth, *said}))
        place = {label: number for number, label in enumerate(present)}
        counts = np.zeros((len(present), len(present)), dtype=np.int64)
        for one, other in zip(truth, said, strict=True):
            counts[place[one], place[other]] += 1
        return cls(present, tuple(tuple(int(each) for each in row) for row in counts))

    @property
    def matrix(self) -> Ints:
        """The counts as an array, classes × classes."""
        return np.array(self.counts, dtype=np.int64).reshape(len(self.labels), len(self.labels))


@dataclass(frozen=True)
class ClassFigures:
    """The figures of one class; `support` is how often it is the truth."""

    precision: float
    recall: float
    f1: float
    support: int


def class_figures(confusion: Confusion) -> dict[int, ClassFigures]:
    """Return the figures of every class of the matrix; what would divide by nothing is 0."""
    precision, recall, f1 = _rates(confusion.matrix[np.newaxis].astype(np.float64))
    support = confusion.matrix.sum(axis=1)
    return {
        label: ClassFigures(float(precision[0, at]), float(recall[0, at]), float(f1[0, at]), int(support[at]))
        for at, label in enumerate(confusion.labels)
    }


@dataclass(frozen=True)
class Averages:
    """Means over the classes: `macro` unweighted, `weighted` by how often each is the truth."""

    precision: float
    recall: float
    macro_f1: float
    weighted_f1: float


def averages(confusion: Confusion) -> Averages | None:
    """Over the classes that occur as truth or answer; None where nothing was answered."""
    figures = _occurring(confusion)
    if not figures:
        return None
    support = sum(each.support for each in figures)
    count = len(figures)
    return Averages(
        precision=sum(each.precision for each in figures) / count,
        recall=sum(each.recall for each in figures) / count,
        macro_f1=sum(each.f1 for each in figures) / count,
        weighted_f1=sum(each.f1 * each.support for each in figures) / support if support else 0.0,
    )


def _occurring(confusion: Confusion) -> list[ClassFigures]:
    seen = confusion.matrix.sum(axis=0) + confusion.matrix.sum(axis=1)
    return [figure for figure, count in zip(class_figures(confusion).values(), seen, strict=True) if count]


def macro_f1s(matrices: Floats) -> Floats:
    """Macro F1 of many confusion matrices at once (n × classes × classes), each over the classes it holds."""
    _, _, f1 = _rates(matrices)
    seen = (matrices.sum(axis=1) + matrices.sum(axis=2)) > 0
    held = seen.sum(axis=1)
    found: Floats = np.divide((f1 * seen).sum(axis=1), held, out=np.full(len(matrices), np.nan), where=held > 0)
    return found


def f1s_of(matrices: Floats, at: int) -> Floats:
    """F1 of the class at this place, for many confusion matrices."""
    _, _, f1 = _rates(matrices)
    found: Floats = f1[:, at]
    return found


def _rates(matrices: Floats) -> tuple[Floats, Floats, Floats]:
    hits = np.einsum("nii->ni", matrices)
    said, true = matrices.sum(axis=1), matrices.sum(axis=2)
    precision, recall = _over(hits, said), _over(hits, true)
    return precision, recall, _over(2 * hits, said + true)


def _over(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
