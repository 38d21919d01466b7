"""Which picture, and which trigger text, a sample gets: drawn with a seed, so that the same plan is dealt alike.

Pictures of a pool go round: none comes a second time before all that fit have come once, over the whole plan.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from generation.domain.injection.plan import Entry
from generation.domain.injection.strategies import Strategy


@dataclass(frozen=True)
class Dealt:
    """A sample to be written: its entry (from 1), its number there (from 1), and the keys of what it is made from."""

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
    """A sample for each that the entries ask for.

    `pictures`: keys by (pool, hateful alone); `triggers`: keys by target group, case folded. Neither may be empty for
    an entry that needs it (`read_plan` sees to that).
    """
    rounds: dict[object, Iterator[int]] = {}

    def drawn(what: object, keys: Sequence[int]) -> int:
        return next(rounds.setdefault(what, _rounds(keys, seed_of(seed, repr(what)))))

    dealt = []
    for place, entry in enumerate(entries, start=1):
        which, group = (entry.pool, entry.image_hateful), entry.target_group.casefold()
        for number in range(1, entry.count + 1):
            wanted = entry.strategy is Strategy.PARAPHRASE
            trigger = drawn(("trigger", group), triggers[group]) if wanted else None
            dealt.append(Dealt(place, number, drawn(which, pictures[which]), trigger, seed_of(seed, place, number)))
    return dealt


def seed_of(seed: int, *parts: object) -> int:
    """A seed of its own for a part of something that has one: 0 … 2**31 - 1."""
    written = "/".join(map(str, (seed, *parts)))
    return int.from_bytes(hashlib.sha256(written.encode()).digest()[:4]) >> 1


def _rounds(keys: Sequence[int], seed: int) -> Iterator[int]:
    """The keys again and again, each round shuffled anew."""
    dice = Random(seed)
    while True:
        once = sorted(keys)
        dice.shuffle(once)
        yield from once
