"""The choice of items of a data set: the first ones, random ones, or equally many of each kind."""

import random
from collections.abc import Callable, Hashable, Sequence
from enum import StrEnum
from typing import TypeVar

from moderation.domain.evaluation.answers import Gold

T = TypeVar("T")
SEED = 2024


class Sample(StrEnum):
    """How to choose items."""

    FIRST = "first"
    RANDOM = "random"
    BALANCED = "balanced"
    """The same number of each pattern, or of hateful and not hateful items without patterns (H-VLI's sampling)."""


def sample_items(
    rows: Sequence[T], gold: Callable[[T], Gold], how: Sample, limit: int | None, seed: int = SEED
) -> list[T]:
    """Return the chosen rows, in the order of the file. The same seed chooses the same rows.

    Balanced with a limit: an equal quota of each kind, and random rows for the rest.
    Balanced without a limit: as many of each kind as the rarest kind has.
    """
    if how is Sample.FIRST or (limit is not None and limit >= len(rows)):
        return list(rows[:limit])
    generator = random.Random(seed)
    if how is Sample.RANDOM:
        chosen = generator.sample(range(len(rows)), len(rows) if limit is None else limit)
    else:
        chosen = _balanced([_kind(gold(row)) for row in rows], limit, generator)
    return [rows[at] for at in sorted(chosen)]


def _kind(gold: Gold) -> Hashable:
    return gold.pattern or gold.hateful


def _balanced(kinds: Sequence[Hashable], limit: int | None, generator: random.Random) -> list[int]:
    places: dict[Hashable, list[int]] = {}
    for at, kind in enumerate(kinds):
        places.setdefault(kind, []).append(at)
    for rows in places.values():
        generator.shuffle(rows)
    quota = min(map(len, places.values())) if limit is None else limit // len(places)
    chosen = [at for rows in places.values() for at in rows[:quota]]
    if limit is not None:
        undrawn = [at for rows in places.values() for at in rows[quota:]]
        chosen += generator.sample(undrawn, min(len(undrawn), limit - len(chosen)))
    return chosen
