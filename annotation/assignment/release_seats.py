"""Free seats: those that lapsed, those of members who leave, those of items that are excluded.

A freed seat does not keep its holder, but an event does: a late answer of that person is accepted while nobody has
taken the seat, and differs from an answer for a seat that was never theirs.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils.dateparse import parse_datetime

from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb
from annotation.models import Event, Item, Membership, PostponedSeat, Project, Seat, holder_key, record

FREE_SEAT: Mapping[str, Any] = {
    "annotator": None,
    "held_at": None,
    "expires_at": None,
    "shown_at": None,
    "priors_shown_at": None,
    "first_answer": None,
    "prior_arm": "",
    "reveals": 0,
    "final_at": None,
}
"""The fields of a seat that nobody holds."""


_AT_ONCE = 64


def free_lapsed_seats_of_project(project: Project, now: datetime) -> int:
    """Free a few lapsed seats of the project within the caller's transaction; return how many.

    Items that somebody else has locked are passed over.
    """
    return _free_lapsed(_lapsed(now).filter(item__project=project).order_by("pk")[:_AT_ONCE])


def free_lapsed_seats() -> int:
    """Free every lapsed seat of the site, a few in each transaction; return how many. A step of the sweeper."""
    freed, last = 0, 0
    while keys := list(_lapsed(Now()).filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]):
        freed += short_transaction(_free_lapsed)(_lapsed(Now()).filter(pk__in=keys))
        last = keys[-1]
    return freed


@short_transaction
def free_seats_of_member(member: Membership, actor: Membership | None) -> int:
    """Free all seats held by a member who leaves; return how many."""
    seats = Seat.objects.filter(annotator=member, expires_at__isnull=False)
    items = lock_items({seat.item_id for seat in seats}, wait=True)
    freed = sum(free_seat(seat, items[seat.item_id], EventVerb.SEAT_EMPTIED, actor) for seat in seats)
    if freed:
        reset_idle_members(member.project_id)
    PostponedSeat.objects.filter(member=member).delete()
    return freed


def free_seats_of_item(item: Item) -> int:
    """Free the held seats of an item that is excluded and locked by the caller; return how many."""
    seats = Seat.objects.filter(item=item, annotator__isnull=False).select_related("annotator")
    return sum(free_seat(seat, item, EventVerb.SEAT_EMPTIED, None) for seat in seats if seat.label_id is None)


def free_seat(seat: Seat, item: Item, verb: EventVerb, actor: Membership | None, **facts: Any) -> bool:
    """Free a held seat of an item that the caller has locked, and record an event with its holder.

    Returns False if the seat has changed since it was read.
    """
    holder = seat.annotator
    if holder is None:
        return False
    guard = Seat.objects.filter(pk=seat.pk, annotator=holder, label__isnull=True, expires_at=seat.expires_at)
    if not guard.update(**FREE_SEAT):
        return False
    Item.objects.filter(pk=item.pk, round=seat.round, taken__gt=0).update(taken=F("taken") - 1)
    facts |= {name: _written(getattr(seat, name)) for name in _KEPT} | {"holder": holder_key(holder)}
    record(verb, project=item.project, actor=actor, item=item, row=seat.public_id, **facts)
    return True


def last_loss(seat: Seat, member: Membership) -> Event | None:
    """Return the event by which the member last lost this seat.

    Returns None if they never held it.
    """
    events = Event.objects.filter(
        item=seat.item_id,
        row=seat.public_id,
        verb__in=(EventVerb.SEAT_LAPSED, EventVerb.SKIPPED, EventVerb.SEAT_EMPTIED),
    )
    return events.filter(facts__holder=holder_key(member)).order_by("-pk").first()


def fields_before_loss(lapse: Event) -> dict[str, Any]:
    """Return the fields of a lapsed seat as its holder left them."""
    facts = lapse.facts
    times = {name: parse_datetime(facts[name]) if facts.get(name) else None for name in _TIMES}
    kept = {"first_answer": facts["first_answer"], "reveals": facts["reveals"]}
    return times | kept | {"prior_arm": facts.get("prior_arm", "")}  # events of before arms were drawn have none


def reset_idle_members(project: Project | int) -> None:
    """Clear "nothing left" for everybody in the project, because a seat has opened.

    Members whose row is locked are passed over, so that this never waits; at worst they look again after 30 seconds.
    """
    idle = Membership.objects.filter(project=project, idle_until__isnull=False)
    with transaction.atomic(savepoint=False):
        free = idle.select_for_update(skip_locked=True, no_key=True)
        Membership.objects.filter(pk__in=free.values("pk")).update(idle_until=None)


_TIMES = ("held_at", "shown_at", "priors_shown_at", "final_at")
_KEPT = (*_TIMES, "first_answer", "prior_arm", "reveals")


def _lapsed(now: datetime | Now) -> QuerySet[Seat]:
    return Seat.objects.filter(expires_at__isnull=False, expires_at__lt=now)


def _free_lapsed(lapsed: QuerySet[Seat]) -> int:
    seats = list(lapsed.select_related("annotator"))
    if not seats:
        return 0
    items = lock_items({seat.item_id for seat in seats}, wait=False)
    freed = [
        seat
        for seat in seats
        if seat.item_id in items and free_seat(seat, items[seat.item_id], EventVerb.SEAT_LAPSED, None)
    ]
    for project in {items[seat.item_id].project_id for seat in freed}:
        reset_idle_members(project)
    return len(freed)


def lock_items(items: Iterable[int], *, wait: bool) -> dict[int, Item]:
    """Lock the items' rows in the order of their keys; return them by key, without `wait` only unlocked ones."""
    rows = Item.objects.select_for_update(no_key=True, skip_locked=not wait, of=("self",)).filter(pk__in=list(items))
    return {item.pk: item for item in rows.select_related("project").order_by("pk")}


def _written(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
