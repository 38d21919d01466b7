"""Which item a person gets next, and the seat that is held for them while they look at it (design section 5).

A person holds at most two seats: the one in front of them (`shown_at` is set, its clock runs) and one ahead, which
the page prefetches. `claim(member)` gives the seat in front, else shows the one ahead (its clock starts now), else
takes a new one. `claim(member, ahead=True)` gives the seat ahead, else takes a new one without starting its clock;
`show` starts it when a page swaps the prefetched item in by itself. A label taken back is held again beside these
and comes first.

How two people never get the same seat: whoever changes the seats of an item first changes or locks the item's row
(PostgreSQL; SQLite has one writer at a time), after the row of the member who acts. So claims of one person come
one after the other, and so do all changes at one item. The conditional UPDATE and the unique constraints hold even
where a lock is missing. `Item.taken` only gives the order; a seat is free if its row says so.

Depth first is a preference, not a promise: a probe looks at no more than 64 open items of a level.
"""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F, QuerySet
from django.db.models.functions import Now

from annotation.domain.words import PriorDisplay, Role, Stage
from annotation.freeing import free_lapsed_of
from annotation.models import Item, Membership, Prior, Project, Seat
from annotation.probing import PLACES, probe, scan
from annotation.transactions import short_transaction

IDLE_TIME = timedelta(seconds=30)
"""How long "nothing left" is remembered, unless a seat opens."""
_DRAWS = 6
"""How often a claim draws again when somebody else was at the same item first."""


@dataclass(frozen=True)
class Held:
    """A seat of this person, with `item`, `item.picture` and `item.project` at hand without another query."""

    seat: Seat


@dataclass(frozen=True)
class NothingLeft:
    """No open item that this person may see is without their seat or skip; we look again at `until`."""

    until: datetime


@dataclass(frozen=True)
class NotOpen:
    """The project is closed for labelling, or this member does not annotate."""


@dataclass(frozen=True)
class ConsentNeeded:
    """The person has not agreed to the content warning in force."""


@short_transaction
def claim(member: Membership, *, ahead: bool = False) -> Held | NothingLeft | NotOpen | ConsentNeeded:
    """Give the person a seat; at most one in front and one ahead, however many tabs ask."""
    member, now = lock_member(member)
    if not member.has(Role.ANNOTATOR) or not member.project.is_open:
        return NotOpen()
    if member.consent_version < member.project.consent_version:
        return ConsentNeeded()
    # In front of the person: the one shown last, else the one ahead. Ahead: only one not shown yet.
    for key, shown_at in _held(member).values_list("pk", "shown_at"):
        if not ahead or shown_at is None:
            seat = _held(member).filter(pk=key).first()
            if seat is not None and _look_at(seat, member.project, now, ahead=ahead):
                return Held(seat)
    if member.idle_until and member.idle_until > now:
        return NothingLeft(member.idle_until)
    return _take(member, now, ahead=ahead)


@short_transaction
def show(member: Membership, seat: UUID) -> bool:
    """Start the clock of a prefetched seat, now that it is in front of the person; False if it is lost."""
    member, now = lock_member(member)
    row = _held(member).filter(public_id=seat).first()
    return row is not None and _look_at(row, member.project, now, ahead=False)


def held_seat(member: Membership, seat: UUID) -> Seat | None:
    """A seat this person holds, by its public id, with its item and picture; lapsed ones that nobody took too."""
    return _held(member).filter(public_id=seat).select_related("item__picture", "item__project").first()


def visible_priors(project: Project, seat: Seat) -> tuple[Prior, ...]:
    """The priors that may be shown beside this seat now, text before picture; none while they are hidden."""
    if project.prior_display == PriorDisplay.AFTER_FIRST_ANSWER and seat.first_answer is None:
        return ()
    priors = priors_for_people(project).filter(item=seat.item_id, current=True)
    return tuple(priors.select_related("category").order_by("-modality"))


def priors_for_people(project: Project) -> QuerySet[Prior]:
    """The priors annotators may see at all: the built-in baseline's only where an admin switched that on."""
    priors = Prior.objects.all()
    return priors if project.show_keyword_priors else priors.exclude(model__startswith="keyword:")


def lock_member(member: Membership) -> tuple[Membership, datetime]:
    """The member as the row says now, locked with its project at hand, and the time by the database's clock."""
    row = (
        Membership.objects.select_for_update(of=("self",), no_key=True)
        .select_related("project")
        .annotate(now=Now())
        .get(pk=member.pk)
    )
    now: datetime = vars(row)["now"]
    return row, now


def held_until(project: Project, now: datetime, *, ahead: bool = False) -> datetime:
    """When a seat taken or renewed now lapses; one ahead waits for the one in front first."""
    return now + timedelta(minutes=project.lease_minutes) * (2 if ahead else 1)


def _recount(item: int) -> None:
    """Put the hint of an item right that said a seat was free where none was; its row is locked."""
    gone = Seat.objects.filter(item=item, round=F("item__round"), annotator__isnull=False)
    Item.objects.filter(pk=item).update(taken=gone.count())


def _held(member: Membership) -> QuerySet[Seat]:
    """The member's held seats of items in labelling: the one shown last first, then those ahead."""
    return (
        Seat.objects.filter(annotator=member, expires_at__isnull=False)
        .filter(item__stage=Stage.LABELLING, round=F("item__round"))
        .select_related("item__picture")
        .order_by(F("shown_at").desc(nulls_last=True), "held_at", "pk")
    )


def _look_at(seat: Seat, project: Project, now: datetime, *, ahead: bool) -> bool:
    """Renew the held seat where its lease is half over, start its clock where it comes in front.

    False where the seat is lost.
    """
    seat.item.project = project
    until = held_until(project, now, ahead=ahead)
    starts = not ahead and seat.shown_at is None
    if not starts and seat.expires_at is not None and seat.expires_at - now > (until - now) / 2:
        return True
    changed = {"expires_at": until} | (_clock(project, now) if starts else {})
    for name, value in changed.items():
        setattr(seat, name, value)
    return bool(
        Seat.objects.filter(pk=seat.pk, annotator=seat.annotator_id, expires_at__isnull=False).update(**changed)
    )


def _clock(project: Project, now: datetime) -> dict[str, datetime]:
    """What starts when an item comes in front of a person."""
    shown = {"shown_at": now}
    return shown if project.prior_display == PriorDisplay.AFTER_FIRST_ANSWER else shown | {"priors_shown_at": now}


def _take(member: Membership, now: datetime, *, ahead: bool) -> Held | NothingLeft:
    """Take a free seat at some open item: by bounded probes; only where they find nothing, by looking everywhere."""
    for _ in range(_DRAWS):
        item = probe(member, random.randrange(PLACES))
        if item is None:
            break
        if seat := _sit_down(member, item, now, ahead=ahead, wait=False):
            return Held(seat)
    free_lapsed_of(member.project, now)
    for number in range(_DRAWS):
        item = scan(member)
        if item is None:
            break
        # Somebody is at one of the last items: passing it over for good would lose it for this person.
        if seat := _sit_down(member, item, now, ahead=ahead, wait=number > 0):
            return Held(seat)
    until = now + IDLE_TIME
    Membership.objects.filter(pk=member.pk).update(idle_until=until)
    return NothingLeft(until)


def _sit_down(member: Membership, item: int, now: datetime, *, ahead: bool, wait: bool) -> Seat | None:
    """Take the first free seat at the item.

    None where it has none any more, or where somebody is busy at the item and we do not wait.
    """
    row = Item.objects.filter(pk=item, stage=Stage.LABELLING, picture_missing=False)
    lock = row.select_for_update(no_key=True, skip_locked=not wait)
    if not Item.objects.filter(pk__in=lock.values("pk")).update(taken=F("taken") + 1):
        return None
    free = Seat.objects.filter(item=item, annotator__isnull=True, round=F("item__round"))
    seat = free.select_related("item__picture").order_by("number").first()
    held = {"annotator": member, "held_at": now, "expires_at": held_until(member.project, now, ahead=ahead)}
    held |= {} if ahead else _clock(member.project, now)
    if seat is None or not Seat.objects.filter(pk=seat.pk, annotator__isnull=True).update(**held):
        _recount(item)
        return None
    for name, value in held.items():
        setattr(seat, name, value)
    seat.item.project = member.project
    return seat
