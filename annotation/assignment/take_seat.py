"""Assign a free seat of an item to an annotator: owner, lease end, arm of prior display."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import F
from django.db.models.expressions import RawSQL

from annotation.assignment.annotator_state import ClaimRequest
from annotation.assignment.make_seats import add_check_seats
from annotation.assignment.prior_display import arm_in_force
from annotation.domain.choices import EventVerb, PriorArm, PriorDisplay, Stage
from annotation.domain.priors.arms import draw_arm
from annotation.models import Event, Item, Project, Seat, holder_key
from runs.sql.compiled_queries import CompiledQuery, CompiledUpdate, Slot, slot

STAGES_WITH_SEATS = (Stage.LABELLING, Stage.KNOWN)
"""The stages of items that are given to annotators. Items with a known answer are among them and look like others."""

# An annotator whose seat lapsed or was given back sees the same arm again.
_ARM_BEFORE = f"""
    SELECT e.facts ->> 'prior_arm' FROM "{Event._meta.db_table}" e
    WHERE e.item_id = "{Seat._meta.db_table}".item_id
    AND e.verb IN ('{EventVerb.SEAT_LAPSED}', '{EventVerb.SEAT_EMPTIED}')
    AND e.facts ->> 'holder' = %s ORDER BY e.id DESC LIMIT 1
"""
# In no order: a check has seats for everybody, and those that are filled must not be read first.
_FREE_SEAT_OF = CompiledQuery(
    Seat.objects.filter(item=slot("item"), annotator__isnull=True, round=F("item__round"))
    .select_related("item__picture")
    .annotate(arm_before=RawSQL(_ARM_BEFORE, (Slot("holder"),)))
    .order_by()[:1]
)
_MOMENT = Seat._meta.get_field("held_at")
_MOMENTS = ("held_at", "expires_at", "shown_at", "priors_shown_at")
_ASSIGN = CompiledUpdate(
    Seat.objects.filter(pk=slot("seat"), annotator__isnull=True),
    annotator=slot("annotator"),
    prior_arm=slot("prior_arm"),
    **{name: slot(name, _MOMENT) for name in _MOMENTS},
)


def _count_seat(*, wait: bool) -> CompiledUpdate:
    rows = Item.objects.filter(pk=slot("item"), stage__in=STAGES_WITH_SEATS, picture_missing=False)
    lock = rows.select_for_update(no_key=True, skip_locked=not wait)
    return CompiledUpdate(Item.objects.filter(pk__in=lock.values("pk")), taken=F("taken") + 1)


_COUNT_SEAT = {wait: _count_seat(wait=wait) for wait in (True, False)}


def lease_end(project: Project, now: datetime, *, ahead: bool = False) -> datetime:
    """Return when a seat taken or renewed now lapses; one ahead lasts twice as long, it waits for the one in front."""
    return now + timedelta(minutes=project.lease_minutes) * (2 if ahead else 1)


def clock_fields(project: Project, now: datetime, arm: str) -> dict[str, Any]:
    """Return the seat fields that are set when its item comes in front of the annotator."""
    shown = {"shown_at": now}
    return shown | {"priors_shown_at": now} if arm_in_force(project, arm) is PriorArm.SHOWN else shown


def find_free_seat(request: ClaimRequest, item_id: int, *, wait: bool) -> Seat | None:
    """Lock the item, count one seat more as taken, and return a free seat with the fields of its new owner.

    They are stored by `assignment`, in the same transaction.

    Returns None if none is free any more, or if `wait` is False and somebody else has locked the item.
    """
    if not _COUNT_SEAT[wait].run(item=item_id):
        return None
    values = {"item": item_id, "holder": holder_key(request.member)}
    seat = _FREE_SEAT_OF.first(**values) or (_FREE_SEAT_OF.first(**values) if add_check_seats(item_id) else None)
    if seat is None:
        _recount_taken(item_id)
        return None
    _set_owner(request, seat)
    return seat


def assignment(seat: Seat) -> tuple[str, list[Any]]:
    """Return the statement that stores the new owner of a free seat, and its values."""
    owner = {"annotator": seat.annotator_id, "prior_arm": seat.prior_arm}
    return _ASSIGN.statement(seat=seat.pk, **owner, **{name: getattr(seat, name) for name in _MOMENTS})


def _set_owner(request: ClaimRequest, seat: Seat) -> None:
    """Set the fields of the annotator's seat, with the arm that they had here before or one drawn now."""
    project, now = request.project, request.now
    arm = vars(seat)["arm_before"] or draw_arm(
        project.influence_seed,
        request.member.public_id,
        seat.item.public_id,
        project.withheld_percent,
        PriorDisplay(project.prior_display),
    )
    fields = {"held_at": now, "expires_at": lease_end(project, now, ahead=request.ahead), "prior_arm": arm}
    fields |= {"shown_at": None, "priors_shown_at": None} | ({} if request.ahead else clock_fields(project, now, arm))
    for name, value in fields.items():
        setattr(seat, name, value)
    seat.annotator, seat.item.project = request.member, project


def _recount_taken(item_id: int) -> None:
    """Correct the hint of a locked item that promised a free seat where none was."""
    occupied = Seat.objects.filter(item=item_id, round=F("item__round"), annotator__isnull=False)
    Item.objects.filter(pk=item_id).update(taken=occupied.count())
