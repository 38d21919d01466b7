"""Staffing: can the present people fill the seats that are left?

Every item needs different people. People may be barred from an item (they labelled or skipped it, opted out of it, are
not members of its batch) or have few labels left in their quota. Without quotas the answer is exact: each item needs
enough able people. With quotas it is an approximation that prefers "perhaps": `ENOUGH` is returned only if a way to
fill every place was found.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Whether the present people can fill the places that are left."""

    ENOUGH = "enough"
    PERHAPS = "perhaps"
    """No item lacks people, but the quotas are tight, or not every item was checked."""
    QUOTAS = "quotas"
    """The quotas allow fewer labels than are needed."""
    PEOPLE = "people"
    """Some items cannot be finished without more people."""
    NOTHING_LEFT = "nothing_left"


@dataclass(frozen=True)
class Work:
    """Equal items: each still needs `places` different people out of `able` (keys)."""

    places: int
    able: frozenset[int]
    items: int = 1


@dataclass(frozen=True)
class Staffing:
    """The result: which part of the work the present people can do."""

    verdict: Verdict
    places: int = 0
    """The number of places left in all items."""
    stuck_items: int = 0
    """The number of items with fewer able people than places."""
    stuck_places: int = 0
    """The number of places that nobody can fill."""
    more_people: int = 0
    """The minimum number of new people without a quota, barred from none of these items."""
    labels_short: int = 0
    """The minimum number of labels that the quotas lack, without the places that nobody can fill."""


def staffing(work: Iterable[Work], labels_left: Mapping[int, int | None], *, whole: bool = True) -> Staffing:
    """Return what people can do. `labels_left` is each person's number of labels left (None: no quota).

    A person who is not in `labels_left` is not there. `whole` is False if the caller left out some work: then the
    verdict is never ENOUGH.
    """
    free = {person for person, labels in labels_left.items() if labels is None or labels > 0}
    able = [Work(part.places, part.able & free, part.items) for part in work if part.places > 0 and part.items > 0]
    places = sum(part.places * part.items for part in able)
    stuck = [part for part in able if len(part.able) < part.places]
    result = Staffing(
        Verdict.PEOPLE,
        places=places,
        stuck_items=sum(part.items for part in stuck),
        stuck_places=sum((part.places - len(part.able)) * part.items for part in stuck),
        more_people=max((part.places - len(part.able) for part in stuck), default=0),
        labels_short=_labels_short(able, labels_left),
    )
    if stuck:
        return result
    return Staffing(_verdict(able, labels_left, result, whole=whole), places=places, labels_short=result.labels_short)


def _verdict(work: Sequence[Work], labels_left: Mapping[int, int | None], result: Staffing, *, whole: bool) -> Verdict:
    if result.labels_short:
        return Verdict.QUOTAS
    if not whole:
        return Verdict.PERHAPS
    if not work:
        return Verdict.NOTHING_LEFT
    if all(labels is None for labels in labels_left.values()):
        return Verdict.ENOUGH
    return Verdict.ENOUGH if _can_be_shared_out(work, labels_left) else Verdict.PERHAPS


def _labels_short(work: Sequence[Work], labels_left: Mapping[int, int | None]) -> int:
    """Return the minimum number of fillable places beyond the quotas.

    Nobody gives more labels than there are items they may see.
    """
    if all(labels is None for labels in labels_left.values()):
        return 0
    places = sum(min(part.places, len(part.able)) * part.items for part in work)
    most = 0
    for person, labels in labels_left.items():
        items = sum(part.items for part in work if person in part.able)
        most += items if labels is None else min(labels, items)
    return max(0, places - most)


def _can_be_shared_out(work: Sequence[Work], labels_left: Mapping[int, int | None]) -> bool:
    """Return whether a simple distribution fills every place: least choice first, from the largest quotas.

    A group of n items that need d people each is filled if people give n·d labels and nobody gives more than n:
    assigned in turn, no item gets the same person twice.
    """
    remaining: dict[int, float] = {
        person: float("inf") if labels is None else labels for person, labels in labels_left.items()
    }
    for part in sorted(work, key=lambda part: (len(part.able) - part.places, -part.places)):
        shares = _shares([(remaining[person], person) for person in sorted(part.able)], part.items, part.places)
        if shares is None:
            return False
        for person, labels in shares.items():
            remaining[person] -= labels
    return True


def _shares(quotas: Sequence[tuple[float, int]], items: int, places: int) -> dict[int, int] | None:
    """Return each person's number of labels, at most `items` each, in total `items * places`.

    Returns None if they cannot give so many.
    """
    remaining, shares = items * places, {}
    for labels, person in sorted(quotas, key=lambda quota: (-quota[0], quota[1])):
        shares[person] = int(min(labels, items, remaining))
        remaining -= shares[person]
    return shares if remaining == 0 else None
