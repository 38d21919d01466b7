"""Blind comparisons of replies: the paper's five criteria (section 6.3), and win rates with intervals."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from annotation.domain.statistics.intervals import wilson_interval


class Criterion(StrEnum):
    """A criterion by which two replies are compared."""

    INDEPENDENCE = "independence"
    """It can be understood on its own (IC)."""
    ADEQUACY = "adequacy"
    """It is correct, coherent and fluent (A)."""
    RELEVANCE = "relevance"
    """It answers what this post says, and about whom (CR)."""
    EFFECTIVENESS = "effectiveness"
    """Its argument convinces (AE)."""
    CATEGORY = "category"
    """It does what its intent says (CA)."""


class Choice(StrEnum):
    """The better one of the two replies, or a tie."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"


@dataclass(frozen=True)
class WinRate:
    """How often it was preferred (`rate`, ties as half) in `count` comparisons, with a 95 % Wilson interval."""

    rate: float
    count: int
    low: float
    high: float


def win_rates(outcomes: Iterable[tuple[str, str, Choice]]) -> Mapping[str, WinRate]:
    """Return the win rate of every name over its comparisons with others. A comparison with itself does not count.

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
    return {name: _win_rate(wins[name], counts[name]) for name in sorted(counts)}


def _win_rate(wins: float, count: int) -> WinRate:
    interval = wilson_interval(wins / count, count)
    return WinRate(wins / count, count, interval.low, interval.high)
