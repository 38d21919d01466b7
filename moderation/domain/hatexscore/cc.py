"""CC: whether prediction, quotes and group go together (design section 8; paper, sections 3.4 and A.4)."""

from enum import StrEnum


class Rule(StrEnum):
    """When a prediction of not hateful is consistent; each rule has its own threshold."""

    PAPER = "paper"
    """QF ≥ τ or no group: what the paper's tables were computed with (notes 1.3)."""
    RELEASED = "released"
    """QF ≥ τ and no group: what its released code does."""

    @property
    def threshold(self) -> float:
        """Return the τ that belongs to the rule."""
        return 0.3 if self is Rule.PAPER else 0.45


TOLERANCE = 1e-9
"""By how much QF may fall short of τ: 0.7 - 0.4 is written 0.29999999999999993 and reaches 0.3."""


def reaches(qf: float, threshold: float) -> bool:
    """Whether QF is τ or above."""
    return qf >= threshold - TOLERANCE


def consistency(prediction: bool | None, qf: float, tgi: int, threshold: float, rule: Rule) -> int:
    """Return 1 if prediction, quotes and group go together, else 0; 0 without a prediction."""
    if prediction is None:
        return 0
    faithful = reaches(qf, threshold)
    if prediction:
        return int(faithful and tgi == 1)
    return int((faithful or tgi == 0) if rule is Rule.PAPER else (faithful and tgi == 0))
