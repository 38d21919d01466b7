"""The SQL statements of every model call: reserve, save, book, charge.

They run hundreds of times a second, and building a queryset costs more than the database's answer. The same text serves
both databases except for the lease's clock.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import JSONField

from runs.models import Account, Run, Turn
from runs.queue.claim import lease_end_sql
from runs.sql.compiled_queries import planned_cursor

CallUnderWay = dict[str, int]
"""A step under way, as the run's row records it: calls made and tokens reserved for it."""
NO_CALL: CallUnderWay = {"calls": 0, "tokens": 0}

_RUN, _ACCOUNT, _TURN = Run._meta.db_table, Account._meta.db_table, Turn._meta.db_table
_HELD = "id = %s AND owner = %s AND state = 'running'"
_UNLIMITED = (
    f"NOT EXISTS (SELECT 1 FROM {_ACCOUNT} WHERE id = %s AND (call_limit IS NOT NULL OR token_limit IS NOT NULL))"
)
_WITHIN = "(call_limit IS NULL OR call_limit >= calls + %s) AND (token_limit IS NULL OR token_limit >= tokens + %s)"
_FIELDS = [field for field in Turn._meta.concrete_fields if field.name not in {"id", "created_at"}]
_NAMES = [field.attname for field in _FIELDS]
_JSON = [place for place, field in enumerate(_FIELDS) if isinstance(field, JSONField)]
_INSERT = (
    f"INSERT INTO {_TURN} ({', '.join(str(field.column) for field in _FIELDS)}) "
    f"VALUES ({', '.join(['%s'] * len(_FIELDS))}) ON CONFLICT (run_id, key) DO NOTHING"
)
_INSERT_AND_UPDATE = (
    f"WITH saved AS ({_INSERT} RETURNING id), "
    "booked AS ({booking} AND EXISTS (SELECT 1 FROM saved) RETURNING id) "
    "SELECT (SELECT count(*) FROM saved), (SELECT count(*) FROM booked)"
)

_UNCHARGED = f"SELECT project FROM {_RUN} WHERE id = %s AND (calls, tokens) <> (charged_calls, charged_tokens)"
_CHARGED = f"UPDATE {_RUN} SET charged_calls = calls, charged_tokens = tokens WHERE id = %s"
_CHARGE_REST = (
    f"WITH charged AS ({_CHARGED}) UPDATE {_ACCOUNT} a SET calls = a.calls + r.calls - r.charged_calls, "
    f"tokens = a.tokens + r.tokens - r.charged_tokens FROM {_RUN} r WHERE r.id = %s AND a.project = r.project "
    "AND (r.calls, r.tokens) <> (r.charged_calls, r.charged_tokens)"
)


@dataclass(frozen=True)
class Booking:
    """What is added to a run's row.

    `charged`: the project's account is charged for it too, before or in the same transaction.
    """

    calls: int = 0
    tokens: int = 0
    retries: int = 0
    charged: bool = False
    progress: bool = False

    def update(self, run: Run, in_flight: Mapping[str, CallUnderWay]) -> tuple[str, list[Any]]:
        """Return the statement and values that book it while the run is held, and that renew the lease."""
        changed = "in_flight = %s, calls = calls + %s, tokens = tokens + %s, retries = retries + %s"
        values: list[Any] = [json.dumps(in_flight), self.calls, self.tokens, self.retries]
        if self.charged:
            changed += ", charged_calls = charged_calls + %s, charged_tokens = charged_tokens + %s"
            values += [self.calls, self.tokens]
        if self.progress:
            changed += ", waits = 0"
        return f"UPDATE {_RUN} SET {changed}, lease_until = {lease_end_sql()} WHERE {_HELD}", [
            *values,
            run.pk,
            run.owner,
        ]


def begin_call(run: Run, tokens: int, in_flight: Mapping[str, CallUnderWay], *, charged: bool) -> bool:
    """Reserve a call on the run's row. Return False if the run is cancelled or another worker has it.

    Without `charged` also return False if the project's account has a limit.
    """
    sql, values = Booking(1, tokens, charged=charged).update(run, in_flight)
    if charged:
        return _execute(f"{sql} AND NOT cancel_requested", values)
    return _execute(*_unless_limited(sql, values, run))


def _unless_limited(sql: str, values: list[Any], run: Run) -> tuple[str, list[Any]]:
    """Restrict the statement to runs that may make another call without a charge to their project's account."""
    return f"{sql} AND NOT cancel_requested AND {_UNLIMITED}", [*values, run.account_id]


def book_on_run(run: Run, booking: Booking, in_flight: Mapping[str, CallUnderWay]) -> bool:
    """Book what was really spent on the run and renew its lease. Return False if another worker has the run."""
    return _execute(*booking.update(run, in_flight))


def insert_turn_and_book(
    turn: Turn, run: Run, booking: Booking, in_flight: Mapping[str, CallUnderWay]
) -> tuple[bool, bool]:
    """Save a new turn and book it; do neither if the run has a turn of this key. Return (saved, held).

    PostgreSQL does both in one statement, one round trip instead of four; SQLite in the caller's transaction.
    """
    sql, values = booking.update(run, in_flight)
    turn_values = _turn_values(turn)
    if connection.vendor == "postgresql":
        return _save_and_update(turn_values, sql, values)
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, turn_values)
        if cursor.rowcount <= 0:
            return False, False
        cursor.execute(sql, values)
        return True, cursor.rowcount > 0


def insert_turn_and_begin_call(
    turn: Turn, run: Run, booking: Booking, in_flight: Mapping[str, CallUnderWay]
) -> tuple[bool, bool]:
    """Save a new turn, book it and begin the next call, which `booking` includes; PostgreSQL only.

    Return (saved, begun). If the run may not make another call or another worker has it, the turn is saved and nothing
    is booked: `book_on_run` must follow. If the run has a turn of this key, nothing is done.
    """
    return _save_and_update(_turn_values(turn), *_unless_limited(*booking.update(run, in_flight), run))


def charge_account(account: int, calls: int, tokens: int, *, within_limits: bool) -> bool:
    """Add to a project's account. With `within_limits`, return False instead of exceeding a limit."""
    condition, values = "id = %s", [calls, tokens, account]
    if within_limits:
        condition, values = f"{condition} AND {_WITHIN}", [*values, calls, tokens]
    return _execute(f"UPDATE {_ACCOUNT} SET calls = calls + %s, tokens = tokens + %s WHERE {condition}", values)


def charge_remaining(run_id: int) -> None:
    """Charge the account for what it was not charged for yet of this run, in the caller's transaction.

    The caller has changed the run's row in that transaction, so the row is locked.
    """
    if connection.vendor == "postgresql":
        _execute(_CHARGE_REST, [run_id, run_id])
        return
    rest = f"SELECT {{0}} - charged_{{0}} FROM {_RUN} WHERE id = %s"
    _execute(
        f"UPDATE {_ACCOUNT} SET calls = calls + ({rest.format('calls')}), tokens = tokens + ({rest.format('tokens')}) "
        f"WHERE project = ({_UNCHARGED})",
        [run_id, run_id, run_id],
    )
    _execute(_CHARGED, [run_id])


def _turn_values(turn: Turn) -> list[Any]:
    """Return the values of a turn's columns, as `_INSERT` takes them."""
    values = [getattr(turn, name) for name in _NAMES]
    for place in _JSON:
        values[place] = None if values[place] is None else json.dumps(values[place])
    return values


def _save_and_update(turn_values: list[Any], sql: str, values: list[Any]) -> tuple[bool, bool]:
    with planned_cursor() as cursor:
        cursor.execute(_INSERT_AND_UPDATE.format(booking=sql), [*turn_values, *values])
        saved, booked = cursor.fetchone()
    return bool(saved), bool(booked)


def _execute(sql: str, values: list[Any]) -> bool:
    with planned_cursor() as cursor:
        cursor.execute(sql, values)
        return bool(cursor.rowcount > 0)
