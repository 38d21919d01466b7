"""Claim an item for an annotator and hold a seat of it while they look at it (design section 5).

An annotator holds at most two seats: the one in front of them (`shown_at` is set, its clock runs) and one ahead, which
the page prefetches. `claim(member)` returns the seat in front; if there is none, it shows the one ahead (its clock
starts then), and otherwise takes a new one. `claim(member, ahead=True)` returns the seat ahead or takes a new one
without starting its clock. A seat whose label was taken back is held again in addition to these two and comes first.
Seats that were put aside (`PostponedSeat`) are neither in front nor ahead: they come when nothing else is left.

Caps, opt-outs and the order of severe items are checked and counted when an item comes in front of the annotator
(`workload.workday`): a prefetched one that may not be shown any more is given back. The item in front always stays.

How two people never get the same seat: whoever changes the seats of an item first changes or locks the item's row
(PostgreSQL; SQLite has one writer at a time), after the row of the member who acts. So claims of one person run
one after the other, and so do all changes of one item. The conditional UPDATE and the unique constraints hold even
where a lock is missing. `Item.taken` is a hint for the order only; a seat is free if its row says so.

Depth first is a preference, not a promise: a probe looks at no more than 64 open items of a level.
"""

import random
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from annotation.assignment.annotator_state import ClaimRequest, lock_member, quota_of, read_annotator_state
from annotation.assignment.item_query import (
    PLACE_RANGE,
    ItemSearch,
    UnwantedContent,
    is_item_wanted,
    probe_items,
    probe_with_check,
    scan_items,
    walk_items,
)
from annotation.assignment.outcomes import (
    BreakDue,
    ClaimOutcome,
    ConsentNeeded,
    DoneForToday,
    GuidelinesChanged,
    HeldSeat,
    NothingLeft,
    NotOpen,
    QuotaReached,
    TrainingNeeded,
)
from annotation.assignment.postponed import held_seats, keep_postponed, take_up_postponed
from annotation.assignment.release_seats import free_lapsed_seats_of_project, free_seat, lock_items
from annotation.assignment.take_seat import assignment, clock_fields, find_free_seat, lease_end
from annotation.assignment.training_gate import needs_training
from annotation.core import signals
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb, Order, Role
from annotation.domain.priors.arms import draws_check
from annotation.domain.priors.informativeness import Informativeness
from annotation.domain.wellbeing import breaks
from annotation.domain.wellbeing.breaks import Limit, Milder, NothingMore, Workday
from annotation.models import Membership, Seat
from annotation.workload.workday import caps_of, is_severe, store_workday, workday_statement
from runs.sql.compiled_queries import Changes

IDLE_PERIOD = timedelta(seconds=30)
"""How long "nothing left" is remembered, unless a seat opens."""
_ATTEMPTS = 6
"""How often a claim searches again after somebody else came to the same item first."""


@short_transaction
def claim(member: Membership, *, ahead: bool = False) -> ClaimOutcome:
    """Give the annotator a seat: at most one in front and one ahead, however many tabs ask."""
    member, now = lock_member(member)
    if (closed := gate(member)) is not None:
        return closed
    state = read_annotator_state(member, now)
    if state.must_read:
        return GuidelinesChanged()
    request = ClaimRequest(member, now, state, caps_of(member), ahead)
    keep_postponed(request)
    seat_id = state.ahead if ahead else state.front
    if seat_id is not None and (seat := _renew_lease(request, seat_id)) is not None:
        return _held(request, seat)
    return _claim_next(request)


def claim_after_label(member: Membership, now: datetime, pace: Workday) -> HeldSeat | None:
    """Claim in the transaction that has just stored a label of the member, and store their workday with both.

    The caller has locked the member and the label's item. So this waits for no other item: two people who wait for the
    item of each other would stand still.

    Returns None where `claim` has to look, in a transaction of its own.
    """
    state = read_annotator_state(member, now)
    request = ClaimRequest(member, now, replace(state, pace=pace), caps_of(member), ahead=False, may_wait=False)
    keep_postponed(request)
    outcome: ClaimOutcome | None = None
    if gate(member) is None and not state.must_read and state.front is None:
        with suppress(_WouldWait):
            outcome = _claim_next(request)
    if isinstance(outcome, HeldSeat):
        return outcome
    store_workday(member, pace)
    return None


class _WouldWait(Exception):
    """The claim has to wait for an item, or to look at all items, and must not do so now."""


# ── What comes in front of the annotator ──────────────────────────────────────


def gate(member: Membership) -> ClaimOutcome | None:
    """Return what keeps the member from all items; None if nothing does."""
    if not member.has(Role.ANNOTATOR) or not member.project.is_open or member.project.is_closed:
        return NotOpen()
    if member.consent_version < member.project.consent_version:
        return ConsentNeeded()
    if member.project.training_required and member.trained_at is None and needs_training(member):
        return TrainingNeeded()
    return None


def _claim_next(request: ClaimRequest) -> ClaimOutcome:
    """Return the seat ahead, a new one, or one that was put aside, in this order; otherwise the reason for none."""
    outcome = _claim_another(request)
    if request.ahead or isinstance(outcome, HeldSeat):
        return outcome
    seat = take_up_postponed(request)
    if seat is None:
        return outcome
    store_workday(request.member, request.pace)
    return replace(_held(request, seat), postponed=request.state.postponed - 1, comes_back=True)


def _claim_another(request: ClaimRequest) -> ClaimOutcome:
    """Return the seat ahead if it may be shown, otherwise a new one, otherwise the reason why there is none."""
    state, allowed = request.state, breaks.allowance(request.pace, request.caps)
    unwanted = request.unwanted_now
    if state.ahead is not None and not request.ahead:
        shown = _show_ahead(request, state.ahead, unwanted)
        if shown is not None:
            return shown
    if isinstance(allowed, NothingMore):
        return DoneForToday(allowed.limit)
    quota = quota_of(request.member)
    if quota is not None and state.quota_used is not None and state.quota_used >= quota:
        return QuotaReached(quota)
    if request.member.idle_until and request.member.idle_until > request.now:
        return NothingLeft(request.member.idle_until)
    if (outcome := _take_new(request, unwanted)) is not None:
        return outcome
    if isinstance(allowed, Milder) and scan_items(request.search(state.unwanted)) is not None:
        return BreakDue() if allowed.limit is Limit.SEVERE_RUN else DoneForToday(allowed.limit)
    until = request.now + IDLE_PERIOD
    Membership.objects.filter(pk=request.member.pk).update(idle_until=until)
    return NothingLeft(until)


def _show_ahead(request: ClaimRequest, seat_id: int, unwanted: UnwantedContent) -> HeldSeat | None:
    """Start the clock of the seat ahead.

    Returns None if the seat is lost, or was given back because it may not be shown now.
    """
    seat = held_seats(request.member).filter(pk=seat_id).first()
    if seat is None:
        return None
    is_over = isinstance(breaks.allowance(request.pace, request.caps), NothingMore)
    if is_over or (unwanted != UnwantedContent() and not is_item_wanted(seat.item_id, unwanted)):
        # Without penalty: nothing is counted, and the item may come another time.
        _must_wait(request)
        free_seat(seat, lock_items({seat.item_id}, wait=True)[seat.item_id], EventVerb.SEAT_EMPTIED, None)
        return None
    seat.item.project = request.project
    fields = clock_fields(request.project, request.now, seat.prior_arm)
    fields |= {"expires_at": lease_end(request.project, request.now)}
    if not _update_held(seat, fields):
        return None
    pace, held = _shown(request, seat)
    store_workday(request.member, pace)
    return held


def _renew_lease(request: ClaimRequest, seat_id: int) -> Seat | None:
    """Return the held seat, its lease renewed where half of it is over.

    Returns None if the seat is lost.
    """
    seat = held_seats(request.member).filter(pk=seat_id).first()
    if seat is None:
        return None
    seat.item.project = request.project
    until = lease_end(request.project, request.now, ahead=request.ahead)
    if seat.expires_at is not None and seat.expires_at - request.now > (until - request.now) / 2:
        return seat
    return seat if _update_held(seat, {"expires_at": until}) else None


def _update_held(seat: Seat, fields: dict[str, Any]) -> bool:
    for name, value in fields.items():
        setattr(seat, name, value)
    return bool(Seat.objects.filter(pk=seat.pk, annotator=seat.annotator_id, expires_at__isnull=False).update(**fields))


def _held(request: ClaimRequest, seat: Seat) -> HeldSeat:
    near = breaks.near(request.pace, request.caps)
    return HeldSeat(seat, request.state.labels_today, near, postponed=request.state.postponed)


def _shown(request: ClaimRequest, seat: Seat) -> tuple[Workday, HeldSeat]:
    """Return the workday with the seat that comes in front of the annotator now, and the seat as it is shown."""
    pace = breaks.count_item_shown(request.pace, severe=is_severe(request.project, seat.item))
    offers_break = breaks.break_is_due(pace, request.caps)
    near = breaks.near(pace, request.caps)
    reached = breaks.newly_reached(request.pace, pace, request.caps)
    held = HeldSeat(seat, request.state.labels_today, near, offers_break, request.state.postponed, reached)
    return breaks.offer_break(pace, request.now) if offers_break else pace, held


# ── Take a new seat ───────────────────────────────────────────────────────────


def _take_new(request: ClaimRequest, unwanted: UnwantedContent) -> HeldSeat | None:
    """Take a free seat at an open item: by bounded probes first, by a scan of all items if they find nothing.

    Returns None if no item is left for this annotator.
    """
    search = request.search(unwanted)
    check = _is_check_due(request)
    for _attempt in range(_ATTEMPTS):
        item_id = _probe(search, check_is_due=check)
        if item_id is None:
            break
        if held := _take(request, item_id, wait=False):
            return held
    _must_wait(request)
    free_lapsed_seats_of_project(request.project, request.now)
    for attempt in range(_ATTEMPTS):
        item_id = scan_items(search)
        if item_id is None:
            break
        # Somebody is busy at one of the last items: to pass it over for good would lose it for this person.
        if held := _take(request, item_id, wait=attempt > 0):
            return held
    return None


def _must_wait(request: ClaimRequest) -> None:
    if not request.may_wait:
        raise _WouldWait


def _probe(search: ItemSearch, *, check_is_due: bool) -> int | None:
    """Return an item, or a check in its place where one is due.

    The search for the item is the same in both cases. Who was told that nothing is left gets no check alone: a post
    that came after that would be one.
    """
    place = random.randrange(PLACE_RANGE)
    if not search.member.project.check_percent:
        item_id = probe_items(search, place)
        return _probe_further(search, place) if item_id is None else item_id
    item_id, check_id = probe_with_check(search, place)
    if item_id is None:
        item_id = _probe_further(search, place)
    was_left_idle = item_id is None and search.member.idle_until is not None
    return check_id if check_is_due and check_id is not None and not was_left_idle else item_id


def _probe_further(search: ItemSearch, place: int) -> int | None:
    """Return an item from the next probe that finds one: those below the highest priority, anywhere by priority.

    Where hard items come first, who has had them all gets less informative ones of the same priority.
    """
    if search.member.project.order == Order.HARD:
        for hardest in (Informativeness.KIND, Informativeness.ALIKE):
            if (item_id := probe_items(search, place, hardest=hardest)) is not None:
                return item_id
    return probe_items(search, place, below=True) or walk_items(search)


def _is_check_due(request: ClaimRequest) -> bool:
    """Whether the next item is one with a known answer, if there is one for this annotator."""
    project, pace = request.project, request.state.pace
    number = pace.shown + request.ahead
    return draws_check(project.influence_seed, request.member.public_id, pace.day, number, project.check_percent)


def _take(request: ClaimRequest, item_id: int, *, wait: bool) -> HeldSeat | None:
    """Assign a free seat of the item, and count it on the workday if it is shown at once.

    Returns None if no seat is free any more, or if `wait` is False and somebody else has locked the item.
    """
    seat = find_free_seat(request, item_id, wait=wait)
    if seat is None:
        return None
    changes = Changes()
    changes.run(*assignment(seat))
    if request.ahead:
        held = _held(request, seat)
    else:
        pace, held = _shown(request, seat)
        changes.run(*workday_statement(request.member, pace))
    if not changes.send()[0]:
        raise RuntimeError(f"Seat {seat.public_id} changed hands while its item was held.")
    signals.send_after_commit(signals.seat_claimed, Seat, ahead=request.ahead)
    return held
