"""QF: whether what is quoted carries the prediction (design section 8; paper, section 3.2)."""

from collections.abc import Sequence
from math import isfinite


class UnreadableProbability(ValueError):
    """A probability that is no number from 0 to 1: an error, never a score."""


def probability(given: object) -> float:
    """Return the number. Raises UnreadableProbability if it is none from 0 to 1."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not isfinite(given) or not 0 <= given <= 1:
        raise UnreadableProbability(f"A probability is a number from 0 to 1, not {given!r}.")
    return float(given)


def is_trivial(text: str, quotes: Sequence[str]) -> bool:
    """Whether nothing but the raw text itself was quoted, so that nothing was singled out; exact, to the full stop."""
    return set(quotes) == {text}


def quotation_faithfulness(prediction: bool | None, p: float | None, p_masked: float | None) -> float:
    """D = |p − p_masked| for a hateful prediction, 1 − D for one that is not, 0 without a prediction; in [0, 1]."""
    if prediction is None:
        return 0.0
    difference = abs(probability(p) - probability(p_masked))
    return difference if prediction else 1.0 - difference
