"""The choice of items of a data set: the first ones, random ones, or equally many of each kind."""

import random
from array import array
from collections.abc import Hashable, Iterable, Sequence
from enum import StrEnum

from moderation.domain.evaluation.answers import Gold

SEED = 2024


class Sample(StrEnum):
    """How to choose items."""

    FIRST = "first"
    RANDOM = "random"
    BALANCED = "balanced"
    """The same number of each pattern, or of hateful and not hateful items without patterns (H-VLI's sampling)."""


def sample_places(golds: Iterable[Gold], count: int, how: Sample, limit: int | None, seed: int = SEED) -> Sequence[int]:
    """Return the places of the chosen ones among `count` items, ascending. The same seed chooses the same.

    Balanced with a limit: an equal quota of each kind, and random items for the rest.
    Balanced without a limit: as many of each kind as the rarest kind has.
    """
    everything = how is Sample.RANDOM if limit is None else limit >= count
    if how is Sample.FIRST or everything:
        return range(count if limit is None else min(limit, count))
    generator = random.Random(seed)
    if how is Sample.RANDOM:
        return sorted(generator.sample(range(count), limit or 0))
    return sorted(_balanced(map(_kind, golds), limit, generator))


def _kind(gold: Gold) -> Hashable:
    return gold.pattern or gold.hateful


def _balanced(kinds: Iterable[Hashable], limit: int | None, generator: random.Random) -> list[int]:
    places: dict[Hashable, array[int]] = {}  # 8 bytes an item
    for at, kind in enumerate(kinds):
        places.setdefault(kind, array("q")).append(at)
    for rows in places.values():
        generator.shuffle(rows)
    quota = min(map(len, places.values())) if limit is None else limit // len(places)
    chosen = [at for rows in places.values() for at in rows[:quota]]
    if limit is not None:
        undrawn = [at for rows in places.values() for at in rows[quota:]]
        chosen += generator.sample(undrawn, min(len(undrawn), limit - len(chosen)))
    return chosen
