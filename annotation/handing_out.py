"""Which item a person gets next, and the seat that is held for them while they look at it (design section 5).

A person holds at most two seats: the one in front of them (`shown_at` is set, its clock runs) and one ahead, which
the page prefetches. `claim(member)` gives the seat in front, else shows the one ahead (its clock starts now), else
takes a new one. `claim(member, ahead=True)` gives the seat ahead, else takes a new one without starting its clock;
`show` starts it when a page swaps the prefetched item in by itself. A label taken back is held again beside these
and comes first.

Caps, opt-outs and the order of severe items are asked when an item comes in front of the person, and counted then
(`pacing`): one that was prefetched and may not be shown any more is given back. What is in front of somebody stays.

How two people never get the same seat: whoever changes the seats of an item first changes or locks the item's row
(PostgreSQL; SQLite has one writer at a time), after the row of the member who acts. So claims of one person come
one after the other, and so do all changes at one item. The conditional UPDATE and the unique constraints hold even
where a lock is missing. `Item.taken` only gives the order; a seat is free if its row says so.

Depth first is a preference, not a promise: a probe looks at no more than 64 open items of a level.
"""

import random
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet
from django.db.models.functions import Now

from annotation.asking import Asking, ask_about, quota_of
from annotation.domain import pace as rules
from annotation.domain.arms import draws_check
from annotation.domain.pace import Limit, Milder, NothingMore
from annotation.domain.words import Role
from annotation.freeing import EMPTIED, free_lapsed_of, free_seat, lock_items
from annotation.models import Membership, Seat
from annotation.outcomes import (
    BreakDue,
    Claim,
    ConsentNeeded,
    DoneForToday,
    GuidelinesChanged,
    Held,
    NothingLeft,
    NotOpen,
    QuotaReached,
    TrainingNeeded,
)
from annotation.pacing import caps_of, is_severe, store_day
from annotation.probing import PLACES, Search, Unwanted, is_wanted, probe, scan, walk
from annotation.project_life import is_closed
from annotation.showing import priors_for_people, visible_priors
from annotation.sitting_down import SEATED, clock, held_until, sit_down
from annotation.training_set import stands_between
from annotation.transactions import short_transaction
from runs.statements import Statement, slot

__all__ = [
    "BreakDue",
    "Claim",
    "ConsentNeeded",
    "DoneForToday",
    "GuidelinesChanged",
    "Held",
    "NotOpen",
    "NothingLeft",
    "QuotaReached",
    "SEATED",
    "TrainingNeeded",
    "claim",
    "held_seat",
    "held_until",
    "lock_member",
    "priors_for_people",
    "show",
    "visible_priors",
]

IDLE_TIME = timedelta(seconds=30)
"""How long "nothing left" is remembered, unless a seat opens."""
_DRAWS = 6
"""How often a claim draws again when somebody else was at the same item first."""


@short_transaction
def claim(member: Membership, *, ahead: bool = False) -> Claim:
    """Give the person a seat; at most one in front and one ahead, however many tabs ask."""
    member, now = lock_member(member)
    if not member.has(Role.ANNOTATOR) or not member.project.is_open or is_closed(member.project):
        return NotOpen()
    if member.consent_version < member.project.consent_version:
        return ConsentNeeded()
    if member.project.training_required and member.trained_at is None and stands_between(member):
        return TrainingNeeded()
    person = ask_about(member, now)
    if person.must_read:
        return GuidelinesChanged()
    asking = Asking(member, now, person, caps_of(member), ahead)
    held = person.ahead if ahead else person.front
    if held is not None and (seat := _renewed(asking, held)) is not None:
        return _held_by(asking, seat)
    return _next(asking)


@short_transaction
def show(member: Membership, seat: UUID) -> bool:
    """Start the clock of a prefetched seat, now that it is in front of the person; False if it is lost."""
    member, now = lock_member(member)
    row = _held(member).filter(public_id=seat).first()
    if row is None or row.shown_at is not None:
        return row is not None
    asking = Asking(member, now, ask_about(member, now), caps_of(member), ahead=False)
    return isinstance(_show(asking, row.pk, _unwanted_now(asking)), Held)


def held_seat(member: Membership, seat: UUID) -> Seat | None:
    """A seat this person holds, by its public id, with its item and picture; lapsed ones that nobody took too."""
    return _held(member).filter(public_id=seat).select_related("item__picture", "item__project").first()


def lock_member(member: Membership) -> tuple[Membership, datetime]:
    """The member as the row says now, locked with its project at hand, and the time by the database's clock."""
    row = _LOCKED.first(member=member.pk)
    if row is None:
        raise Membership.DoesNotExist(f"There is no membership {member.pk}.")
    now: datetime = vars(row)["now"]
    return row, now


# ── What comes in front of the person ─────────────────────────────────────────


def _next(asking: Asking) -> Claim:
    """The seat ahead if it may be shown, else a new one, else why there is none."""
    person, allowed = asking.person, rules.allowance(asking.pace, asking.caps)
    unwanted = _unwanted_now(asking)
    held = _show(asking, person.ahead, unwanted) if person.ahead is not None and not asking.ahead else None
    if held is not None:
        return held
    if isinstance(allowed, NothingMore):
        return DoneForToday(allowed.limit)
    quota = quota_of(asking.member)
    if quota is not None and person.given is not None and person.given >= quota:
        return QuotaReached(quota)
    if asking.member.idle_until and asking.member.idle_until > asking.now:
        return NothingLeft(asking.member.idle_until)
    if (held := _take(asking, unwanted)) is not None:
        return held
    if isinstance(allowed, Milder) and scan(asking.search(person.unwanted)) is not None:
        return BreakDue() if allowed.limit is Limit.SEVERE_RUN else DoneForToday(allowed.limit)
    until = asking.now + IDLE_TIME
    Membership.objects.filter(pk=asking.member.pk).update(idle_until=until)
    return NothingLeft(until)


def _unwanted_now(asking: Asking) -> Unwanted:
    """What is not to come next: what the person opted out of and, where it is time for milder ones, severe items."""
    unwanted = asking.person.unwanted
    if isinstance(rules.allowance(asking.pace, asking.caps), Milder):
        return unwanted.and_severity(asking.project.severe_from)
    return unwanted


def _show(asking: Asking, key: int, unwanted: Unwanted) -> Held | None:
    """Start the clock of the seat ahead; None where it is lost, or given back because it may not be shown now."""
    seat = _held(asking.member).filter(pk=key).first()
    if seat is None:
        return None
    done = isinstance(rules.allowance(asking.pace, asking.caps), NothingMore)
    if done or (unwanted != Unwanted() and not is_wanted(seat.item_id, unwanted)):
        _give_back(seat)
        return None
    seat.item.project = asking.project
    changed = clock(asking.project, asking.now, seat.prior_arm) | {"expires_at": held_until(asking.project, asking.now)}
    return _counted(asking, seat) if _change(seat, changed) else None


def _renewed(asking: Asking, key: int) -> Seat | None:
    """The held seat, its lease renewed where it is half over; None where it is lost."""
    seat = _held(asking.member).filter(pk=key).first()
    if seat is None:
        return None
    seat.item.project = asking.project
    until = held_until(asking.project, asking.now, ahead=asking.ahead)
    if seat.expires_at is not None and seat.expires_at - asking.now > (until - asking.now) / 2:
        return seat
    return seat if _change(seat, {"expires_at": until}) else None


def _change(seat: Seat, changed: dict[str, Any]) -> bool:
    for name, value in changed.items():
        setattr(seat, name, value)
    held = Seat.objects.filter(pk=seat.pk, annotator=seat.annotator_id, expires_at__isnull=False)
    return bool(held.update(**changed))


def _held_by(asking: Asking, seat: Seat) -> Held:
    near = rules.near(asking.pace, asking.caps)
    return Held(seat, asking.person.labels_today, near)


def _counted(asking: Asking, seat: Seat) -> Held:
    """The seat that has just come in front of the person, counted on their day."""
    pace = rules.shown(asking.pace, severe=is_severe(asking.project, seat.item))
    offers = rules.break_is_due(pace, asking.caps)
    store_day(asking.member, rules.offer_break(pace, asking.now) if offers else pace)
    return Held(seat, asking.person.labels_today, rules.near(pace, asking.caps), offers)


def _give_back(seat: Seat) -> bool:
    """Free a seat ahead without penalty: nothing is counted, and the item may come another time."""
    items = lock_items({seat.item_id}, wait=True)
    return free_seat(seat, items[seat.item_id], EMPTIED, None)


# ── Taking a seat ─────────────────────────────────────────────────────────────


def _take(asking: Asking, unwanted: Unwanted) -> Held | None:
    """Take a free seat at some open item: by bounded probes; only where they find nothing, by looking everywhere."""
    search = asking.search(unwanted)
    check = _is_check(asking)
    for _ in range(_DRAWS):
        item = _probed(search, check=check)
        if item is None:
            break
        if seat := sit_down(asking, item, wait=False):
            return _taken(asking, seat)
    free_lapsed_of(asking.project, asking.now)
    for number in range(_DRAWS):
        item = scan(search)
        if item is None:
            break
        # Somebody is at one of the last items: passing it over for good would lose it for this person.
        if seat := sit_down(asking, item, wait=number > 0):
            return _taken(asking, seat)
    return None


def _probed(search: Search, *, check: bool) -> int | None:
    """An item by the first probe that finds one: at the highest priorities, below them, anywhere by priority."""
    place = random.randrange(PLACES)
    if (item := probe(search, place, check=check)) is not None:
        return item
    return probe(search, place, below=True) or walk(search)


def _is_check(asking: Asking) -> bool:
    """Whether the next item is one whose answer is known, if there is one for this person."""
    project, pace = asking.project, asking.person.pace
    number = pace.shown + asking.ahead
    return draws_check(project.influence_seed, asking.member.public_id, pace.day, number, project.check_percent)


def _taken(asking: Asking, seat: Seat) -> Held:
    return _held_by(asking, seat) if asking.ahead else _counted(asking, seat)


def _held(member: Membership) -> QuerySet[Seat]:
    """The member's held seats of items that people sit at."""
    held = Seat.objects.filter(annotator=member, expires_at__isnull=False)
    return held.filter(item__stage__in=SEATED, round=F("item__round")).select_related("item__picture")


_LOCKED = Statement(
    Membership.objects.select_for_update(of=("self",), no_key=True)
    .select_related("project")
    .annotate(now=Now())
    .filter(pk=slot("member"))
)
