"""Who is needed: can the present people fill the places that are left?

Every item needs different people, and people may be barred from an item (they labelled or skipped it, opted out of it,
are not members of its batch) or have few labels left by their quota. Without quotas the answer is exact: each item on
its own needs enough able people. With quotas it is approximated, and errs towards "perhaps": `ENOUGH` is only said
when a way to fill every place was found.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Whether the places that are left can be filled by the present people."""

    ENOUGH = "enough"
    PERHAPS = "perhaps"
    """No item lacks people, but the quotas are tight, or not every item was looked at."""
    QUOTAS = "quotas"
    """The quotas leave fewer labels than are needed."""
    PEOPLE = "people"
    """Some items cannot be finished without somebody else."""
    NOTHING_LEFT = "nothing_left"


@dataclass(frozen=True)
class Work:
    """Items that are alike: each still needs `places` different people out of `able` (keys)."""

    places: int
    able: frozenset[int]
    items: int = 1


@dataclass(frozen=True)
class Staffing:
    """What the present people can do of the work."""

    verdict: Verdict
    places: int = 0
    """Places left, all items together."""
    stuck_items: int = 0
    """Items with fewer able people than places."""
    stuck_places: int = 0
    """Places that nobody is there for."""
    more_people: int = 0
    """How many people must join, at least, who are barred from none of these items and have no quota."""
    labels_short: int = 0
    """Labels that the quotas are short of, at least; places at stuck items not counted."""


def staffing(work: Iterable[Work], left: Mapping[int, int | None], *, whole: bool = True) -> Staffing:
    """What people can do, given how many labels each has left (None: no quota; who is missing is not there).

    `whole` is False where the caller left work out that it did not look at: then nothing is called enough.
    """
    free = {person for person, labels in left.items() if labels is None or labels > 0}
    able = [Work(each.places, each.able & free, each.items) for each in work if each.places > 0 and each.items > 0]
    places = sum(each.places * each.items for each in able)
    stuck = [each for each in able if len(each.able) < each.places]
    found = Staffing(
        Verdict.PEOPLE,
        places=places,
        stuck_items=sum(each.items for each in stuck),
        stuck_places=sum((each.places - len(each.able)) * each.items for each in stuck),
        more_people=max((each.places - len(each.able) for each in stuck), default=0),
        labels_short=_labels_short(able, left),
    )
    if stuck:
        return found
    return Staffing(_verdict(able, left, found, whole=whole), places=places, labels_short=found.labels_short)


def _verdict(work: Sequence[Work], left: Mapping[int, int | None], found: Staffing, *, whole: bool) -> Verdict:
    if found.labels_short:
        return Verdict.QUOTAS
    if not whole:
        return Verdict.PERHAPS
    if not work:
        return Verdict.NOTHING_LEFT
    if all(labels is None for labels in left.values()):
        return Verdict.ENOUGH
    return Verdict.ENOUGH if _can_be_shared_out(work, left) else Verdict.PERHAPS


def _labels_short(work: Sequence[Work], left: Mapping[int, int | None]) -> int:
    """How many fillable places the quotas cannot cover, at least: nobody gives more labels than items they may see."""
    if all(labels is None for labels in left.values()):
        return 0
    places = sum(min(each.places, len(each.able)) * each.items for each in work)
    most = 0
    for person, labels in left.items():
        items = sum(each.items for each in work if person in each.able)
        most += items if labels is None else min(labels, items)
    return max(0, places - most)


def _can_be_shared_out(work: Sequence[Work], left: Mapping[int, int | None]) -> bool:
    """Whether a simple way of sharing out fills every place: the work with least choice first, from the fullest quotas.

    A group of n items that need d people each is filled if people give n·d labels and nobody more than n: dealt out
    one after the other, no item meets the same person twice.
    """
    remaining: dict[int, float] = {
        person: float("inf") if labels is None else labels for person, labels in left.items()
    }
    for each in sorted(work, key=lambda each: (len(each.able) - each.places, -each.places)):
        shares = _shares([(remaining[person], person) for person in sorted(each.able)], each.items, each.places)
        if shares is None:
            return False
        for person, labels in shares.items():
            remaining[person] -= labels
    return True


def _shares(quotas: Sequence[tuple[float, int]], items: int, places: int) -> dict[int, int] | None:
    """How many labels each gives so that they make `items * places`, at most `items` each; None if they do not."""
    wanted, shares = items * places, {}
    for labels, person in sorted(quotas, key=lambda quota: (-quota[0], quota[1])):
        shares[person] = int(min(labels, items, wanted))
        wanted -= shares[person]
    return shares if wanted == 0 else None
