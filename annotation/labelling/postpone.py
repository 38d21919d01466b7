"""Put a post aside for the end of the sitting, take it up again, and say which ones were lost."""

from uuid import UUID

from annotation.assignment.annotator_state import ClaimRequest, lock_member, read_annotator_state
from annotation.assignment.claim import gate
from annotation.assignment.outcomes import AlreadyLabelled, NoSuchSeat, Postponed, SeatLost, TooManyPostponed
from annotation.assignment.postponed import postponed_seats, take_up_postponed
from annotation.assignment.seat_lookup import ensure_fillable, lock_seat
from annotation.assignment.take_seat import lease_end
from annotation.core.transactions import short_transaction
from annotation.labelling.submit import UNDO_TIME
from annotation.models import Membership, PostponedSeat, Seat
from annotation.workload.workday import caps_of, count_act
from runs.sql.database_clock import database_now

POSTPONED_LIMIT = 5
"""How many posts one may put aside at once: others wait for them."""


@short_transaction
def postpone_seat(
    member: Membership, seat: UUID
) -> Postponed | TooManyPostponed | AlreadyLabelled | SeatLost | NoSuchSeat:
    """Put the seat aside; it stays the member's, and what they gave at it stays. Twice is once.

    No event is written: that somebody puts posts aside is told to nobody.
    """
    member, now = lock_member(member)
    locked = lock_seat(member, seat, now)
    if locked is None:
        return NoSuchSeat()
    if (refusal := ensure_fillable(locked, member, now)) is not None:
        return refusal
    if locked.seat.shown_at is None:  # it is ahead: nobody has seen it yet
        return NoSuchSeat()
    others = postponed_seats(member).exclude(pk=locked.seat.pk)
    if others.count() >= POSTPONED_LIMIT:
        return TooManyPostponed(POSTPONED_LIMIT)
    PostponedSeat.objects.get_or_create(seat=locked.seat, member=member, defaults={"created_at": now})
    Seat.objects.filter(pk=locked.seat.pk).update(expires_at=lease_end(member.project, now))
    count_act(member, locked.pace, now)
    return Postponed(locked.item)


@short_transaction
def bring_back(member: Membership, postponed: PostponedSeat | None = None) -> Seat | None:
    """Put a post that was put aside in front again: the one given, or the one put aside first.

    Returns None if there is none that this person may be shown now.
    """
    member, now = lock_member(member)
    state = read_annotator_state(member, now)
    if gate(member) is not None or state.must_read:
        return None
    request = ClaimRequest(member, now, state, caps_of(member), ahead=False)
    return take_up_postponed(request, None if postponed is None else postponed.seat_id)


def count_postponed(member: Membership) -> int:
    """Return how many posts the member has put aside and still holds."""
    return postponed_seats(member).count()


def fresh_postponed(member: Membership) -> PostponedSeat | None:
    """Return what the member put aside last. Returns None if it is longer ago than it can be taken back by one key."""
    newest = PostponedSeat.objects.filter(member=member, seat__isnull=False).order_by("-pk").first()
    return newest if newest is not None and database_now() - newest.created_at <= UNDO_TIME else None


def forget_lost(member: Membership) -> int:
    """Return how many posts put aside were lost since this was asked last."""
    return PostponedSeat.objects.filter(member=member, seat=None).delete()[0]
