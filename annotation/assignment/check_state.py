"""Read what decides whether checks are final for their annotator (`annotation.domain.check_closing`).

A seat names the seat that it follows in `closes_with`: one of the same annotator, at an ordinary post. All is read
for the annotator, whichever seat is asked about, so that a check takes the statements of any other post.
"""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from django.db import connection
from django.db.models import BooleanField
from django.db.models.expressions import RawSQL
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotation.domain.check_closing import (
    LAST_POSTS,
    REMEMBERED,
    WAIT,
    WAIT_RANGE,
    Ending,
    GivenCheck,
    LabelledPost,
    final_checks,
)
from annotation.models import Item, Membership, Seat
from runs.sql.compiled_queries import planned_cursor

NEWEST = 500
"""Of so many of an annotator's last posts is asked whether one still waits for others."""
CHECKS = 64
"""How many of an annotator's checks are waited for; those before are final."""

_ITEM, _SEAT, _MEMBER = (f'"{model._meta.db_table}"' for model in (Item, Seat, Membership))
_IS_CLOSED = "({item}.stage <> 'labelling' OR {item}.round <> {seat}.round)"
_LAST = f"(SELECT MAX(z.filled_at) FROM {_SEAT} z WHERE z.item_id = {{seat}}.item_id AND z.round = {{seat}}.round)"
_ORDINARY = f"""
    FROM {_SEAT} o JOIN {_ITEM} i ON i.id = o.item_id AND i.stage <> 'known'
    WHERE o.annotator_id = {{annotator}} AND o.filled_at IS NOT NULL AND o.label_id IS NOT NULL
"""
# Whose check is first of all follows the first post after it.
_FOLLOWED = f"""
    COALESCE({{seat}}.closes_with, (SELECT o.id {_ORDINARY} ORDER BY o.filled_at LIMIT 1))
"""
# Before the first post: if those that are handed out would all close with one more label.
_HANDED_OUT = f"SELECT 1 FROM {_ITEM} h WHERE h.project_id = {{project}} AND h.stage = 'labelling'"
_ALL_CLOSE = f"(EXISTS ({_HANDED_OUT}) AND NOT EXISTS ({_HANDED_OUT} AND h.taken < h.seats - 1))"

_AT_ONCE = f"""
    CASE WHEN {_SEAT}.annotator_id = %s THEN COALESCE(
        (
            SELECT {_IS_CLOSED.format(item="c", seat="p")} AND p.filled_at = {_LAST.format(seat="p")}
            FROM {_SEAT} p JOIN {_ITEM} c ON c.id = p.item_id
            WHERE p.id = {_FOLLOWED.format(seat=_SEAT, annotator=f"{_SEAT}.annotator_id")}
        ),
        (SELECT {_ALL_CLOSE.format(project="k.project_id")} FROM {_ITEM} k WHERE k.id = {_SEAT}.item_id)
    ) END
"""
_LACKS_ONE = f"""
    CASE WHEN {_IS_CLOSED.format(item="c", seat="p")} THEN (
        SELECT z.filled_at FROM {_SEAT} z WHERE z.item_id = p.item_id AND z.round = p.round AND z.filled_at IS NOT NULL
        ORDER BY z.filled_at DESC LIMIT 1 OFFSET 1
    ) WHEN c.seats - 1 = (
        SELECT COUNT(*) FROM {_SEAT} z WHERE z.item_id = p.item_id AND z.round = p.round AND z.filled_at IS NOT NULL
    ) THEN {_LAST.format(seat="p")} END
"""
_GIVEN_CHECKS = f"""
    SELECT s.id, s.filled_at, s.followed,
    {_IS_CLOSED.format(item="c", seat="p")}, {_LAST.format(seat="p")}, {_LACKS_ONE}, p.filled_at,
    (SELECT COUNT(*) FROM (
        SELECT 1 FROM {_MEMBER} m JOIN {_SEAT} f ON f.annotator_id = m.id
        WHERE m.project_id = %(project)s AND m.id <> %(member)s AND f.label_id IS NOT NULL
        AND f.filled_at > {_LAST.format(seat="p")} AND f.filled_at > s.filled_at LIMIT {WAIT + WAIT_RANGE}
    ) counted)
    FROM (
        SELECT s.id, s.filled_at, {_FOLLOWED.format(seat="s", annotator="%(member)s")} AS followed
        FROM {_ITEM} k JOIN {_SEAT} s ON s.item_id = k.id AND s.annotator_id = %(member)s
        WHERE k.project_id = %(project)s AND k.stage = 'known' AND s.label_id IS NOT NULL
    ) s LEFT JOIN {_SEAT} p ON p.id = s.followed LEFT JOIN {_ITEM} c ON c.id = p.item_id
"""
_SURROUNDINGS = f"""
    SELECT {_ALL_CLOSE.format(project="%(project)s")}, EXISTS ({_HANDED_OUT.format(project="%(project)s")}), w.filled_at
    FROM (SELECT 1) one LEFT JOIN (
        SELECT n.filled_at FROM (
            SELECT o.filled_at, {_IS_CLOSED.format(item="i", seat="o")} AS is_closed
            {_ORDINARY.format(annotator="%(member)s")}
            ORDER BY o.filled_at DESC LIMIT {NEWEST}
        ) n WHERE NOT n.is_closed ORDER BY n.filled_at LIMIT {LAST_POSTS}
    ) w ON TRUE
"""
_OTHERS_CHECKS = f"""
    SELECT s.filled_at FROM {_ITEM} k JOIN {_SEAT} s ON s.item_id = k.id AND s.annotator_id <> %(member)s
    WHERE k.project_id = %(project)s AND k.stage = 'known' AND s.label_id IS NOT NULL AND s.filled_at > %(since)s
    ORDER BY s.filled_at
"""


def closes_at_once(member: Any) -> RawSQL:
    """Return whether a check closes for its annotator with the label that they put at the seat, to annotate seats.

    It is computed at ordinary posts too, where it means nothing; at seats of others than `member` it is NULL.
    """
    return RawSQL(f"({_AT_ONCE})", (member,), BooleanField())


def final_checks_of(member: Membership) -> frozenset[int]:
    """Return the seats at checks whose label is final for the annotator.

    Where checks are mixed in, the statements are the same before the first one.
    """
    values = {"project": member.project_id, "member": member.pk}
    rows = _rows(_GIVEN_CHECKS, values)
    if not rows and not member.project.check_percent:
        return frozenset()
    checks = [_given_check(*row) for row in rows if row[2] is not None]
    surroundings = _rows(_SURROUNDINGS, values)
    all_close, anything_open = map(bool, surroundings[0][:2])
    oldest_open = [_moment(at) for *_, at in surroundings if at is not None]
    moments = (filter(None, (check.lacks_one_since, check.closed_at, check.labelled_at)) for check in checks)
    since = sorted(map(min, moments))[-CHECKS:][:1] or [timezone.now()]
    others = _rows(_OTHERS_CHECKS, values | {"since": connection.ops.adapt_datetimefield_value(since[0])})
    final = final_checks(checks, [_moment(at) for (at,) in others], oldest_open, anything_open=anything_open)
    return final | {row[0] for row in rows if row[2] is None and all_close}


def _given_check(
    seat: int, at: Any, _followed: int, closed: Any, last: Any, lacks_one: Any, own: Any, labels_since: int
) -> GivenCheck:
    labelled_at, last_at = _moment(at), _moment(last)
    return GivenCheck(
        seat=seat,
        labelled_at=labelled_at,
        closed_at=last_at if closed else None,
        lacks_one_since=_moment(lacks_one),
        at_once=bool(closed) and last_at == _moment(own),
        labels_since=labels_since,
    )


def _rows(statement: str, values: dict[str, Any]) -> list[Any]:
    with planned_cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[Any] = cursor.fetchall()
    return rows


def labelled_posts_sql(member: str) -> str:
    """Return SQL for a member's newest ordinary posts (`member` is an SQL expression for their key), as JSON text."""
    on_postgresql = connection.vendor == "postgresql"
    aggregate, array, cast = (
        ("json_agg", "json_build_array", "::text") if on_postgresql else ("json_group_array", "json_array", "")
    )
    return f"""
        SELECT {aggregate}({array}(t.id, t.ending)){cast} FROM (
            SELECT o.id, CASE WHEN NOT {_IS_CLOSED.format(item="i", seat="o")} THEN '{Ending.OPEN}'
                WHEN o.filled_at < {_LAST.format(seat="o")} THEN '{Ending.LATER}' ELSE '{Ending.AT_ONCE}' END AS ending
            {_ORDINARY.format(annotator=member)}
            ORDER BY o.filled_at DESC LIMIT {REMEMBERED}
        ) t
    """


def read_labelled_posts(rows: Sequence[tuple[int, str]]) -> list[LabelledPost]:
    """Return the posts of `labelled_posts_sql`."""
    return [LabelledPost(seat, Ending(ending)) for seat, ending in rows]


def _moment(value: Any) -> Any:
    """Return a moment as PostgreSQL gives it; SQLite gives one without a time zone, or its text."""
    moment = parse_datetime(value) if isinstance(value, str) else value
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment
