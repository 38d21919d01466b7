"""Splits of items into train, dev and test that keep items that are nearly equal in one part.

Items are connected by *ties*: the same picture, a picture that looks the same, a nearly equal text, a topic. Items that
are connected directly or through others are one group, and a group goes to one part as a whole. Groups are distributed
so that every part has its share of each stratum (pattern and category). The result depends only on the items, the
shares and the seed, not on the order of the items.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from annotation.domain.union_find import Chains
from vocabulary.display_names import NamedEnum, pgettext
from vocabulary.refusals import Refused, gettext_noop

MAX_SEED = 2**31 - 1


class Tie(NamedEnum):
    """The kind of connection that keeps items together in a split."""

    SAME_PICTURE = "same_picture", pgettext("stored word", "the same picture")
    ALIKE_PICTURE = "alike_picture", pgettext("stored word", "a picture that looks the same")
    NEAR_TEXT = "near_text", pgettext("stored word", "nearly the same text")
    TOPIC = "topic", pgettext("stored word", "the same topic")


class Part(StrEnum):
    """A part of a data set."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


class BadShares(Refused):
    """Shares that cannot be used for a split."""


_HOW = gettext_noop("Write the shares as 80/10/10: train, dev, test.")


@dataclass(frozen=True)
class Shares:
    """The shares of the parts, in any unit: 80/10/10 and 8/1/1 are the same. A part may be empty."""

    train: float
    dev: float
    test: float

    @classmethod
    def read(cls, written: str) -> "Shares":
        """Read `80/10/10`, or `80/20` (train and test). Raises BadShares."""
        try:
            numbers = [float(part) for part in written.split("/")]
        except ValueError:
            raise BadShares(_HOW) from None
        if len(numbers) == 2:
            numbers.insert(1, 0.0)
        if len(numbers) != 3 or not all(0 <= number < 1e9 for number in numbers) or sum(numbers) <= 0:
            raise BadShares(_HOW)
        return cls(*numbers)

    @classmethod
    def read_whole(cls, written: str) -> "Shares":
        """Read shares that make a whole. Where one is above 10, all are percents.

        Raises BadShares if they cannot be read, and if percents do not add up to 100.
        """
        shares = cls.read(written)
        parts = (shares.train, shares.dev, shares.test)
        if max(parts) > 10 and abs(sum(parts) - 100) > 1:  # 33/33/33 is meant well
            raise BadShares(gettext_noop("The shares add up to %(sum)s, not to 100."), sum=f"{sum(parts):g}")
        return shares

    def __str__(self) -> str:
        return "/".join(f"{number:g}" for number in (self.train, self.dev, self.test))

    def of(self, part: Part) -> float:
        """Return the part's share of the whole, 0 to 1."""
        return {Part.TRAIN: self.train, Part.DEV: self.dev, Part.TEST: self.test}[part] / (
            self.train + self.dev + self.test
        )


@dataclass(frozen=True, slots=True)
class Member:
    """An item to be assigned: its id and its stratum, of which every part gets its share."""

    id: str
    stratum: str


Ties = Mapping[str, Iterable[Sequence[int]]]
"""Sets of indices of items that must stay together, by kind of tie."""


@dataclass(frozen=True)
class Leak:
    """The number of ties of a kind, and how many are split between parts (0 unless a frozen list splits them)."""

    ties: int
    items: int
    cut: int


@dataclass(frozen=True)
class Dealt:
    """The part of each item, in the order of the items, and figures about the split."""

    parts: list[Part]
    groups: int
    largest: int
    leaks: Mapping[str, Leak] = field(default_factory=dict)
    strata: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the leakage report."""
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
    """Split the items.

    `frozen` gives ids that already have a part: they keep it, and the items connected with them get the same part. If a
    frozen list itself splits a group, the other items of the group follow its first frozen id, and the split ties are
    counted.
    """
    frozen = frozen or {}
    ties_by_kind = {kind: [tuple(tie) for tie in kind_ties if len(tie) > 1] for kind, kind_ties in ties.items()}
    groups = _groups(len(members), (tie for kind_ties in ties_by_kind.values() for tie in kind_ties))
    parts = _dealt(members, groups, shares, seed, frozen)
    return Dealt(
        parts,
        len(groups),
        max(map(len, groups), default=0),
        {kind: _leak(kind_ties, parts) for kind, kind_ties in ties_by_kind.items()},
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
    missing = {part: {stratum: shares.of(part) * n for stratum, n in totals.items()} for part in Part}
    room = {part: shares.of(part) * len(members) for part in Part}
    parts: list[Part] = [Part.TRAIN] * len(members)
    open_parts = [part for part in Part if shares.of(part) > 0]

    def put(place: int, part: Part) -> None:
        parts[place] = part
        missing[part][members[place].stratum] -= 1
        room[part] -= 1

    def drawn(group: Sequence[int]) -> tuple[int, bytes]:
        name = min(members[place].id for place in group)
        return -len(group), hashlib.sha256(f"{seed}\n{name}".encode()).digest()

    for group in sorted(groups, key=drawn):
        frozen_ids = sorted(members[place].id for place in group if members[place].id in frozen)
        strata = Counter(members[place].stratum for place in group)
        part = frozen[frozen_ids[0]] if frozen_ids else _neediest(strata, len(group), open_parts, missing, room)
        for place in group:
            put(place, frozen.get(members[place].id, part))
    return parts


def _neediest(
    strata: Mapping[str, int],
    size: int,
    parts: Sequence[Part],
    missing: Mapping[Part, Mapping[str, float]],
    room: Mapping[Part, float],
) -> Part:
    """Return the part that needs most of the group's strata, then the part with the most free room.

    A part with too little room for the group needs it less.
    """

    def need(part: Part) -> tuple[float, float]:
        needed = sum(min(n, missing[part][stratum]) for stratum, n in strata.items())
        return round(needed / size + min(0.0, room[part] - size) / size, 9), room[part]

    return max(parts, key=need)


def _leak(ties: Sequence[Sequence[int]], parts: Sequence[Part]) -> Leak:
    cut = sum(len({parts[place] for place in tie}) > 1 for tie in ties)
    return Leak(len(ties), len({place for tie in ties for place in tie}), cut)


def _strata(members: Sequence[Member], parts: Sequence[Part]) -> dict[str, dict[str, int]]:
    counts = Counter((member.stratum, part.value) for member, part in zip(members, parts, strict=True))
    names = sorted({member.stratum for member in members})
    return {name: {part.value: counts[name, part.value] for part in Part} for name in names}
