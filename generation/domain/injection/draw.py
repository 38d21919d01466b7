"""Draw the picture and the trigger text of each sample with a seed, so that the same plan gives the same samples.

Over the whole plan, no picture is used a second time before all that fit are used once. Trigger texts are used in
rounds.
"""

import hashlib
import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from generation.domain.injection.plan import Entry
from generation.domain.injection.strategies import Strategy


@dataclass(frozen=True)
class Drawable:
    """A picture that can be drawn: its key, its pool, and the category that it has alone."""

    key: int
    pool: str
    category: int
    hateful: bool

    def fits(self, entry: Entry) -> bool:
        """Return whether a sample of this entry can be made from the picture."""
        category = entry.image_category
        same_side = self.pool == entry.pool and self.hateful == entry.image_hateful
        return same_side and (category is None or category == self.category)


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
    pictures: Sequence[Drawable],
    triggers: Mapping[str, Sequence[int]],
    seed: int,
) -> list[Dealt]:
    """Return one drawn sample for each sample that the entries ask for.

    `triggers`: keys by case-folded target group. An entry needs at least one picture that fits it, and a paraphrase one
    trigger text; `read_plan` checks that.
    """
    rounds: dict[str, Iterator[int]] = {}
    uses: Counter[int] = Counter()
    stacks: dict[object, _Stack] = {}
    dealt = []
    for place, entry in enumerate(entries, start=1):
        which, group = (entry.pool, entry.image_hateful, entry.image_category), entry.target_group.casefold()
        if which not in stacks:
            keys = [picture.key for picture in pictures if picture.fits(entry)]
            stacks[which] = _Stack(keys, uses, seed_of(seed, repr(which)))
        if entry.strategy is Strategy.PARAPHRASE and group not in rounds:
            rounds[group] = _rounds(triggers[group], seed_of(seed, repr(("trigger", group))))
        for number in range(1, entry.count + 1):
            trigger = next(rounds[group]) if entry.strategy is Strategy.PARAPHRASE else None
            dealt.append(Dealt(place, number, stacks[which].draw(), trigger, seed_of(seed, place, number)))
    return dealt


class _Stack:
    """Keys of which the least used one is drawn; among equals a random one. Several stacks share the uses."""

    def __init__(self, keys: Sequence[int], uses: Counter[int], seed: int) -> None:
        self._uses, self._random = uses, Random(seed)
        self._heap = [(uses[key], self._random.random(), key) for key in sorted(keys)]
        heapq.heapify(self._heap)

    def draw(self) -> int:
        """Return the next key and count its use."""
        counted, _rank, key = self._heap[0]
        while counted < self._uses[key]:  # another stack has drawn it since
            heapq.heapreplace(self._heap, (self._uses[key], self._random.random(), key))
            counted, _rank, key = self._heap[0]
        self._uses[key] += 1
        heapq.heapreplace(self._heap, (self._uses[key], self._random.random(), key))
        return key


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
