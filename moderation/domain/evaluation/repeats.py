"""Figures over repeats: mean and standard deviation, how alike the repeats of one agent are, and agents to each other.

PREDICT, Tables 1 and 2: every condition is repeated, accuracies are averaged, and Fleiss' κ tells how alike they are.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.domain.statistics.agreement import Measured, fleiss_kappa, tally


@dataclass(frozen=True)
class Spread:
    """Mean and sample standard deviation (n − 1) of a figure over repeats; `sd` is None for a single one."""

    mean: float
    sd: float | None
    count: int

    def as_json(self) -> dict[str, Any]:
        return {"mean": self.mean, "sd": self.sd, "repeats": self.count}


def spread(values: Sequence[float | None]) -> Spread | None:
    """Of the repeats that have the figure; None where none has."""
    there = [value for value in values if value is not None]
    if not there:
        return None
    return Spread(statistics.fmean(there), statistics.stdev(there) if len(there) > 1 else None, len(there))


def kappa(items: Sequence[Sequence[bool | None]]) -> float | None:
    """Fleiss' κ of ratings hateful or not, an item a row: repeats of one agent, or agents on one item.

    Only items on which nobody is missing count; None where that leaves nothing to compare or one category only.
    """
    complete = [[int(side) for side in row if side is not None] for row in items if None not in row]
    if not complete:
        return None
    figure = fleiss_kappa(tally(complete, 2), len(complete[0]))
    return figure.value if isinstance(figure, Measured) else None


def majority(votes: Sequence[bool | None]) -> bool | None:
    """Return what most of the agents that voted say (PREDICT, section 3.2).

    Returns None for a tie, or if nobody voted.
    """
    hate, non_hate = sum(vote is True for vote in votes), sum(vote is False for vote in votes)
    return None if hate == non_hate else hate > non_hate
