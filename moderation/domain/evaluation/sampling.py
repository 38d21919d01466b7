"""Which items of a data set are asked about: the first ones, some at random, or as many of every kind."""

import random
from collections.abc import Callable, Hashable, Sequence
from enum import StrEnum
from typing import TypeVar

from moderation.domain.evaluation.answers import Gold

T = TypeVar("T")
SEED = 2024


class Sample(StrEnum):
    """How items are chosen."""

    FIRST = "first"
    RANDOM = "random"
    BALANCED = "balanced"
    """The same number of every pattern, or of hateful and not where patterns are unknown (H-VLI's sampling)."""


def sample_items(
    rows: Sequence[T], gold: Callable[[T], Gold], how: Sample, limit: int | None, seed: int = SEED
) -> list[T]:
    """Return the chosen rows, in the order of the file. The same seed chooses the same.

    Balanced with a limit: an equal quota of each kind, what is left over filled at random. Without one: as many of
    each kind as the rarest has.
    """
    if how is Sample.FIRST or (limit is not None and limit >= len(rows)):
        return list(rows[:limit])
    dice = random.Random(seed)
    if how is Sample.RANDOM:
        chosen = dice.sample(range(len(rows)), len(rows) if limit is None else limit)
    else:
        chosen = _balanced([_kind(gold(row)) for row in rows], limit, dice)
    return [rows[at] for at in sorted(chosen)]


def _kind(each: Gold) -> Hashable:
    return each.pattern or each.hateful


def _balanced(kinds: Sequence[Hashable], limit: int | None, dice: random.Random) -> list[int]:
    places: dict[Hashable, list[int]] = {}
    for at, kind in enumerate(kinds):
        places.setdefault(kind, []).append(at)
    for rows in places.values():
        dice.shuffle(rows)
    quota = min(map(len, places.values())) if limit is None else limit // len(places)
    chosen = [at for rows in places.values() for at in rows[:quota]]
    if limit is not None:
        left = [at for rows in places.values() for at in rows[quota:]]
        chosen += dice.sample(left, min(len(left), limit - len(chosen)))
    return chosen
