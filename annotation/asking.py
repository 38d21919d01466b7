"""Who asks for an item: what a claim needs to know about a person, in one statement.

Asked after the person's row is locked, so that it sees what their last act stored. Raw SQL, because these are single
values of seven tables, and building the querysets costs more than running them.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.utils import timezone

from annotation.domain.pace import Caps, Pace, act
from annotation.models import Batch, Guideline, Item, Label, Membership, OptOut, Project, Seat
from annotation.pacing import newest_day, read_day
from annotation.probing import EVERYBODY, Search, Unwanted

_ITEM, _SEAT, _LABEL, _MEMBER, _GUIDELINE, _OPT_OUT, _TEAM = (
    f'"{model._meta.db_table}"' for model in (Item, Seat, Label, Membership, Guideline, OptOut, Batch.members.through)
)
# A label taken back is held again beside the seat in front, and comes first.
_HELD = f"""
    SELECT s.id FROM {_SEAT} s JOIN {_ITEM} i ON i.id = s.item_id AND i.round = s.round
    WHERE s.annotator_id = m.id AND s.expires_at IS NOT NULL AND i.stage IN ('labelling', 'known')
    AND s.shown_at IS {{}} NULL ORDER BY s.shown_at DESC, s.held_at, s.id LIMIT 1
"""
# As `Guideline.objects.unread_by` asks, and only of those who have worked by an older version.
_MUST_READ = f"""
    EXISTS (
        SELECT 1 FROM {_GUIDELINE} g WHERE g.project_id = m.project_id AND g.asks_reading
        AND g.number > m.guideline_read AND g.created_at > m.created_at
    ) AND EXISTS (SELECT 1 FROM {_LABEL} l WHERE l.annotator_id = m.id)
"""
_TODAY = f"SELECT COUNT(*) FROM {_SEAT} s WHERE s.annotator_id = m.id AND s.filled_at >= %s AND s.label_id IS NOT NULL"
_GIVEN = f"""
    SELECT COUNT(*) FROM {_SEAT} s
    WHERE s.annotator_id = m.id AND (s.label_id IS NOT NULL OR s.expires_at IS NOT NULL)
"""


@dataclass(frozen=True)
class Person:
    """What counts for the next item of a person. Seats are keys."""

    front: int | None
    """The seat in front of them: of those shown, the one shown last."""
    ahead: int | None
    """A seat held but not shown yet."""
    must_read: bool
    """A version of the guidelines asks to be read."""
    unwanted: Unwanted
    queues: Sequence[int]
    pace: Pace
    labels_today: int
    given: int | None
    """Labels and held seats, where a quota bounds them."""


@dataclass(frozen=True)
class Asking:
    """A claim under way: who asks, when, and what counts for them."""

    member: Membership
    now: datetime
    person: Person
    caps: Caps
    ahead: bool

    @property
    def project(self) -> Project:
        return self.member.project

    @property
    def pace(self) -> Pace:
        """Where the person stands with this very act counted: what they did since the last one is work too."""
        return act(self.person.pace, self.now)

    def search(self, unwanted: Unwanted) -> Search:
        return Search(self.member, self.person.queues, unwanted)


def ask_about(member: Membership, now: datetime) -> Person:
    """What is known about a member whose row the caller has locked, with its project at hand."""
    morning = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    with connection.cursor() as cursor:
        values = [connection.ops.adapt_datetimefield_value(morning), quota_of(member) is not None, member.pk]
        cursor.execute(_statement(), values)
        front, ahead, must_read, opt_outs, teams, day, today, given = cursor.fetchone()
    return Person(
        front=front,
        ahead=ahead,
        must_read=bool(must_read),
        unwanted=_unwanted(json.loads(opt_outs or "[]")),
        queues=(EVERYBODY, *json.loads(teams or "[]")),
        pace=read_day(day, now),
        labels_today=today,
        given=given,
    )


def quota_of(member: Membership) -> int | None:
    """How many labels the person gives at most; None where nobody said."""
    return member.project.quota if member.quota is None else member.quota


def _unwanted(rows: Sequence[Sequence[Any]]) -> Unwanted:
    return Unwanted(
        categories=tuple(category for category, _, _ in rows if category is not None),
        groups=tuple(group for _, group, _ in rows if group),
        severity=min((severity for _, _, severity in rows if severity is not None), default=None),
    )


def _statement() -> str:
    on_postgresql = connection.vendor == "postgresql"
    gather, pack, cast = (
        ("json_agg", "json_build_array", "::text") if on_postgresql else ("json_group_array", "json_array", "")
    )
    opt_outs = f"""
        SELECT {gather}({pack}(o.category_id, o.target_group, o.severity)){cast} FROM {_OPT_OUT} o
        WHERE o.member_id = m.id AND o.ended_at IS NULL
    """
    teams = f"SELECT {gather}(b.batch_id){cast} FROM {_TEAM} b WHERE b.membership_id = m.id"
    return f"""
        SELECT ({_HELD.format("NOT")}), ({_HELD.format("")}), {_MUST_READ}, ({opt_outs}), ({teams}),
            ({newest_day("m.id")}), ({_TODAY}), CASE WHEN %s THEN ({_GIVEN}) END
        FROM {_MEMBER} m WHERE m.id = %s
    """
