"""How far the votes of one item agree, and on what (design section 4, Consensus).

Works for any number of votes from two up. Nothing here breaks a tie.
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
    """Hateful or not, by its own strict majority; None where neither side has one."""

    hateful: bool | None
    votes: int
    """How many said so; of a tie, the size of either half."""


@dataclass(frozen=True)
class Agreed:
    """A strict majority chose one category."""

    level: Level
    category: Category
    binary: Binary


@dataclass(frozen=True)
class KindUndecided:
    """Everyone says hateful, no kind has a strict majority: strong, and a reviewer names the kind."""

    binary: Binary
    level: Level = Level.STRONG


@dataclass(frozen=True)
class NoMajority:
    """No category has a strict majority. The binary outcome may still have one."""

    binary: Binary
    level: Level = Level.NONE


Consensus = Agreed | KindUndecided | NoMajority


def consensus(categories: Sequence[Category]) -> Consensus:
    """What the votes of one item say together.

    Raises ValueError for fewer than two votes: one person agrees with nobody.
    """
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
    """The value that more than half of all chose, or None."""
    for value, votes in Counter(values).items():
        if 2 * votes > len(values):
            return value
    return None


def binary_outcome(flags: Iterable[bool]) -> Binary:
    """The side with more than half of the flags, with its votes."""
    said = list(flags)
    hateful = sum(said)
    return Binary(strict_majority(said), max(hateful, len(said) - hateful))
