"""Consensus of the votes of one item: its level and its category (design section 4, Consensus).

Works for two or more votes. A tie is never broken here.

A vote is a set of categories that are all hateful or all not; in most projects each set has one. The final set has
every category that a strict majority of the votes chose. Two votes out of three for each of a, b and c make a final set
of three, even if nobody chose just these three. Its side is the binary majority: whoever chose a category of the set
is on that side. The levels compare whole sets: {a, b}, {a}, {a} agree on {a}, and are strong, not perfect.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from annotation.domain.choices import Level
from annotation.domain.votes import Category

Value = TypeVar("Value", bound=Hashable)


@dataclass(frozen=True)
class Binary:
    """Hateful or not, by a strict majority of its own; None if neither side has one."""

    hateful: bool | None
    votes: int
    """The votes of the larger side; in a tie, of either side."""


@dataclass(frozen=True)
class Agreed:
    """A strict majority chose one category, or each of several."""

    level: Level
    category: Category
    binary: Binary
    further: tuple[Category, ...] = ()
    """The categories beside the first, by code, where votes name several."""


@dataclass(frozen=True)
class KindUndecided:
    """All votes are hateful, but no category has a strict majority.

    The level is strong, and a reviewer names the category.
    """

    binary: Binary
    level: Level = Level.STRONG


@dataclass(frozen=True)
class NoMajority:
    """No category has a strict majority. The binary outcome may still have one."""

    binary: Binary
    level: Level = Level.NONE


Consensus = Agreed | KindUndecided | NoMajority


def consensus(categories: Sequence[Category]) -> Consensus:
    """Return the consensus of votes for one category each. Raises ValueError for fewer than two votes."""
    return consensus_of_sets([frozenset((category,)) for category in categories])


def consensus_of_sets(votes: Sequence[frozenset[Category]]) -> Consensus:
    """Return the consensus of the votes of one item, each for one or several categories of one side.

    Raises ValueError for fewer than two votes.
    """
    if len(votes) < 2:
        raise ValueError(f"Consensus needs at least two votes, got {len(votes)}.")
    sides = [any(category.hateful for category in vote) for vote in votes]
    binary, all_hateful = binary_outcome(sides), all(sides)
    if majority := majority_set(votes):
        return Agreed(_level(votes, all_hateful), majority[0], binary, majority[1:])
    return KindUndecided(binary) if all_hateful else NoMajority(binary)


def majority_set(votes: Sequence[frozenset[Category]]) -> tuple[Category, ...]:
    """Return every category that more than half of the votes chose, by code."""
    chosen = Counter(chain.from_iterable(votes))
    majority = (category for category, times in chosen.items() if 2 * times > len(votes))
    return tuple(sorted(majority, key=lambda category: category.code))


def _level(votes: Sequence[frozenset[Category]], all_hateful: bool) -> Level:
    if len(set(votes)) == 1:
        return Level.PERFECT
    return Level.STRONG if all_hateful else Level.WEAK


def strict_majority(values: Sequence[Value]) -> Value | None:
    """Return the value of more than half of the votes. Returns None if there is none."""
    for value, votes in Counter(values).items():
        if 2 * votes > len(values):
            return value
    return None


def binary_outcome(flags: Iterable[bool]) -> Binary:
    """Return the side with more than half of the flags, and the votes of the larger side."""
    votes = list(flags)
    hateful = sum(votes)
    return Binary(strict_majority(votes), max(hateful, len(votes) - hateful))
