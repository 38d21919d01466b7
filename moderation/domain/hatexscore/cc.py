"""CC: whether prediction, quotes and group go together (design section 8; paper, sections 3.4 and A.4)."""

from enum import StrEnum


class Rule(StrEnum):
    """How a prediction of not hateful is held to be consistent; each with its own threshold."""

    PAPER = "paper"
    """QF ≥ τ or no group: what the paper's tables were computed with (notes 1.3)."""
    RELEASED = "released"
    """QF ≥ τ and no group: what its released code does."""

    @property
    def threshold(self) -> float:
        """The τ that belongs to the rule."""
        return 0.3 if self is Rule.PAPER else 0.45


def consistency(prediction: bool | None, qf: float, tgi: int, threshold: float, rule: Rule) -> int:
    """1 or 0; 0 without a prediction."""
    if prediction is None:
        return 0
    faithful = qf >= threshold
    if prediction:
        return int(faithful and tgi == 1)
    return int((faithful or tgi == 0) if rule is Rule.PAPER else (faithful and tgi == 0))
