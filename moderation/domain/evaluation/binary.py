"""The tables of AntiHateAgent: precision, recall and F1 for hate, non-hate, and overall as their mean."""

from dataclasses import dataclass
from typing import Any

from moderation.domain.evaluation.answers import HATEFUL, NOT_HATEFUL
from moderation.domain.evaluation.classification import ClassFigures, Confusion, class_figures


@dataclass(frozen=True)
class TwoClass:
    """Both classes and their unweighted mean (AntiHateAgent, Tables 2 and 4)."""

    hate: ClassFigures
    non_hate: ClassFigures

    @property
    def overall(self) -> ClassFigures:
        """The unweighted mean of the two rows; `support` is the number of all items."""
        both = (self.hate, self.non_hate)
        return ClassFigures(
            sum(row.precision for row in both) / 2,
            sum(row.recall for row in both) / 2,
            sum(row.f1 for row in both) / 2,
            sum(row.support for row in both),
        )

    def as_json(self) -> dict[str, Any]:
        rows = {"hate": self.hate, "non_hate": self.non_hate, "overall": self.overall}
        return {
            name: {"precision": row.precision, "recall": row.recall, "f1": row.f1, "support": row.support}
            for name, row in rows.items()
        }


def two_class(confusion: Confusion) -> TwoClass:
    """Return the figures from the confusion matrix of the binary task."""
    figures = class_figures(confusion)
    none = ClassFigures(0.0, 0.0, 0.0, 0)
    return TwoClass(figures.get(HATEFUL, none), figures.get(NOT_HATEFUL, none))
