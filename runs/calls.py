"""The statements behind every call, as SQL: they run hundreds of times a second, and building them costs more than
running them. One text for both databases; only the lease's clock is spelled differently.
"""

import json
from collections.abc import Mapping
from typing import Any

from django.db import connection

from runs.models import Account, Run, Turn
from runs.taking import lease

Call = dict[str, int]
"""A step under way: calls made and tokens reserved for it, and those of both that no account was charged for yet."""
NO_CALL: Call = {"calls": 0, "tokens": 0, "unpaid_calls": 0, "unpaid_tokens": 0}

_RUN, _ACCOUNT, _TURN = Run._meta.db_table, Account._meta.db_table, Turn._meta.db_table
_MINE = "id = %s AND owner = %s AND state = 'running'"
_UNLIMITED = (
    f"NOT EXISTS (SELECT 1 FROM {_ACCOUNT} WHERE id = %s AND (call_limit IS NOT NULL OR token_limit IS NOT NULL))"
)
_WITHIN = "(call_limit IS NULL OR call_limit >= calls + %s) AND (token_limit IS NULL OR token_limit >= tokens + %s)"
_FIELDS = [field for field in Turn._meta.concrete_fields if field.name not in {"id", "created_at"}]
_INSERT = (
    f"INSERT INTO {_TURN} ({', '.join(str(field.column) for field in _FIELDS)}) "
    f"VALUES ({', '.join(['%s'] * len(_FIELDS))}) ON CONFLICT (run_id, key) DO NOTHING"
)


def begin(run: Run, calls: int, tokens: int, in_flight: Mapping[str, Call], *, unlimited_only: bool) -> bool:
    """Add to the run what is about to be spent, and renew its lease; False if it is cancelled or in other hands.

    With `unlimited_only` also False if the project's account has a limit.
    """
    values: list[Any] = [json.dumps(in_flight), calls, tokens, run.pk, run.owner]
    condition = f"{_MINE} AND NOT cancel_requested"
    if unlimited_only:
        condition += f" AND {_UNLIMITED}"
        values.append(run.account_id)
    changed = "in_flight = %s, calls = calls + %s, tokens = tokens + %s"
    return _execute(f"UPDATE {_RUN} SET {changed}, lease_until = {lease()} WHERE {condition}", values)


def booked(run: Run, calls: int, tokens: int, retries: int, in_flight: Mapping[str, Call], *, progress: bool) -> bool:
    """Add what was really spent to the run, and renew its lease; False if it is in other hands."""
    changed = "in_flight = %s, calls = calls + %s, tokens = tokens + %s, retries = retries + %s"
    waits = ", waits = 0" if progress else ""
    return _execute(
        f"UPDATE {_RUN} SET {changed}{waits}, lease_until = {lease()} WHERE {_MINE}",
        [json.dumps(in_flight), calls, tokens, retries, run.pk, run.owner],
    )


def charge(run: Run, calls: int, tokens: int, *, within_limits: bool) -> bool:
    """Add to the project's account; `within_limits`: only if that goes over no limit, and False if it would."""
    condition, values = "id = %s", [calls, tokens, run.account_id]
    if within_limits:
        condition, values = f"{condition} AND {_WITHIN}", [*values, calls, tokens]
    return _execute(f"UPDATE {_ACCOUNT} SET calls = calls + %s, tokens = tokens + %s WHERE {condition}", values)


def insert(turn: Turn) -> bool:
    """Save a new turn; False if its run has one with this key."""
    values = [field.get_db_prep_save(getattr(turn, field.attname), connection) for field in _FIELDS]
    return _execute(_INSERT, values)


def _execute(sql: str, values: list[Any]) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return bool(cursor.rowcount > 0)
