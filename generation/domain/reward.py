"""The reward of a reply (CoARL, equation 3): R = ⅓((1 − PC)/2 + AQ + (1 − T)).

PC ∈ [−1, 1] is the stance of the reply (the sentence) towards the hateful post (the topic): −1 opposes it, 1 supports
it. AQ ∈ [0, 1] is the quality of its argument, T ∈ [0, 1] its toxicity. The paper's code swaps topic and sentence;
sections 4 and 5.2 of the paper, and this module, do not.
"""

import math
from dataclasses import dataclass


class BadParts(ValueError):
    """A part is outside its range, or the weights are no weights."""


@dataclass(frozen=True)
class Weights:
    """How much each part counts; only their proportions matter. Nought switches a part off."""

    pc: float = 1.0
    aq: float = 1.0
    t: float = 1.0

    def __post_init__(self) -> None:
        given = (self.pc, self.aq, self.t)
        if not all(math.isfinite(each) and each >= 0 for each in given) or sum(given) <= 0:
            raise BadParts("Weights are numbers from 0 up, and at least one is above 0.")

    @property
    def total(self) -> float:
        """Their sum, by which the reward is divided."""
        return self.pc + self.aq + self.t


EQUAL = Weights()
"""A third each, as in the paper."""


@dataclass(frozen=True)
class Parts:
    """What the critics said about a reply."""

    pc: float
    aq: float
    t: float

    def __post_init__(self) -> None:
        for name, low, value in (("PC", -1.0, self.pc), ("AQ", 0.0, self.aq), ("T", 0.0, self.t)):
            if not low <= value <= 1.0:
                raise BadParts(f"{name} lies between {low:g} and 1, not at {value}.")

    @property
    def counters(self) -> float:
        """How much it speaks against the post, 0 to 1."""
        return (1 - self.pc) / 2

    @property
    def civil(self) -> float:
        """How free it is of toxicity, 0 to 1."""
        return 1 - self.t


def reward(parts: Parts, weights: Weights = EQUAL) -> float:
    """R, 0 to 1; with equal weights the paper's equation 3."""
    weighted = weights.pc * parts.counters + weights.aq * parts.aq + weights.t * parts.civil
    return weighted / weights.total


def reward_or_none(pc: float | None, aq: float | None, t: float | None, weights: Weights = EQUAL) -> float | None:
    """R from the parts that count; None where one of them is missing, for a guess is no reward."""
    needed = ((pc, weights.pc), (aq, weights.aq), (t, weights.t))
    if any(value is None and weight > 0 for value, weight in needed):
        return None
    return reward(Parts(pc or 0.0, aq or 0.0, t or 0.0), weights)
