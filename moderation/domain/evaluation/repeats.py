"""Figures over repeats: mean, standard deviation, and agreement between repeats or between agents.

PREDICT, Tables 1 and 2: every condition is repeated, accuracies are averaged, and Fleiss' κ measures agreement.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from annotation.domain.statistics.agreement import fleiss_kappa, tally
from annotation.domain.statistics.figure import Measured


@dataclass(frozen=True)
class Spread:
    """Mean and sample standard deviation (n − 1) of a figure over repeats; `sd` is None for a single repeat."""

    mean: float
    sd: float | None
    count: int

    def as_json(self) -> dict[str, Any]:
        return {"mean": self.mean, "sd": self.sd, "repeats": self.count}


def spread(values: Sequence[float | None]) -> Spread | None:
    """Return the spread over the repeats that have the figure.

    Returns None if no repeat has it.
    """
    known = [value for value in values if value is not None]
    if not known:
        return None
    return Spread(statistics.fmean(known), statistics.stdev(known) if len(known) > 1 else None, len(known))


def kappa(items: Sequence[Sequence[bool | int | None]]) -> float | None:
    """Return Fleiss' κ of the ratings, hateful or not or codes of categories.

    A row is one item, rated by repeats of one agent or by agents. Rows with a missing rating are left out.
    Returns None if no row is left, or if all ratings are the same.
    """
    complete = [row for row in items if None not in row]
    if not complete:
        return None
    index = {rating: number for number, rating in enumerate(dict.fromkeys(chain.from_iterable(complete)))}
    figure = fleiss_kappa(tally([[index[rating] for rating in row] for row in complete], len(index)), len(complete[0]))
    return figure.value if isinstance(figure, Measured) else None


def are_unanimous(verdicts: Sequence[bool | int | None]) -> bool:
    """Return whether at least two repeats have a verdict, and all that have one have the same."""
    given = [verdict for verdict in verdicts if verdict is not None]
    return len(given) > 1 and len(set(given)) == 1


def majority(votes: Sequence[bool | None]) -> bool | None:
    """Return the side that most of the voting agents take (PREDICT, section 3.2).

    Returns None for a tie, or if nobody voted.
    """
    hate, non_hate = sum(vote is True for vote in votes), sum(vote is False for vote in votes)
    return None if hate == non_hate else hate > non_hate
