"""Withdraw the labels of a member who left under a consent that promises it.

Label rows are history and stay, but no seat points to them any more. An open item asks somebody else for the emptied
seat; a closed item whose outcome rested on the label gets a new round. Each item is one short transaction, so that a
kill leaves whole items behind and the sweeper goes on where it stopped: the work left is what the member's seats still
hold from before `Membership.labels_out_before`. Published releases are never changed.
"""

import time

from django.db.models import F, QuerySet

from annotation.assignment.annotator_state import lock_member
from annotation.assignment.release_seats import FREE_SEAT, reset_idle_members
from annotation.consensus.close import lock_item
from annotation.consensus.rounds import open_next_round
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb, Stage
from annotation.domain.reports import rested_on_votes
from annotation.models import Event, Item, Membership, Seat, record

AT_ONCE = 200
"""Items that are looked up together."""
SECONDS = 60.0
"""How long one sweep works at it; the next one goes on."""


def withdraw_remaining_labels() -> int:
    """Withdraw labels of every member who is not done yet; return the number of items. A step of the sweeper."""
    until = time.monotonic() + SECONDS
    leaving = Membership.objects.filter(labels_out_before__isnull=False).order_by("labels_out_before")
    return sum(withdraw_labels_of(member, until) for member in leaving)


def withdraw_labels_of(member: Membership, until: float | None = None) -> int:
    """Withdraw the member's labels item by item; return how many items were done before `until` (monotonic seconds)."""
    count = 0
    while items := list(_seats_left(member).values_list("item", flat=True).distinct()[:AT_ONCE]):
        for item in items:
            if until is not None and time.monotonic() > until:
                return count
            _withdraw_at_item(member, item)
            count += 1
    _record_end(member)
    return count


def _seats_left(member: Membership) -> QuerySet[Seat]:
    """Return the seats that hold a label from before the member left, in the order of items."""
    mine = Seat.objects.filter(annotator=member, label__isnull=False)
    return mine.filter(filled_at__lte=F("annotator__labels_out_before")).order_by("item_id")


@short_transaction
def _withdraw_at_item(member: Membership, key: int) -> None:
    member, _now = lock_member(member)
    item = lock_item(Item(pk=key))
    seats = list(_seats_left(member).filter(item=item).select_related("label"))
    began_in = item.round
    if any(seat.round == began_in for seat in seats) and _rests_on_votes(item):
        record(EventVerb.ASKED_AGAIN, project=item.project, item=item, round=began_in)
        open_next_round(item)
    elif seats:
        freed = sum(seat.round == began_in for seat in seats)
        Item.objects.filter(pk=item.pk, taken__gte=freed).update(taken=F("taken") - freed)
    for seat in seats:
        _empty_seat(seat, member, item)
    if item.stage == Stage.LABELLING:
        reset_idle_members(item.project)


def _rests_on_votes(item: Item) -> bool:
    """Whether the item is closed and its labels decided its outcome, so that it needs a new round."""
    return rested_on_votes(Stage(item.stage), item.excluded_for)


def _empty_seat(seat: Seat, member: Membership, item: Item) -> None:
    if seat.label is None or not Seat.objects.filter(pk=seat.pk, label=seat.label).update(
        **FREE_SEAT, label=None, filled_at=None
    ):
        raise RuntimeError(f"Seat {seat.public_id} changed while its item was held.")
    facts = {"seat": str(seat.public_id), "round": seat.round}
    record(EventVerb.LABEL_REMOVED, project=item.project, actor=member, item=item, row=seat.label.public_id, **facts)


@short_transaction
def _record_end(member: Membership) -> None:
    """Record once that all labels of the member are withdrawn."""
    member, _now = lock_member(member)
    if member.labels_out_before is None or _seats_left(member).exists():
        return
    since = member.labels_out_before
    count = Event.objects.filter(
        project=member.project_id, actor=member, verb=EventVerb.LABEL_REMOVED, at__gte=since
    ).count()
    Membership.objects.filter(pk=member.pk).update(labels_out_before=None)
    record(EventVerb.LABELS_REMOVED, project=member.project, actor=member, row=member.public_id, labels=count)
