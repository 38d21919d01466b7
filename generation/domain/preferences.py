"""Blind comparisons: the paper's five criteria (section 6.3) and win rates with their intervals."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Criterion(StrEnum):
    """What two replies are compared by."""

    INDEPENDENCE = "independence"
    """It can be understood without anything beside it (IC)."""
    ADEQUACY = "adequacy"
    """It is correct, coherent and fluent (A)."""
    RELEVANCE = "relevance"
    """It speaks to what this post says and about whom (CR)."""
    EFFECTIVENESS = "effectiveness"
    """Its argument convinces (AE)."""
    CATEGORY = "category"
    """It does what its intent says (CA)."""


class Choice(StrEnum):
    """Which of the two is better."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"


@dataclass(frozen=True)
class WinRate:
    """How often one side was preferred, ties as half, over `count` comparisons, with its 95 % Wilson interval."""

    wins: float
    count: int
    low: float
    high: float

    @property
    def rate(self) -> float:
        """Wins over comparisons, 0 to 1."""
        return self.wins / self.count


_Z = 1.959964  # of the normal distribution, two-sided 95 %


def wilson(wins: float, count: int) -> tuple[float, float]:
    """The Wilson score interval, 95 %, of a share."""
    share = wins / count
    spread = _Z * math.sqrt(share * (1 - share) / count + _Z**2 / (4 * count**2))
    middle, scale = share + _Z**2 / (2 * count), 1 + _Z**2 / count
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def win_rates(outcomes: Iterable[tuple[str, str, Choice]]) -> Mapping[str, WinRate]:
    """The win rate of every name over its comparisons with others; a comparison with itself counts for nothing.

    Each outcome is (first name, second name, choice).
    """
    wins: dict[str, float] = {}
    counts: dict[str, int] = {}
    for first, second, choice in outcomes:
        if first == second:
            continue
        won = {Choice.FIRST: 1.0, Choice.SECOND: 0.0, Choice.TIE: 0.5}[choice]
        for name, share in ((first, won), (second, 1 - won)):
            wins[name] = wins.get(name, 0.0) + share
            counts[name] = counts.get(name, 0) + 1
    return {name: WinRate(wins[name], counts[name], *wilson(wins[name], counts[name])) for name in sorted(counts)}
