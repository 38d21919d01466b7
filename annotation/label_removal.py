"""Taking a person's labels out of force, because they left under a consent that promises it.

Label rows are history and stay; no seat points to them any more. An item that is open asks somebody else for the
emptied seat; a closed one, whose outcome rested on the label, gets a new round. Each item is one short transaction,
so that a kill leaves whole items behind and the sweeper goes on where it stopped: what is left to do is what the
person's seats still hold from before `Membership.labels_out_before`. What is published is never touched.
"""

import time

from django.db.models import F, QuerySet

from annotation.consensus import hold
from annotation.domain.words import Reason, Stage
from annotation.freeing import FREE_SEAT, wake
from annotation.handing_out import lock_member
from annotation.models import Event, Item, Membership, Seat, record
from annotation.rounds import next_round
from annotation.transactions import short_transaction

REMOVED = "label_removed"
"""The event of a label that was taken out of force; its facts name seat and round."""
ASKED_AGAIN = "asked_again"
"""The event of a closed item that a new round was opened for, because a label of it was removed."""

AT_ONCE = 200
"""Items that are looked up together."""
SECONDS = 60.0
"""How long one sweep works at it; the next one goes on."""


def take_out_left() -> int:
    """Go on with everybody whose labels are still to be taken out; how many items were done. The sweeper's step."""
    until = time.monotonic() + SECONDS
    leaving = Membership.objects.filter(labels_out_before__isnull=False).order_by("labels_out_before")
    return sum(take_out(member, until) for member in leaving)


def take_out(member: Membership, until: float | None = None) -> int:
    """Take the member's labels out of force, item by item; how many items were done before `until` (monotonic)."""
    done = 0
    while items := list(_left(member).values_list("item", flat=True).distinct()[:AT_ONCE]):
        for item in items:
            if until is not None and time.monotonic() > until:
                return done
            _at_item(member, item)
            done += 1
    _end(member)
    return done


def _left(member: Membership) -> QuerySet[Seat]:
    """The seats that hold a label from before the person left, of the first items first."""
    mine = Seat.objects.filter(annotator=member, label__isnull=False)
    return mine.filter(filled_at__lte=F("annotator__labels_out_before")).order_by("item_id")


@short_transaction
def _at_item(member: Membership, key: int) -> None:
    member, _now = lock_member(member)
    item = hold(Item(pk=key))
    seats = list(_left(member).filter(item=item).select_related("label"))
    began_in = item.round
    if any(seat.round == began_in for seat in seats) and _rests_on_votes(item):
        record(ASKED_AGAIN, project=item.project, item=item, round=began_in)
        next_round(item)
    elif seats:
        freed = sum(seat.round == began_in for seat in seats)
        Item.objects.filter(pk=item.pk, taken__gte=freed).update(taken=F("taken") - freed)
    for seat in seats:
        _empty(seat, member, item)
    if item.stage == Stage.LABELLING:
        wake(item.project)


def _rests_on_votes(item: Item) -> bool:
    """Whether the item is closed and its labels decided what became of it, so that it has to be asked about again."""
    if item.stage == Stage.EXCLUDED:
        return item.excluded_for not in (Reason.REPORTED, Reason.WITHDRAWN)
    return item.stage in (Stage.GOLD, Stage.DISPUTED)


def _empty(seat: Seat, member: Membership, item: Item) -> None:
    if seat.label is None or not Seat.objects.filter(pk=seat.pk, label=seat.label).update(
        **FREE_SEAT, label=None, filled_at=None
    ):
        raise RuntimeError(f"Seat {seat.public_id} changed while its item was held.")
    facts = {"seat": str(seat.public_id), "round": seat.round}
    record(REMOVED, project=item.project, actor=member, item=item, row=seat.label.public_id, **facts)


@short_transaction
def _end(member: Membership) -> None:
    """Write down that it is done, once."""
    member, _now = lock_member(member)
    if member.labels_out_before is None or _left(member).exists():
        return
    since = member.labels_out_before
    count = Event.objects.filter(project=member.project_id, actor=member, verb=REMOVED, at__gte=since).count()
    Membership.objects.filter(pk=member.pk).update(labels_out_before=None)
    record("labels_removed", project=member.project, actor=member, row=member.public_id, labels=count)
