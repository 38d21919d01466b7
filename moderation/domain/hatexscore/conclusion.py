"""A stated conclusion, and how negations add up, for all languages."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Conclusion:
    """A stated conclusion at `start` … `end` of the explanation."""

    start: int
    end: int
    hateful: bool


def is_odd(negations: Sequence[str], non: bool) -> bool:
    """Whether an odd number of negations makes the opposite of the word."""
    return (len(negations) + non) % 2 == 1
