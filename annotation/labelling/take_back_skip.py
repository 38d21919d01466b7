"""Take a skip back: the post comes again to who skipped it, while it has a free seat.

Where checks are mixed in, the time for it is that for changing an answer, and whether a seat is free is not said
before: a check always has one, and would be told by that.
"""

from datetime import datetime

from django.db.models import F
from django.utils import timezone

from annotation.assignment.annotator_state import ClaimRequest, lock_member, quota_of, read_annotator_state
from annotation.assignment.claim import gate
from annotation.assignment.item_query import is_item_wanted
from annotation.assignment.take_seat import STAGES_WITH_SEATS, assignment, find_free_seat
from annotation.core.transactions import short_transaction
from annotation.domain.answer import CHANGE_TIME
from annotation.labelling.submit import UNDO_TIME
from annotation.models import Membership, PostponedSeat, Seat, Skip, WorkDay
from annotation.workload.workday import caps_of
from runs.sql.compiled_queries import Changes
from runs.sql.database_clock import database_now


def fresh_skip(member: Membership) -> Skip | None:
    """Return the member's last skip. Returns None if it is longer ago than it can be taken back by one key."""
    newest = Skip.objects.filter(annotator=member).order_by("-pk").first()
    return newest if newest is not None and database_now() - newest.created_at <= UNDO_TIME else None


@short_transaction
def take_back_skip(member: Membership, skip: Skip) -> Seat | None:
    """Forget the skip and hold a seat of its post again, which `claim` gives first.

    Returns None, and the post stays skipped, if the time for it is over, if others have taken its seats, or if this
    person may not be given the post now.
    """
    member, now = lock_member(member)
    kept = Skip.objects.filter(pk=skip.pk, annotator=member).first()
    if kept is None or _is_too_late(member, kept, now) or gate(member) is not None:
        return None
    state = read_annotator_state(member, now)
    quota = quota_of(member)
    has_no_share_left = quota is not None and (state.quota_used or 0) >= quota
    if has_no_share_left or not is_item_wanted(kept.item_id, state.unwanted):
        return None
    seat = find_free_seat(ClaimRequest(member, now, state, caps_of(member), ahead=False), kept.item_id, wait=True)
    if seat is None:
        return None
    PostponedSeat.objects.filter(seat=seat, member=member).delete()  # it comes first
    changes = Changes()
    changes.run(*assignment(seat))
    if not changes.send()[0]:
        raise RuntimeError(f"Seat {seat.public_id} changed hands while its item was held.")
    days = WorkDay.objects.filter(member=member, day=timezone.localdate(kept.created_at), skips__gt=0)
    days.update(skips=F("skips") - 1)
    kept.delete()
    return seat


def may_be_taken_back(member: Membership, skip: Skip, now: datetime) -> bool:
    """Return whether the history offers to take the skip back; `skip.item` is loaded."""
    if gate(member) is not None or _is_too_late(member, skip, now):
        return False
    item = skip.item
    is_open = item.stage in STAGES_WITH_SEATS and item.taken < item.seats and not item.picture_missing
    return is_open or member.project.changes_end_by_clock


def _is_too_late(member: Membership, skip: Skip, now: datetime) -> bool:
    return member.project.changes_end_by_clock and now - skip.created_at > CHANGE_TIME
