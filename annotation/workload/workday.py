"""An annotator's workday: the row behind caps, breaks and pay, read and written while the member's row is locked.

There is one row a person and day; the state of the session is carried over from the newest one. Every writer has locked
the member's row and reads the day after that, so a second browser or tab continues the count of the first one.
"""

import json
from collections.abc import Iterable
from dataclasses import fields, replace
from datetime import UTC, date, datetime
from typing import Any

from django.db import connection
from django.db.models import F
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotation.domain.wellbeing import breaks
from annotation.domain.wellbeing.breaks import Caps, NothingMore, Workday, tighter
from annotation.models import Item, Membership, Project, WorkDay
from runs.sql.compiled_queries import planned_cursor

_COLUMNS = tuple(field.name for field in fields(Workday))
_TIMES = frozenset({"last_act_at", "session_since", "break_offered_at"})
_UPSERT = f"""
    INSERT INTO "{WorkDay._meta.db_table}" (member_id, {", ".join(_COLUMNS)})
    VALUES ({", ".join(["%s"] * (1 + len(_COLUMNS)))})
    ON CONFLICT (member_id, day) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _COLUMNS)}
"""


def newest_day_sql(member: str) -> str:
    """Return SQL for the newest workday of a member (an SQL expression for their key) as JSON text, or NULL."""
    make, cast = ("json_build_object", "::text") if connection.vendor == "postgresql" else ("json_object", "")
    pairs = ", ".join(f"'{name}', w.{name}" for name in _COLUMNS)
    return f"""
        SELECT {make}({pairs}){cast} FROM "{WorkDay._meta.db_table}" w
        WHERE w.member_id = {member} ORDER BY w.day DESC LIMIT 1
    """


def read_workday(newest: str | None, now: datetime) -> Workday:
    """Return the workday at `now` from the JSON text of `newest_day_sql`."""
    today = timezone.localdate(now)
    if newest is None:
        return breaks.roll_over(None, now, today)
    stored: dict[str, Any] = json.loads(newest)
    day = date.fromisoformat(stored.pop("day"))
    known: dict[str, Any] = {name: _time(value) if name in _TIMES else value for name, value in stored.items()}
    return breaks.roll_over(Workday(day, **known), now, today)


def store_workday(member: Membership, pace: Workday) -> None:
    """Store the workday in one statement."""
    with planned_cursor() as cursor:
        cursor.execute(*workday_statement(member, pace))


def workday_statement(member: Membership, pace: Workday) -> tuple[str, list[Any]]:
    """Return the statement that stores the workday, and its values."""
    return _UPSERT, [member.pk, *(_adapted(name, getattr(pace, name)) for name in _COLUMNS)]


def count_act(member: Membership, pace: Workday, now: datetime, *, skips: int = 0) -> None:
    """Count an act of the member on their workday, with the skips that it made."""
    pace = breaks.count_action(pace, now)
    store_workday(member, replace(pace, skips=pace.skips + skips))


def after_label(pace: Workday, now: datetime) -> Workday:
    """Return the workday with one label more, which is given now."""
    pace = breaks.count_action(pace, now)
    return replace(pace, labels=pace.labels + 1)


def uncount_label(member: Membership, given_at: datetime) -> None:
    """Take a label that is taken back out of the workday on which it was given; the time of its work stays."""
    days = WorkDay.objects.filter(member=member, day=timezone.localdate(given_at), labels__gt=0)
    days.update(labels=F("labels") - 1)


def caps_of(member: Membership) -> Caps:
    """Return the caps in force for the member: the project's, or their own where those are lower."""
    project = member.project
    return Caps(
        severe_in_row=project.severe_in_row,
        severe_a_session=project.severe_a_session,
        severe_a_day=tighter(project.severe_a_day, member.severe_a_day),
        minutes_a_day=tighter(project.minutes_a_day, member.minutes_a_day),
        break_after_minutes=project.break_after_minutes,
    )


def through_for_today(members: Iterable[Membership]) -> set[int]:
    """Return the keys of those who have reached a cap beyond which nothing more is shown today, in one query."""
    annotating = {member.pk: member for member in members if member.annotates}
    today = WorkDay.objects.filter(member__in=annotating, day=timezone.localdate()).order_by("member")
    return {
        key
        for key, *values in today.values_list("member", *_COLUMNS)
        if isinstance(breaks.allowance(Workday(*values), caps_of(annotating[key])), NothingMore)
    }


def is_severe(project: Project, item: Item) -> bool:
    """Whether the item counts as severe in the project; one of unknown severity does not."""
    return item.severity is not None and item.severity >= project.severe_from


def _adapted(name: str, value: Any) -> Any:
    if name == "day":
        return connection.ops.adapt_datefield_value(value)
    return connection.ops.adapt_datetimefield_value(value) if name in _TIMES else value


def _time(stored: str | None) -> datetime | None:
    """Return a time as the database writes it into JSON; SQLite leaves out that it is UTC."""
    found = parse_datetime(stored) if stored else None
    return found if found is None or timezone.is_aware(found) else found.replace(tzinfo=UTC)
