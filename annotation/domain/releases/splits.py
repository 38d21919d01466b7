"""Dividing items into train, dev and test so that no two that are nearly the same end up apart.

Items hang together by *ties*: the same picture, a picture that looks the same, a text that says almost the same, a
topic. What hangs together, directly or over others, is one group, and a group goes to one part as a whole. Groups are
dealt out so that every part has its share of each stratum (pattern and category). Everything depends on the items,
the shares and the seed alone, not on the order in which items come.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from annotation.domain.union_find import Chains
from vocabulary.display_names import NamedEnum, pgettext

MAX_SEED = 2**31 - 1


class Tie(NamedEnum):
    """What ties items that are never parted by a split."""

    SAME_PICTURE = "same_picture", pgettext("stored word", "the same picture")
    ALIKE_PICTURE = "alike_picture", pgettext("stored word", "a picture that looks the same")
    NEAR_TEXT = "near_text", pgettext("stored word", "nearly the same text")
    TOPIC = "topic", pgettext("stored word", "the same topic")


class Part(StrEnum):
    """A part of a data set."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


class BadShares(ValueError):
    """Shares that cannot be dealt out."""


@dataclass(frozen=True)
class Shares:
    """Parts of the whole, in any unit: 80/10/10 and 8/1/1 are the same. A part may be empty."""

    train: float
    dev: float
    test: float

    @classmethod
    def read(cls, written: str) -> "Shares":
        """`80/10/10`, `80/20` (train and test). Raises BadShares."""
        try:
            numbers = [float(part) for part in written.split("/")]
        except ValueError:
            raise BadShares(f"{written!r}: write the shares like 80/10/10 (train, dev, test).") from None
        if len(numbers) == 2:
            numbers.insert(1, 0.0)
        if len(numbers) != 3 or not all(0 <= number < 1e9 for number in numbers) or sum(numbers) <= 0:
            raise BadShares(f"{written!r}: write the shares like 80/10/10 (train, dev, test).")
        return cls(*numbers)

    def __str__(self) -> str:
        return "/".join(f"{number:g}" for number in (self.train, self.dev, self.test))

    def of(self, part: Part) -> float:
        """The part's share of the whole, 0 to 1."""
        return {Part.TRAIN: self.train, Part.DEV: self.dev, Part.TEST: self.test}[part] / (
            self.train + self.dev + self.test
        )


@dataclass(frozen=True)
class Member:
    """An item to be dealt: its id and the stratum of which every part is to have its share."""

    id: str
    stratum: str


Ties = Mapping[str, Iterable[Sequence[int]]]
"""By kind (`picture`, `text` …): sets of items, by their places, that must not be parted."""


@dataclass(frozen=True)
class Leak:
    """How many ties of a kind there were, and how many of them the parts cut (0 unless a frozen list cuts them)."""

    ties: int
    items: int
    cut: int


@dataclass(frozen=True)
class Dealt:
    """The part of each item, in the order of the items, and what is to be said of it."""

    parts: list[Part]
    groups: int
    largest: int
    leaks: Mapping[str, Leak] = field(default_factory=dict)
    strata: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The leakage report."""
        sizes = Counter(part.value for part in self.parts)
        return {
            "sizes": {part.value: sizes[part.value] for part in Part},
            "groups": self.groups,
            "largest_group": self.largest,
            "leakage": sum(leak.cut for leak in self.leaks.values()),
            "ties": {
                kind: {"ties": leak.ties, "items": leak.items, "cut": leak.cut} for kind, leak in self.leaks.items()
            },
            "strata": {name: dict(counts) for name, counts in self.strata.items()},
        }


def deal(
    members: Sequence[Member], ties: Ties, shares: Shares, seed: int, frozen: Mapping[str, Part] | None = None
) -> Dealt:
    """Deal the items out.

    `frozen` holds ids whose part is settled: they keep it, and what hangs together with them follows. Where a frozen
    list itself parts a group, its other items go with the first of the settled ones, and the cut is counted.
    """
    frozen = frozen or {}
    kept = {kind: [tuple(tie) for tie in found if len(tie) > 1] for kind, found in ties.items()}
    groups = _groups(len(members), (tie for found in kept.values() for tie in found))
    parts = _dealt(members, groups, shares, seed, frozen)
    return Dealt(
        parts,
        len(groups),
        max(map(len, groups), default=0),
        {kind: _leak(found, parts) for kind, found in kept.items()},
        _strata(members, parts),
    )


def _groups(count: int, ties: Iterable[Sequence[int]]) -> list[list[int]]:
    chains = Chains(count)
    for first, *others in ties:
        for other in others:
            chains.join(first, other)
    return chains.groups()


def _dealt(
    members: Sequence[Member], groups: Sequence[list[int]], shares: Shares, seed: int, frozen: Mapping[str, Part]
) -> list[Part]:
    totals = Counter(member.stratum for member in members)
    left = {part: {stratum: shares.of(part) * n for stratum, n in totals.items()} for part in Part}
    room = {part: shares.of(part) * len(members) for part in Part}
    parts: list[Part] = [Part.TRAIN] * len(members)
    open_parts = [part for part in Part if shares.of(part) > 0]

    def put(place: int, part: Part) -> None:
        parts[place] = part
        left[part][members[place].stratum] -= 1
        room[part] -= 1

    def drawn(group: Sequence[int]) -> tuple[int, str]:
        name = min(members[place].id for place in group)
        return -len(group), hashlib.sha256(f"{seed}\n{name}".encode()).hexdigest()

    for group in sorted(groups, key=drawn):
        settled = sorted(members[place].id for place in group if members[place].id in frozen)
        strata = Counter(members[place].stratum for place in group)
        part = frozen[settled[0]] if settled else _neediest(strata, len(group), open_parts, left, room)
        for place in group:
            put(place, frozen.get(members[place].id, part))
    return parts


def _neediest(
    strata: Mapping[str, int],
    size: int,
    parts: Sequence[Part],
    left: Mapping[Part, Mapping[str, float]],
    room: Mapping[Part, float],
) -> Part:
    """The part that lacks most of what the group brings, then the one that lacks most at all.

    Among parts that lack nothing of the group's strata beyond a fraction of an item, the fuller one yields.
    """

    def need(part: Part) -> tuple[float, float]:
        wanted = sum(min(n, left[part][stratum]) for stratum, n in strata.items())
        return round(wanted / size + min(0.0, room[part] - size) / size, 9), room[part]

    return max(parts, key=need)


def _leak(ties: Sequence[Sequence[int]], parts: Sequence[Part]) -> Leak:
    cut = sum(len({parts[place] for place in tie}) > 1 for tie in ties)
    return Leak(len(ties), len({place for tie in ties for place in tie}), cut)


def _strata(members: Sequence[Member], parts: Sequence[Part]) -> dict[str, dict[str, int]]:
    counts = Counter((member.stratum, part.value) for member, part in zip(members, parts, strict=True))
    names = sorted({member.stratum for member in members})
    return {name: {part.value: counts[name, part.value] for part in Part} for name in names}
