"""The state of the annotator who claims an item: their row locked, then all that counts for them in one statement.

The statement runs after the row is locked, so that it sees what the annotator's last act stored. It is raw SQL: it
reads single values of seven tables, and building the querysets costs more time than running them.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from annotation.assignment.item_query import COMMON_QUEUE, ItemSearch, UnwantedContent
from annotation.core.transactions import short_transaction
from annotation.domain.wellbeing import breaks
from annotation.domain.wellbeing.breaks import Caps, Milder, Workday, count_action
from annotation.models import Batch, Guideline, Item, Label, Membership, OptOut, PostponedSeat, Project, Seat
from annotation.workload.workday import count_act, newest_day_sql, read_workday
from runs.sql.compiled_queries import CompiledQuery, planned_cursor, slot

_ITEM, _SEAT, _LABEL, _MEMBER, _GUIDELINE, _OPT_OUT, _TEAM, _POSTPONED = (
    f'"{model._meta.db_table}"'
    for model in (Item, Seat, Label, Membership, Guideline, OptOut, Batch.members.through, PostponedSeat)
)
# A seat whose label was taken back is held again in addition to the seat in front, and comes first.
_HELD = f"""
    SELECT s.id FROM {_SEAT} s JOIN {_ITEM} i ON i.id = s.item_id AND i.round = s.round
    WHERE s.annotator_id = m.id AND s.expires_at IS NOT NULL AND i.stage IN ('labelling', 'known')
    AND NOT EXISTS (SELECT 1 FROM {_POSTPONED} p WHERE p.seat_id = s.id AND p.member_id = m.id)
    AND s.shown_at IS {{}} NULL ORDER BY s.shown_at DESC, s.held_at, s.id LIMIT 1
"""
# The same condition as `Guideline.objects.unread_by`, for annotators who have labelled by an older version.
_MUST_READ = f"""
    EXISTS (
        SELECT 1 FROM {_GUIDELINE} g WHERE g.project_id = m.project_id AND g.asks_reading
        AND g.number > m.guideline_read AND g.created_at > m.created_at
    ) AND (SELECT l.id FROM {_LABEL} l WHERE l.annotator_id = m.id ORDER BY l.client_key LIMIT 1) IS NOT NULL
"""
# Not EXISTS: for somebody who has no label yet, PostgreSQL would look for one among all labels of the site.
_TODAY = f"SELECT COUNT(*) FROM {_SEAT} s WHERE s.annotator_id = m.id AND s.filled_at >= %s AND s.label_id IS NOT NULL"
_QUOTA_USED = f"""
    SELECT COUNT(*) FROM {_SEAT} s
    WHERE s.annotator_id = m.id AND (s.label_id IS NOT NULL OR s.expires_at IS NOT NULL)
"""


_LOCKED_MEMBER = CompiledQuery(
    Membership.objects.select_for_update(of=("self",), no_key=True)
    .select_related("project")
    .annotate(now=Now())
    .filter(pk=slot("member"))
)


@dataclass(frozen=True)
class AnnotatorState:
    """What counts for the next item of an annotator. Seats are primary keys."""

    front: int | None
    """The seat in front of them: the one shown last."""
    ahead: int | None
    """A seat that is held but not shown yet."""
    must_read: bool
    """Whether a version of the guidelines has to be read first."""
    unwanted: UnwantedContent
    queues: Sequence[int]
    pace: Workday
    labels_today: int
    quota_used: int | None
    """Labels given and seats held; None where no quota is set."""
    postponed: int = 0
    """Seats that they have put aside, and those of them that were lost and not told yet."""


@dataclass(frozen=True)
class ClaimRequest:
    """A claim in progress: the annotator, their state, their caps and the time."""

    member: Membership
    now: datetime
    state: AnnotatorState
    caps: Caps
    ahead: bool
    """Whether the seat is prefetched, so that its clock does not start yet."""
    may_wait: bool = True
    """Whether the claim may wait for an item that somebody else has locked."""

    @property
    def project(self) -> Project:
        return self.member.project

    @property
    def pace(self) -> Workday:
        """The workday including this act: the time since the last act counts as work."""
        return count_action(self.state.pace, self.now)

    @property
    def unwanted_now(self) -> UnwantedContent:
        """What may not come next: opted-out content and, where milder items are due, severe ones."""
        if isinstance(breaks.allowance(self.pace, self.caps), Milder):
            return self.state.unwanted.and_severity(self.project.severe_from)
        return self.state.unwanted

    def search(self, unwanted: UnwantedContent) -> ItemSearch:
        return ItemSearch(self.member, self.state.queues, unwanted)


def lock_member(member: Membership) -> tuple[Membership, datetime]:
    """Lock the member's row; return it as stored now, with its project loaded, and the database's time.

    Raises Membership.DoesNotExist if the row is gone.
    """
    locked = _LOCKED_MEMBER.first(member=member.pk)
    if locked is None:
        raise Membership.DoesNotExist(f"There is no membership {member.pk}.")
    now: datetime = vars(locked)["now"]
    return locked, now


def read_annotator_state(member: Membership, now: datetime) -> AnnotatorState:
    """Read what counts for a member whose row the caller has locked, with its project loaded."""
    midnight = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    with planned_cursor() as cursor:
        values = [connection.ops.adapt_datetimefield_value(midnight), quota_of(member) is not None]
        cursor.execute(_statement(), [*values, member.pk])
        front, ahead, must_read, opt_outs, teams, day, today, quota_used, postponed = cursor.fetchone()
    return AnnotatorState(
        front=front,
        ahead=ahead,
        must_read=bool(must_read),
        unwanted=_unwanted(json.loads(opt_outs or "[]")),
        queues=(COMMON_QUEUE, *json.loads(teams or "[]")),
        pace=read_workday(day, now),
        labels_today=today,
        quota_used=quota_used,
        postponed=postponed,
    )


@short_transaction
def count_reading(member: Membership) -> None:
    """Count that the member works now, at what is no post: training, guidelines."""
    member, now = lock_member(member)
    count_act(member, read_annotator_state(member, now).pace, now)


def quota_of(member: Membership) -> int | None:
    """Return the most labels that the annotator may give.

    Returns None if no quota is set.
    """
    return member.project.quota if member.quota is None else member.quota


def _unwanted(rows: Sequence[Sequence[Any]]) -> UnwantedContent:
    return UnwantedContent(
        categories=tuple(category for category, _, _ in rows if category is not None),
        groups=tuple(group for _, group, _ in rows if group),
        severity=min((severity for _, _, severity in rows if severity is not None), default=None),
    )


def _statement() -> str:
    on_postgresql = connection.vendor == "postgresql"
    aggregate, array, cast = (
        ("json_agg", "json_build_array", "::text") if on_postgresql else ("json_group_array", "json_array", "")
    )
    opt_outs = f"""
        SELECT {aggregate}({array}(o.category_id, o.target_group, o.severity)){cast} FROM {_OPT_OUT} o
        WHERE o.member_id = m.id AND o.ended_at IS NULL
    """
    teams = f"SELECT {aggregate}(b.batch_id){cast} FROM {_TEAM} b WHERE b.membership_id = m.id"
    return f"""
        SELECT ({_HELD.format("NOT")}), ({_HELD.format("")}), {_MUST_READ}, ({opt_outs}), ({teams}),
            ({newest_day_sql("m.id")}), ({_TODAY}), CASE WHEN %s THEN ({_QUOTA_USED}) END,
            (SELECT COUNT(*) FROM {_POSTPONED} p WHERE p.member_id = m.id)
        FROM {_MEMBER} m WHERE m.id = %s
    """
