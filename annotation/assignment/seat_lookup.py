"""Find the seat that an annotator means, lock its item's row, and tell whether the seat is still theirs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, FilteredRelation, Q
from django.db.models.expressions import RawSQL

from annotation.assignment.outcomes import AlreadyLabelled, NoSuchSeat, SeatLost
from annotation.assignment.release_seats import fields_before_loss, last_loss
from annotation.assignment.take_seat import STAGES_WITH_SEATS, lease_end
from annotation.domain.choices import EventVerb, Role
from annotation.domain.wellbeing.breaks import Workday
from annotation.models import Category, Event, Guideline, Item, Label, Membership, Seat
from annotation.workload.workday import newest_day_sql, read_workday
from runs.sql.compiled_queries import CompiledQuery, Slot, slot


@dataclass(frozen=True)
class LockedSeat:
    """A seat that is or was a member's. The row of its item is locked until the transaction ends."""

    seat: Seat
    """The member's seat in the item's current round; if they have none there, the seat that was asked for."""
    seats: Sequence[Seat]
    """The seats of the item's current round, in order; the member's alone where no label closes an item at once."""
    loss: Event | None
    """The event by which the member lost the seat that was asked for."""
    label_id: int | None
    """The label that the member sent before with the same client key."""
    category: Category | None
    """The project's category with the code that was asked for."""
    pace: Workday
    """The member's workday."""

    @property
    def item(self) -> Item:
        return self.seat.item

    def is_current_of(self, member: Membership) -> bool:
        """Whether the seat is the member's, in the item's current round."""
        return self.seat.annotator_id == member.pk and self.seat.round == self.item.round

    def label_of(self, member: Membership) -> Label | None:
        """Return the member's label in force at this seat, if any."""
        return self.seat.label if self.seat.annotator_id == member.pk else None


def lock_seat(
    member: Membership, seat: UUID, now: datetime, *, key: UUID | None = None, category: int | None = None
) -> LockedSeat | None:
    """Find the seat by its public id and lock its item; the caller has locked the member's row.

    The label that the member sent before with `key`, the category with the code `category` and the member's workday
    come in the same statement.

    Returns None if the seat never was the member's.
    """
    values = {"project": member.project_id, "seat": seat}
    item = _ITEM_OF_SEAT.first(**values, member=member.pk, key=key, code=category)
    if item is None:
        return None
    item.project = member.project
    read = _OWN_SEATS_OF_ITEM if member.project.changes_end_by_clock else _SEATS_OF_ITEM
    rows = read.rows(item=item.pk, round=item.round, seat=seat, **_reader_values(member, now))
    for row in rows:
        row.item = item
    seats = [row for row in rows if row.round == item.round]
    asked_for = next(row for row in rows if row.public_id == seat)
    loss = last_loss(asked_for, member) if asked_for.annotator_id != member.pk else None
    if loss is None and asked_for.annotator_id != member.pk:
        return None
    selected = vars(item)
    return LockedSeat(
        seat=next((row for row in seats if row.annotator_id == member.pk), asked_for),
        seats=seats,
        loss=loss,
        label_id=selected["label_id"],
        category=selected.get("chosen"),  # absent where there is no such category
        pace=read_workday(selected["newest_day"], now),
    )


def ensure_fillable(
    locked: LockedSeat, member: Membership, now: datetime
) -> AlreadyLabelled | SeatLost | NoSuchSeat | None:
    """Check that the member may fill the seat; take it again for them if it lapsed and nobody took it.

    Returns None if they may fill it.
    """
    if not member.has(Role.ANNOTATOR):
        return NoSuchSeat()
    if (label := locked.label_of(member)) is not None:
        return AlreadyLabelled(label)
    if locked.item.stage not in STAGES_WITH_SEATS:
        return SeatLost(locked.item)
    if locked.is_current_of(member) or _take_again(locked, member, now):
        return None
    return SeatLost(locked.item)


def lock_labelled_seat(member: Membership, label: UUID, now: datetime) -> Seat | None:
    """Lock the item of the member's label; return the seat where it, or a later revision of it, is in force.

    Returns None if the label is not the member's or no longer in force.
    """
    keys = Label.objects.filter(public_id=label, annotator=member).values_list("seat_id", "item_id").first()
    if keys is None:
        return None
    item = Item.objects.select_for_update(no_key=True).get(pk=keys[1])
    item.project = member.project
    seat = _LABELLED_SEAT.first(seat=keys[0], **_reader_values(member, now))
    if seat is not None:
        seat.item = item
    return seat


def is_held(seat: Seat) -> bool:
    """Whether the seat's owner still holds it: no label is stored and people are still asked about its item."""
    return seat.expires_at is not None and seat.round == seat.item.round and seat.item.stage in STAGES_WITH_SEATS


def can_change_label(seat: Seat, now: datetime) -> bool:
    """Whether the label at this seat may still be changed; `now` is the database's time.

    Where checks are mixed in, only the time since the annotator's own answer counts (`Seat.final_at`): what other
    people do would tell an item that closes from a check, which never does. Elsewhere it may while the item is open.
    """
    is_over = seat.final_at is not None and seat.final_at <= now
    return not is_over and seat.round == seat.item.round and seat.item.stage in STAGES_WITH_SEATS


def guideline_seen(seat: Seat) -> int | None:
    """Return the primary key of the guideline in force when the item was shown; only for seats from this module."""
    guideline_id: int | None = vars(seat)["guideline_seen"]
    return guideline_id


def next_revision(seat: Seat) -> int:
    """Return the number of the member's next label at this seat; only for seats from this module."""
    last: int | None = vars(seat)["last_revision"]
    return (last or 0) + 1


# ── Statements that every answer runs ─────────────────────────────────────────

_GUIDELINE, _LABEL, _SEAT = (f'"{model._meta.db_table}"' for model in (Guideline, Label, Seat))
_LABEL_WITH_KEY = f"SELECT l.id FROM {_LABEL} l WHERE l.annotator_id = %s AND l.client_key = %s"
_LAST_REVISION = f"SELECT MAX(l.revision) FROM {_LABEL} l WHERE l.seat_id = {_SEAT}.id AND l.annotator_id = %s"
_GUIDELINE_SEEN = f"""
    SELECT g.id FROM {_GUIDELINE} g
    WHERE g.project_id = %s AND g.created_at <= COALESCE({_SEAT}.shown_at, %s) ORDER BY g.number DESC LIMIT 1
"""
_PUBLIC_ID, _CLIENT_KEY = Seat._meta.get_field("public_id"), Label._meta.get_field("client_key")

# The seat first: from the items on, PostgreSQL without statistics reads a whole stage, and checks are the smaller one.
_ITEM_OF_SEAT = CompiledQuery(
    Item.objects.select_for_update(of=("self",), no_key=True)
    .filter(project=slot("project"), pk=Seat.objects.filter(public_id=slot("seat", _PUBLIC_ID)).values("item")[:1])
    .annotate(
        label_id=RawSQL(_LABEL_WITH_KEY, (Slot("member"), Slot("key", _CLIENT_KEY))),
        chosen=FilteredRelation(
            "project__categories",
            condition=Q(project__categories__code=slot("code"), project__categories__retired_at=None),
        ),
        newest_day=RawSQL(newest_day_sql("%s"), (Slot("member"),)),
    )
    .select_related("intended", "chosen")  # type: ignore[misc]  # the plugin does not know filtered relations
    .order_by()[:1]
)
# What a label written at the seat needs.
_READ_WITH_SEAT = {
    "guideline_seen": RawSQL(_GUIDELINE_SEEN, (Slot("project"), Slot("then"))),
    "last_revision": RawSQL(_LAST_REVISION, (Slot("member"),)),
}
_SEAT_WITH_LABEL = Seat.objects.select_related("label__category", "label__replacement__category").annotate(
    **_READ_WITH_SEAT
)
_SEATS_OF_ITEM = CompiledQuery(
    _SEAT_WITH_LABEL.order_by("number").filter(
        Q(round=slot("round")) | Q(public_id=slot("seat", _PUBLIC_ID)), item=slot("item")
    )
)
# By keys alone: a check has a seat for everybody, and to read them all would take longer than those of a post.
_OWN_SEAT = Seat.objects.filter(item=slot("item"), round=slot("round"), annotator=slot("member"))
_SEAT_ASKED_FOR = Seat.objects.filter(public_id=slot("seat", _PUBLIC_ID))
_OWN_SEATS_OF_ITEM = CompiledQuery(
    _SEAT_WITH_LABEL.order_by("number").filter(
        Q(pk=_OWN_SEAT.values("pk")[:1]) | Q(pk=_SEAT_ASKED_FOR.values("pk")[:1])
    )
)
_LABELLED_SEAT = CompiledQuery(
    Seat.objects.filter(pk=slot("seat"), annotator=slot("member"), label__isnull=False)
    .select_related("label__category")
    .annotate(**_READ_WITH_SEAT)
)


def _reader_values(member: Membership, now: datetime) -> dict[str, Any]:
    then = connection.ops.adapt_datetimefield_value(now)
    return {"project": member.project_id, "member": member.pk, "then": then}


def _take_again(locked: LockedSeat, member: Membership, now: datetime) -> bool:
    """Give the lapsed seat back to the member as it was. Return False if it was lost otherwise, taken, or is over."""
    seat, loss = locked.seat, locked.loss
    if (
        loss is None
        or loss.verb != EventVerb.SEAT_LAPSED
        or seat.round != seat.item.round
        or seat.annotator_id is not None
    ):
        return False
    fields = fields_before_loss(loss) | {"annotator": member, "expires_at": lease_end(member.project, now)}
    Seat.objects.filter(pk=seat.pk, annotator__isnull=True).update(**fields)
    Item.objects.filter(pk=seat.item.pk).update(taken=F("taken") + 1)
    for name, value in fields.items():
        setattr(seat, name, value)
    return True
