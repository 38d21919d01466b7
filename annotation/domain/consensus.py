"""Consensus of the votes of one item: its level and its category (design section 4, Consensus).

Works for two or more votes. A tie is never broken here.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
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
    """A strict majority chose one category."""

    level: Level
    category: Category
    binary: Binary


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
    """Return the consensus of the votes of one item. Raises ValueError for fewer than two votes."""
    if len(categories) < 2:
        raise ValueError(f"Consensus needs at least two votes, got {len(categories)}.")
    binary = binary_outcome(category.hateful for category in categories)
    majority = strict_majority(categories)
    all_hateful = all(category.hateful for category in categories)
    if majority is not None:
        return Agreed(_level(categories, all_hateful), majority, binary)
    return KindUndecided(binary) if all_hateful else NoMajority(binary)


def _level(categories: Sequence[Category], all_hateful: bool) -> Level:
    if len(set(categories)) == 1:
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
