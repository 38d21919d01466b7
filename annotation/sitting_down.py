"""Taking a free seat at an item: whose it becomes, until when, and in which arm of prior display."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F
from django.db.models.expressions import RawSQL

from annotation.asking import Asking
from annotation.domain.arms import draw_arm
from annotation.domain.words import PriorArm, PriorDisplay, Stage
from annotation.freeing import EMPTIED, LAPSED, name_of
from annotation.models import Event, Item, Project, Seat
from annotation.showing import arm_at
from runs.statements import Slot, Statement, slot

SEATED = (Stage.LABELLING, Stage.KNOWN)
"""The stages of items that people sit at; those with a known answer among them, to look like all others."""

# What the person saw here before, if their seat lapsed or was given back, they see again.
_ARM_BEFORE = f"""
    SELECT e.facts ->> 'prior_arm' FROM "{Event._meta.db_table}" e
    WHERE e.item_id = "{Seat._meta.db_table}".item_id AND e.verb IN ('{LAPSED}', '{EMPTIED}')
    AND e.facts ->> 'holder' = %s ORDER BY e.id DESC LIMIT 1
"""
_FREE = Statement(
    Seat.objects.filter(item=slot("item"), annotator__isnull=True, round=F("item__round"))
    .select_related("item__picture")
    .annotate(arm_before=RawSQL(_ARM_BEFORE, (Slot("holder"),)))
    .order_by("number")[:1]
)


def held_until(project: Project, now: datetime, *, ahead: bool = False) -> datetime:
    """When a seat taken or renewed now lapses; one ahead waits for the one in front first."""
    return now + timedelta(minutes=project.lease_minutes) * (2 if ahead else 1)


def clock(project: Project, now: datetime, arm: str) -> dict[str, Any]:
    """What starts when an item comes in front of a person."""
    shown = {"shown_at": now}
    return shown | {"priors_shown_at": now} if arm_at(project, arm) is PriorArm.SHOWN else shown


def sit_down(asking: Asking, item: int, *, wait: bool) -> Seat | None:
    """Take the first free seat at the item.

    None where it has none any more, or where somebody is busy at the item and we do not wait.
    """
    row = Item.objects.filter(pk=item, stage__in=SEATED, picture_missing=False)
    lock = row.select_for_update(no_key=True, skip_locked=not wait)
    if not Item.objects.filter(pk__in=lock.values("pk")).update(taken=F("taken") + 1):
        return None
    values = {"item": item, "holder": name_of(asking.member)}
    seat = _FREE.first(**values) or (_FREE.first(**values) if _another_seat(item) else None)
    if seat is None:
        _recount(item)
        return None
    return seat if _hold(asking, seat) else None


def _hold(asking: Asking, seat: Seat) -> bool:
    """Make the free seat this person's, with the arm of prior display that they had here before, or draw now."""
    project, now = asking.project, asking.now
    arm = vars(seat)["arm_before"] or draw_arm(
        project.influence_seed,
        asking.member.public_id,
        seat.item.public_id,
        project.withheld_percent,
        PriorDisplay(project.prior_display),
    )
    held = {"annotator": asking.member, "held_at": now, "prior_arm": arm}
    held |= {"expires_at": held_until(project, now, ahead=asking.ahead)}
    held |= {} if asking.ahead else clock(project, now, arm)
    if not Seat.objects.filter(pk=seat.pk, annotator__isnull=True).update(**held):
        _recount(seat.item_id)
        return False
    for name, value in held.items():
        setattr(seat, name, value)
    seat.item.project = project
    return True


def _another_seat(item: int) -> bool:
    """Add a seat at a locked item whose answer is known: it has as many as people meet it. False at any other."""
    row = Item.objects.filter(pk=item, stage=Stage.KNOWN).annotate(there=Count("seat_rows")).first()
    if row is None:
        return False
    number = vars(row)["there"] + 1
    Seat.objects.create(item=row, round=row.round, number=number, seats=number)
    return True


def _recount(item: int) -> None:
    """Put the hint of an item right that said a seat was free where none was; its row is locked."""
    gone = Seat.objects.filter(item=item, round=F("item__round"), annotator__isnull=False)
    Item.objects.filter(pk=item).update(taken=gone.count())
