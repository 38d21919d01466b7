"""Care for who answers posts: time and posts at this desk count to the caps and breaks that annotators have.

A new post is not opened once a cap of the day or the session is reached; the one in front of somebody stays. A run of
severe posts only brings the offer of a break: here people choose the next post themselves.
"""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from django.contrib.sessions.backends.base import SessionBase
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.assignment.annotator_state import lock_member
from annotation.core.transactions import short_transaction
from annotation.domain.wellbeing import breaks
from annotation.domain.wellbeing.breaks import Limit, Milder, NothingMore, Workday
from annotation.models import Membership, WorkDay
from annotation.workload.workday import caps_of, count_act, is_severe, store_workday
from generation.models import Exchange

IN_FRONT = "post_at_the_desk"
"""The key of the session under which the post in front of somebody stands."""


@dataclass(frozen=True)
class Care:
    """What the desk tells who comes to a post: why it stays closed, or that a break or the end of the day is near."""

    reached: Limit | None = None
    offers_break: bool = False
    near: tuple[Limit, ...] = ()

    @property
    def sentence(self) -> str | Promise:
        """Why no other post is opened; empty if it is."""
        return _SENTENCES.get(self.reached, "") if self.reached else ""


_SENTENCES = {
    Limit.MINUTES: _("You have reached the working time that you or this project set for one day."),
    Limit.SEVERE_DAY: _("You have seen as many severe posts as you or this project set for one day."),
    Limit.SEVERE_SESSION: _(
        "You have seen as many severe posts in one session as this project allows. Come back after a break of half an "
        "hour or more, or another day."
    ),
}


@short_transaction
def come_to(exchange: Exchange, member: Membership, session: SessionBase) -> Care:
    """Count that the post comes in front of the member, unless it is there already or a cap is reached."""
    locked, now = lock_member(member)
    pace, caps = _workday(locked, now), caps_of(locked)
    severe = exchange.item is not None and is_severe(locked.project, exchange.item)
    is_there = session.get(IN_FRONT) == str(exchange.public_id)
    if not is_there and (limit := _closed_by(pace, caps, severe=severe)) is not None:
        return Care(limit)
    pace = breaks.count_action(pace, now)
    if not is_there:
        pace = breaks.count_item_shown(pace, severe=severe)
        session[IN_FRONT] = str(exchange.public_id)
    is_run = bool(caps.severe_in_row) and pace.severe_in_row >= caps.severe_in_row
    offers_break = breaks.break_is_due(pace, caps) or (is_run and not is_there)
    store_workday(locked, breaks.offer_break(pace, now) if offers_break else pace)
    return Care(None, offers_break, breaks.near(pace, caps))


@short_transaction
def act(member: Membership) -> None:
    """Count that the member did something at the desk: the time since their last act is work."""
    locked, now = lock_member(member)
    count_act(locked, _workday(locked, now), now)


def _closed_by(pace: Workday, caps: breaks.Caps, *, severe: bool) -> Limit | None:
    match breaks.allowance(pace, caps):
        case NothingMore(limit):
            return limit
        case Milder(limit) if severe and limit is not Limit.SEVERE_RUN:
            return limit
    return None


def _workday(member: Membership, now: datetime) -> Workday:
    """Return the workday of a member whose row is locked."""
    newest = WorkDay.objects.filter(member=member).order_by("-day").first()
    known: dict[str, Any] = {field.name: getattr(newest, field.name) for field in fields(Workday)} if newest else {}
    return breaks.roll_over(Workday(**known) if newest else None, now, timezone.localdate(now))
