"""A stated conclusion, and how negations add up, for all languages."""

import re
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


def trimmed(hit: re.Match[str], hateful: bool) -> Conclusion:
    """The conclusion at this hit, without the spaces around it."""
    said = hit.group()
    start = hit.start() + len(said) - len(said.lstrip())
    return Conclusion(start, start + len(said.strip()), hateful)
