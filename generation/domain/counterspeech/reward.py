"""The reward of a reply (CoARL, equation 3): R = ⅓((1 − PC)/2 + AQ + (1 − T)).

PC ∈ [−1, 1] is the stance of the reply (the sentence) towards the hateful post (the topic): −1 opposes it, 1 supports
it. AQ ∈ [0, 1] is the quality of its argument, T ∈ [0, 1] its toxicity. The paper's code swaps topic and sentence;
sections 4 and 5.2 of the paper, and this module, do not.
"""

import math
from dataclasses import dataclass


class BadParts(ValueError):
    """A part of the reward is outside its range, or the weights are not usable."""


@dataclass(frozen=True)
class Weights:
    """The weight of each part. Only their proportions matter; 0 switches a part off.

    Raises BadParts if a weight is negative or not finite, or all are 0.
    """

    pc: float = 1.0
    aq: float = 1.0
    t: float = 1.0

    def __post_init__(self) -> None:
        weights = (self.pc, self.aq, self.t)
        if not all(math.isfinite(weight) and weight >= 0 for weight in weights) or sum(weights) <= 0:
            raise BadParts("Weights are numbers from 0 up, and at least one is above 0.")

    @property
    def total(self) -> float:
        """The sum of the weights, by which the reward is divided."""
        return self.pc + self.aq + self.t


EQUAL = Weights()
"""A third each, as in the paper."""


@dataclass(frozen=True)
class Parts:
    """The critics' numbers for a reply: PC in [−1, 1], AQ and T in [0, 1].

    Raises BadParts if a number is outside its range.
    """

    pc: float
    aq: float
    t: float

    def __post_init__(self) -> None:
        for name, low, value in (("PC", -1.0, self.pc), ("AQ", 0.0, self.aq), ("T", 0.0, self.t)):
            if not low <= value <= 1.0:
                raise BadParts(f"{name} lies between {low:g} and 1, not at {value}.")

    @property
    def counters(self) -> float:
        """How much the reply opposes the post: (1 − PC)/2, 0 to 1."""
        return (1 - self.pc) / 2

    @property
    def civil(self) -> float:
        """How free of toxicity the reply is: 1 − T, 0 to 1."""
        return 1 - self.t


def reward(parts: Parts, weights: Weights = EQUAL) -> float:
    """Return R, 0 to 1; with equal weights the paper's equation 3."""
    weighted = weights.pc * parts.counters + weights.aq * parts.aq + weights.t * parts.civil
    return weighted / weights.total


def reward_or_none(pc: float | None, aq: float | None, t: float | None, weights: Weights = EQUAL) -> float | None:
    """Return R from the parts that have a weight.

    Returns None if such a part is missing: a guessed part would give a false reward.
    """
    needed = ((pc, weights.pc), (aq, weights.aq), (t, weights.t))
    if any(value is None and weight > 0 for value, weight in needed):
        return None
    return reward(Parts(pc or 0.0, aq or 0.0, t or 0.0), weights)
