"""Draw the picture and the trigger text of each sample with a seed, so that the same plan gives the same samples.

Pictures of a pool are used in rounds: over the whole plan, none is used a second time before all that fit are used
once.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from generation.domain.injection.plan import Entry
from generation.domain.injection.strategies import Strategy


@dataclass(frozen=True)
class Dealt:
    """A sample to be written, with what was drawn for it.

    Its entry (from 1), its number in the entry (from 1), the keys of its picture and trigger text, and its seed.
    """

    entry: int
    number: int
    picture: int
    trigger: int | None
    seed: int


def deal(
    entries: Sequence[Entry],
    pictures: Mapping[tuple[str, bool], Sequence[int]],
    triggers: Mapping[str, Sequence[int]],
    seed: int,
) -> list[Dealt]:
    """Return one drawn sample for each sample that the entries ask for.

    `pictures`: keys by (pool, whether the picture alone is hateful). `triggers`: keys by case-folded target group.
    Neither may be empty for an entry that needs it; `read_plan` checks that.
    """
    rounds: dict[object, Iterator[int]] = {}

    def drawn(what: object, keys: Sequence[int]) -> int:
        return next(rounds.setdefault(what, _rounds(keys, seed_of(seed, repr(what)))))

    dealt = []
    for place, entry in enumerate(entries, start=1):
        which, group = (entry.pool, entry.image_hateful), entry.target_group.casefold()
        for number in range(1, entry.count + 1):
            needs_trigger = entry.strategy is Strategy.PARAPHRASE
            trigger = drawn(("trigger", group), triggers[group]) if needs_trigger else None
            dealt.append(Dealt(place, number, drawn(which, pictures[which]), trigger, seed_of(seed, place, number)))
    return dealt


def seed_of(seed: int, *parts: object) -> int:
    """Derive the seed of a part from a seed: 0 … 2**31 - 1."""
    written = "/".join(map(str, (seed, *parts)))
    return int.from_bytes(hashlib.sha256(written.encode()).digest()[:4]) >> 1


def _rounds(keys: Sequence[int], seed: int) -> Iterator[int]:
    """Yield the keys without end, each round in a new random order."""
    dice = Random(seed)
    while True:
        once = sorted(keys)
        dice.shuffle(once)
        yield from once
