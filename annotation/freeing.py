"""Giving seats back: those that lapsed, those of people who leave, those at items that are taken out.

A freed seat forgets who held it, but an event remembers: a late answer of that person is honoured while nobody has
taken the seat, and told apart from an answer for a seat that was never theirs.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils.dateparse import parse_datetime

from annotation.models import Event, Item, Membership, Project, Seat, record
from annotation.transactions import short_transaction

FREE_SEAT: Mapping[str, Any] = {
    "annotator": None,
    "held_at": None,
    "expires_at": None,
    "shown_at": None,
    "priors_shown_at": None,
    "first_answer": None,
    "prior_arm": "",
    "reveals": 0,
}
"""The fields of a seat that nobody holds."""

LAPSED = "seat_lapsed"
"""The event of a seat that was freed because its time was up; its holder may still fill it."""
SKIPPED = "skipped"
"""The event of a seat that its holder gave back."""
EMPTIED = "seat_emptied"
"""The event of a seat that was freed because its holder left, or the item was taken out."""

_AT_ONCE = 64


def free_lapsed_of(project: Project, now: datetime) -> int:
    """Free lapsed seats of the project, a few at once, within the caller's transaction; how many.

    Items at which somebody else is busy are passed over.
    """
    return _free_lapsed(_lapsed(now).filter(item__project=project).order_by("pk")[:_AT_ONCE])


def free_lapsed_seats() -> int:
    """Free every lapsed seat of the site, a few in each transaction; how many. The sweeper's step."""
    freed, last = 0, 0
    while keys := list(_lapsed(Now()).filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]):
        freed += short_transaction(_free_lapsed)(_lapsed(Now()).filter(pk__in=keys))
        last = keys[-1]
    return freed


@short_transaction
def free_seats_of(member: Membership, actor: Membership | None) -> int:
    """Free all seats the member holds, because they leave; how many."""
    held = Seat.objects.filter(annotator=member, expires_at__isnull=False)
    items = lock_items({seat.item_id for seat in held}, wait=True)
    freed = sum(free_seat(seat, items[seat.item_id], EMPTIED, actor) for seat in held)
    if freed:
        wake(member.project_id)
    return freed


def free_held_seats(item: Item) -> int:
    """Free the held seats of an item that is taken out, whose row the caller has locked; how many."""
    taken = Seat.objects.filter(item=item, annotator__isnull=False).select_related("annotator")
    return sum(free_seat(seat, item, EMPTIED, None) for seat in taken if seat.label_id is None)


def free_seat(seat: Seat, item: Item, verb: str, actor: Membership | None, **facts: Any) -> bool:
    """Free a held seat of an item whose row the caller has locked, and write down whose it was.

    False where the seat is not held any more as it was when it was read.
    """
    holder = seat.annotator
    if holder is None:
        return False
    guard = Seat.objects.filter(pk=seat.pk, annotator=holder, label__isnull=True, expires_at=seat.expires_at)
    if not guard.update(**FREE_SEAT):
        return False
    Item.objects.filter(pk=item.pk, round=seat.round, taken__gt=0).update(taken=F("taken") - 1)
    facts |= {name: _written(getattr(seat, name)) for name in _KEPT} | {"holder": name_of(holder)}
    record(verb, project=item.project, actor=actor, item=item, row=seat.public_id, **facts)
    return True


def lost_seat(seat: Seat, member: Membership) -> Event | None:
    """The event by which the member last lost this seat, if they ever held it."""
    events = Event.objects.filter(item=seat.item_id, row=seat.public_id, verb__in=(LAPSED, SKIPPED, EMPTIED))
    return events.filter(facts__holder=name_of(member)).order_by("-pk").first()


def as_it_was(lapse: Event) -> dict[str, Any]:
    """The fields of a lapsed seat as its holder left them."""
    facts = lapse.facts
    times = {name: parse_datetime(facts[name]) if facts[name] else None for name in _TIMES}
    kept = {"first_answer": facts["first_answer"], "reveals": facts["reveals"]}
    return times | kept | {"prior_arm": facts.get("prior_arm", "")}  # events of before arms were drawn have none


def wake(project: Project | int) -> None:
    """A seat opened: forget for everybody in the project that there was nothing left.

    Whoever is in the middle of an act is passed over, so that this never waits for anybody; at worst they look
    again when their half minute is over.
    """
    idle = Membership.objects.filter(project=project, idle_until__isnull=False)
    with transaction.atomic(savepoint=False):
        free = idle.select_for_update(skip_locked=True, no_key=True)
        Membership.objects.filter(pk__in=free.values("pk")).update(idle_until=None)


_TIMES = ("held_at", "shown_at", "priors_shown_at")
_KEPT = (*_TIMES, "first_answer", "prior_arm", "reveals")


def _lapsed(now: datetime | Now) -> QuerySet[Seat]:
    return Seat.objects.filter(expires_at__isnull=False, expires_at__lt=now)


def _free_lapsed(lapsed: QuerySet[Seat]) -> int:
    seats = list(lapsed.select_related("annotator"))
    if not seats:
        return 0
    items = lock_items({seat.item_id for seat in seats}, wait=False)
    freed = [seat for seat in seats if seat.item_id in items and free_seat(seat, items[seat.item_id], LAPSED, None)]
    for project in {items[seat.item_id].project_id for seat in freed}:
        wake(project)
    return len(freed)


def lock_items(items: Iterable[int], *, wait: bool) -> dict[int, Item]:
    """The items by key, their rows locked in the order of keys; without waiting, only those that nobody holds."""
    rows = Item.objects.select_for_update(no_key=True, skip_locked=not wait, of=("self",)).filter(pk__in=list(items))
    return {item.pk: item for item in rows.select_related("project").order_by("pk")}


def name_of(member: Membership) -> str:
    """How the events of this module name who held a seat."""
    return str(member.public_id)


def _written(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
