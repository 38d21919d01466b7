"""A member's place at an item: which seat is meant, whether it is still theirs, and the item's row locked around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import RawSQL

from annotation.domain.words import Role, Stage
from annotation.freeing import LAPSED, as_it_was, lost_seat
from annotation.handing_out import held_until
from annotation.models import Category, Event, Guideline, Item, Label, Membership, Seat
from annotation.outcomes import AlreadyLabelled, NoSuchSeat, SeatLost

CLOCKS_APART = timedelta(seconds=1)
"""How far the database's clock may be behind ours where a row's age is compared with a time of a seat."""


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
    more: Mapping[str, int | None]
    """The keys of what was looked up on the way."""


def lock_place(member: Membership, seat: UUID, now: datetime, **more: RawSQL) -> Place | None:
    """Find the item by a seat that is or was the member's, and lock it; None where it never was.

    `more` are keys wanted too, without statements of their own. They see what this member has stored before:
    whoever calls has locked the member's row.
    """
    rows = Item.objects.select_for_update(of=("self",), no_key=True).select_related("intended")
    item = rows.filter(project=member.project_id, seat_rows__public_id=seat).annotate(**more).order_by().first()
    if item is None:
        return None
    item.project = member.project
    seats = list(_seats(member, now).filter(Q(round=item.round) | Q(public_id=seat), item=item))
    asked = next(each for each in seats if each.public_id == seat)
    lapse = lost_seat(asked, member) if asked.annotator_id != member.pk else None
    if lapse is None and asked.annotator_id != member.pk:
        return None
    for each in seats:
        each.item = item
    in_round = [each for each in seats if each.round == item.round]
    mine = next((each for each in in_round if each.annotator_id == member.pk), None)
    return Place(item, in_round, asked, mine, lapse, {name: vars(item)[name] for name in more})


def open_place(place: Place, member: Membership, now: datetime) -> Seat | AlreadyLabelled | SeatLost | NoSuchSeat:
    """The seat the member may fill now; one that lapsed and that nobody took is theirs again."""
    if not member.has(Role.ANNOTATOR):
        return NoSuchSeat()
    if (label := own_label(place, member)) is not None:
        return AlreadyLabelled(label)
    if place.item.stage != Stage.LABELLING:
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
    seat = _seats(member, now).filter(pk=given[0], annotator=member, label__isnull=False).first()
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


def stored_with(member: Membership, key: UUID) -> RawSQL:
    """The key of the member's label that came with this client key."""
    return RawSQL(_STORED, (member.pk, Label._meta.get_field("client_key").get_db_prep_value(key, connection)))


def chosen_by(member: Membership, code: int | None) -> RawSQL:
    """The key of the category of this code in the member's project."""
    return RawSQL(_CHOSEN, (member.project_id, code))


# Written out because building these with the ORM costs more than running them; they are part of every submit.
_GUIDELINE, _LABEL, _SEAT = (f'"{model._meta.db_table}"' for model in (Guideline, Label, Seat))
_STORED = f"SELECT l.id FROM {_LABEL} l WHERE l.annotator_id = %s AND l.client_key = %s"
_CHOSEN = f'SELECT c.id FROM "{Category._meta.db_table}" c WHERE c.project_id = %s AND c.code = %s'
_LAST_REVISION = f"SELECT MAX(l.revision) FROM {_LABEL} l WHERE l.seat_id = {_SEAT}.id AND l.annotator_id = %s"
_SEEN = f"""
    SELECT g.id FROM {_GUIDELINE} g
    WHERE g.project_id = %s AND g.created_at <= COALESCE({_SEAT}.shown_at, %s) ORDER BY g.number DESC LIMIT 1
"""


def _seats(member: Membership, now: datetime) -> QuerySet[Seat]:
    """Seats with what a label written at them needs, in one query."""
    then = connection.ops.adapt_datetimefield_value(now)
    return Seat.objects.order_by("number").annotate(
        guideline_seen=RawSQL(_SEEN, (member.project_id, then)),
        last_revision=RawSQL(_LAST_REVISION, (member.pk,)),
    )


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
