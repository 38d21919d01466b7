"""The statements behind every call, as SQL: they run hundreds of times a second, and building them costs more than
running them. One text for both databases; only the lease's clock is spelled differently.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import JSONField

from runs.models import Account, Run, Turn
from runs.statements import planned_cursor
from runs.taking import lease

Call = dict[str, int]
"""A step under way, as the run's row notes it: calls made and tokens reserved for it."""
NO_CALL: Call = {"calls": 0, "tokens": 0}

_RUN, _ACCOUNT, _TURN = Run._meta.db_table, Account._meta.db_table, Turn._meta.db_table
_MINE = "id = %s AND owner = %s AND state = 'running'"
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
_AT_ONCE = (
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
    """What is added to a run's row. `charged`: the project's account was charged for it already, or is right now."""

    calls: int = 0
    tokens: int = 0
    retries: int = 0
    charged: bool = False
    progress: bool = False

    def update(self, run: Run, in_flight: Mapping[str, Call]) -> tuple[str, list[Any]]:
        """The statement that books it while the run is held, and renews its lease."""
        changed = "in_flight = %s, calls = calls + %s, tokens = tokens + %s, retries = retries + %s"
        values: list[Any] = [json.dumps(in_flight), self.calls, self.tokens, self.retries]
        if self.charged:
            changed += ", charged_calls = charged_calls + %s, charged_tokens = charged_tokens + %s"
            values += [self.calls, self.tokens]
        if self.progress:
            changed += ", waits = 0"
        return f"UPDATE {_RUN} SET {changed}, lease_until = {lease()} WHERE {_MINE}", [*values, run.pk, run.owner]


def begin(run: Run, tokens: int, in_flight: Mapping[str, Call], *, charged: bool) -> bool:
    """Reserve a call on the run's row; False if the run is cancelled or in other hands.

    Without `charged` also False if the project's account has a limit.
    """
    sql, values = Booking(1, tokens, charged=charged).update(run, in_flight)
    if charged:
        return _execute(f"{sql} AND NOT cancel_requested", values)
    return _execute(*_unless_limited(sql, values, run))


def _unless_limited(sql: str, values: list[Any], run: Run) -> tuple[str, list[Any]]:
    """The same statement where the run may make another call that its project's account is not charged for."""
    return f"{sql} AND NOT cancel_requested AND {_UNLIMITED}", [*values, run.account_id]


def book(run: Run, booking: Booking, in_flight: Mapping[str, Call]) -> bool:
    """Add what was really spent to the run, and renew its lease; False if it is in other hands."""
    return _execute(*booking.update(run, in_flight))


def insert_and_book(turn: Turn, run: Run, booking: Booking, in_flight: Mapping[str, Call]) -> tuple[bool, bool]:
    """Save a new turn and book it, both or, where the run has a turn of this key, neither: (saved, held).

    PostgreSQL does both in one statement, one way there and back instead of four; SQLite in the caller's transaction.
    """
    sql, values = booking.update(run, in_flight)
    given = _given(turn)
    if connection.vendor == "postgresql":
        return _both(given, sql, values)
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, given)
        if cursor.rowcount <= 0:
            return False, False
        cursor.execute(sql, values)
        return True, cursor.rowcount > 0


def insert_and_begin(turn: Turn, run: Run, booking: Booking, in_flight: Mapping[str, Call]) -> tuple[bool, bool]:
    """Save a new turn, book it and begin the next call, which `booking` holds too: (saved, begun). PostgreSQL's.

    Where the run may not make another call, or is in other hands, the turn is saved and nothing is booked: `book`
    follows. Where the run has a turn of this key, nothing is done.
    """
    return _both(_given(turn), *_unless_limited(*booking.update(run, in_flight), run))


def charge(account: int, calls: int, tokens: int, *, within_limits: bool) -> bool:
    """Add to a project's account; `within_limits`: only if that goes over no limit, and False if it would."""
    condition, values = "id = %s", [calls, tokens, account]
    if within_limits:
        condition, values = f"{condition} AND {_WITHIN}", [*values, calls, tokens]
    return _execute(f"UPDATE {_ACCOUNT} SET calls = calls + %s, tokens = tokens + %s WHERE {condition}", values)


def charge_rest(run_id: int) -> None:
    """Charge the account for what it was not charged for yet of this run, in the caller's transaction.

    The caller has changed the run's row in it already, which is therefore locked.
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


def _given(turn: Turn) -> list[Any]:
    """The values of a turn's columns, as `_INSERT` takes them."""
    given = [getattr(turn, name) for name in _NAMES]
    for place in _JSON:
        given[place] = None if given[place] is None else json.dumps(given[place])
    return given


def _both(given: list[Any], sql: str, values: list[Any]) -> tuple[bool, bool]:
    with planned_cursor() as cursor:
        cursor.execute(_AT_ONCE.format(booking=sql), [*given, *values])
        saved, booked = cursor.fetchone()
    return bool(saved), bool(booked)


def _execute(sql: str, values: list[Any]) -> bool:
    with planned_cursor() as cursor:
        cursor.execute(sql, values)
        return bool(cursor.rowcount > 0)
