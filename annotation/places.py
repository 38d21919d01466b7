"""A member's place at an item: which seat is meant, whether it is still theirs, and the item's row locked around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, FilteredRelation, Q
from django.db.models.expressions import RawSQL

from annotation.domain.pace import Pace
from annotation.domain.words import Role, Stage
from annotation.freeing import LAPSED, as_it_was, lost_seat
from annotation.handing_out import SEATED, held_until
from annotation.models import Category, Event, Guideline, Item, Label, Membership, Seat
from annotation.outcomes import AlreadyLabelled, NoSuchSeat, SeatLost
from annotation.pacing import newest_day, read_day
from runs.statements import Slot, Statement, slot

CLOCKS_APART = timedelta(seconds=1)
"""How far the database's clock may be behind ours where a row's age is compared with a time of a seat."""
KNOWN_OPEN = timedelta(hours=20)
"""How long a label of an item with a known answer may be changed."""


@dataclass(frozen=True)
class Place:
    """What a member's seat id stands for, at an item whose row is locked until the transaction ends."""

    item: Item
    round: Sequence[Seat]
    """The seats of the item's round, in order."""
    asked: Seat
    """The seat of this id; of an earlier round perhaps, or somebody else's by now."""
    mine: Seat | None
    """The member's own seat in the item's round."""
    lapse: Event | None
    """How the member lost the asked seat."""
    stored: int | None
    """The key of the label that came with this client key."""
    chosen: Category | None
    """The category that was asked for."""
    pace: Pace
    """Where the member stands today."""


def lock_place(
    member: Membership, seat: UUID, now: datetime, *, key: UUID | None = None, category: int | None = None
) -> Place | None:
    """Find the item by a seat that is or was the member's, and lock it; None where it never was.

    With it come the label that the member sent with `key`, the project's category of this code, and the member's day:
    without statements of their own. They see what this member has stored before: whoever calls has locked their row.
    """
    at = {"project": member.project_id, "seat": seat}
    item = _ITEM_OF.first(**at, member=member.pk, key=key, code=category)
    if item is None:
        return None
    item.project = member.project
    seats = _SEATS.rows(item=item.pk, round=item.round, seat=seat, **_seen_by(member, now))
    asked = next(each for each in seats if each.public_id == seat)
    lapse = lost_seat(asked, member) if asked.annotator_id != member.pk else None
    if lapse is None and asked.annotator_id != member.pk:
        return None
    for each in seats:
        each.item = item
    in_round = [each for each in seats if each.round == item.round]
    mine = next((each for each in in_round if each.annotator_id == member.pk), None)
    more = vars(item)
    return Place(
        item=item,
        round=in_round,
        asked=asked,
        mine=mine,
        lapse=lapse,
        stored=more["stored"],
        chosen=more.get("chosen"),  # absent where there is no such category
        pace=read_day(more["newest_day"], now),
    )


def open_place(place: Place, member: Membership, now: datetime) -> Seat | AlreadyLabelled | SeatLost | NoSuchSeat:
    """The seat the member may fill now; one that lapsed and that nobody took is theirs again."""
    if not member.has(Role.ANNOTATOR):
        return NoSuchSeat()
    if (label := own_label(place, member)) is not None:
        return AlreadyLabelled(label)
    if place.item.stage not in SEATED:
        return SeatLost(place.item)
    if place.mine is not None:
        return place.mine
    if place.lapse is not None and place.lapse.verb == LAPSED and _sit_again(place.asked, place.lapse, member, now):
        return place.asked
    return SeatLost(place.item)


def own_label(place: Place, member: Membership) -> Label | None:
    """The member's label in force at this place, of the item's round or of the asked seat."""
    if place.mine is not None:
        return place.mine.label
    return place.asked.label if place.asked.annotator_id == member.pk else None


def labelled_seat(member: Membership, label: UUID, now: datetime) -> Seat | None:
    """The member's seat whose label in force is this one or a later revision of it, its item locked."""
    given = Label.objects.filter(public_id=label, annotator=member).values_list("seat_id", "item_id").first()
    if given is None:
        return None
    item = Item.objects.select_for_update(no_key=True).get(pk=given[1])
    item.project = member.project
    seat = _LABELLED.first(seat=given[0], **_seen_by(member, now))
    if seat is not None:
        seat.item = item
    return seat


def guideline_seen(seat: Seat) -> int | None:
    """The key of the guideline in force when the seat's item was shown; the seat comes from this module."""
    key: int | None = vars(seat)["guideline_seen"]
    return key


def next_revision(seat: Seat) -> int:
    """The number of the member's next label at this seat; the seat comes from this module."""
    last: int | None = vars(seat)["last_revision"]
    return (last or 0) + 1


def is_open(seat: Seat, now: datetime) -> bool:
    """Whether the label at this seat may still be changed by who gave it.

    An item with a known answer never closes; so that nobody can tell, its labels become final after a while too.
    """
    if seat.round != seat.item.round:
        return False
    if seat.item.stage == Stage.KNOWN:
        return seat.filled_at is None or now - seat.filled_at < KNOWN_OPEN
    return seat.item.stage == Stage.LABELLING


# ── Statements behind every answer ────────────────────────────────────────────

_GUIDELINE, _LABEL, _SEAT = (f'"{model._meta.db_table}"' for model in (Guideline, Label, Seat))
_STORED = f"SELECT l.id FROM {_LABEL} l WHERE l.annotator_id = %s AND l.client_key = %s"
_LAST_REVISION = f"SELECT MAX(l.revision) FROM {_LABEL} l WHERE l.seat_id = {_SEAT}.id AND l.annotator_id = %s"
_SEEN = f"""
    SELECT g.id FROM {_GUIDELINE} g
    WHERE g.project_id = %s AND g.created_at <= COALESCE({_SEAT}.shown_at, %s) ORDER BY g.number DESC LIMIT 1
"""
_PUBLIC_ID, _CLIENT_KEY = Seat._meta.get_field("public_id"), Label._meta.get_field("client_key")

_ITEM_OF = Statement(
    Item.objects.select_for_update(of=("self",), no_key=True)
    .filter(project=slot("project"), seat_rows__public_id=slot("seat", _PUBLIC_ID))
    .annotate(
        stored=RawSQL(_STORED, (Slot("member"), Slot("key", _CLIENT_KEY))),
        chosen=FilteredRelation("project__categories", condition=Q(project__categories__code=slot("code"))),
        newest_day=RawSQL(newest_day("%s"), (Slot("member"),)),
    )
    .select_related("intended", "chosen")  # type: ignore[misc]  # the plugin does not know filtered relations
    .order_by()[:1]
)
# With what a label written at them needs, and, for the last of a round, what closing asks of the others.
_READ = {
    "guideline_seen": RawSQL(_SEEN, (Slot("project"), Slot("then"))),
    "last_revision": RawSQL(_LAST_REVISION, (Slot("member"),)),
}
_SEATS = Statement(
    Seat.objects.order_by("number")
    .filter(Q(round=slot("round")) | Q(public_id=slot("seat", _PUBLIC_ID)), item=slot("item"))
    .select_related("label__category", "label__replacement__category")
    .annotate(**_READ)
)
_LABELLED = Statement(
    Seat.objects.filter(pk=slot("seat"), annotator=slot("member"), label__isnull=False)
    .select_related("label__category")
    .annotate(**_READ)
)


def _seen_by(member: Membership, now: datetime) -> dict[str, Any]:
    then = connection.ops.adapt_datetimefield_value(now)
    return {"project": member.project_id, "member": member.pk, "then": then}


def _sit_again(seat: Seat, lapse: Event, member: Membership, now: datetime) -> bool:
    """Take the lapsed seat again as it was, if nobody took it and its round goes on."""
    if seat.round != seat.item.round or seat.annotator_id is not None:
        return False
    fields = as_it_was(lapse) | {"annotator": member, "expires_at": held_until(member.project, now)}
    Seat.objects.filter(pk=seat.pk, annotator__isnull=True).update(**fields)
    Item.objects.filter(pk=seat.item.pk).update(taken=F("taken") + 1)
    for name, value in fields.items():
        setattr(seat, name, value)
    return True
