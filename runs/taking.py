"""Which run is next, and taking it: as SQL, since every run begins here and building the statements costs more."""

import os
import secrets
import socket
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Exists, OuterRef, Subquery

from runs.models import Account, Run, Turn
from runs.statements import Statement, planned_cursor

_RUN, _ACCOUNT = Run._meta.db_table, Account._meta.db_table
_HOST = socket.gethostname()[:16]


def take(run_id: int) -> Run | None:
    """Take this run if it is queued and due; None if it is not, or somebody was first."""
    return _take("id = %s", [run_id])


def take_next(*, project: UUID | None = None, method: str = "") -> Run | None:
    """Take the run that is next: of the project with the fewest at work, the one that waits longest.

    With `project` and `method` only that project's runs of that method.
    """
    if project is None and (run := _take(_first(f"({_fairest()} LIMIT 1)"), [])):
        return run
    # Nothing waits, or others took what waited in the project that is next by the rule: each is tried in turn.
    for place in [project] if project else _fair_projects():
        if run := _take(*_first_of(place, method)):
            return run
    return None


def clock() -> str:
    """The database's time, as SQL."""
    # To the millisecond and in Django's own form, so that texts compare as times do.
    return "statement_timestamp()" if _on_postgresql() else "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now')"


def lease() -> str:
    """When a lease that begins now lapses, as SQL."""
    seconds = int(settings.RUN_LEASE_SECONDS)
    if _on_postgresql():
        return f"statement_timestamp() + interval '{seconds} seconds'"
    return f"strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', '+{seconds} seconds')"


def _take(which: str, values: list[Any]) -> Run | None:
    """Make a run ours by a guarded UPDATE; None if there is none, or somebody was first."""
    owner = f"{_HOST}.{os.getpid()}.{secrets.token_hex(4)}"
    taken = _TAKEN.changed(
        f"UPDATE {_RUN} SET state = 'running', owner = %s, lease_until = {lease()}, takes = takes + 1, "
        f"started_at = COALESCE(started_at, {clock()}) "
        f"WHERE {which} AND state = 'queued' AND not_before <= {clock()}",
        [owner, *values],
    )
    run = taken[0] if taken else None
    if run is not None:
        run.has_turns = bool(vars(run)["answered"])
        run.account_id = vars(run)["account"] or Account.objects.get_or_create(project=run.project)[0].pk
    return run


def _first_of(project: UUID, method: str) -> tuple[str, list[Any]]:
    """Which run of the project is next, as the condition of the UPDATE that takes it."""
    of_method, values = (" AND method = %s", [method]) if method else ("", [])
    return _first("%s", of_method), [_PROJECT.get_db_prep_value(project, connection), *values]


def _first(project: str, further: str = "") -> str:
    """The same, for a project in SQL."""
    lock = " FOR UPDATE SKIP LOCKED" if _on_postgresql() else ""
    return (
        f"id = (SELECT id FROM {_RUN} WHERE project = {project} AND state = 'queued' AND not_before <= {clock()}"
        f"{further} ORDER BY not_before, id LIMIT 1{lock})"
    )


def _fair_projects() -> list[UUID]:
    """The projects whose runs wait, those with the fewest at work first."""
    with planned_cursor() as cursor:
        cursor.execute(_fairest(), [])
        return [_PROJECT.to_python(project) for (project,) in cursor.fetchall()]


def _fairest() -> str:
    """The projects whose runs wait, in the order in which they take turns, as SQL."""
    # One look into the index for each project; EXISTS would be planned as a walk through all that waits.
    waits = (
        f"SELECT r.id FROM {_RUN} r WHERE r.project = a.project AND r.state = 'queued' AND r.not_before <= {clock()} "
        "ORDER BY r.not_before, r.id LIMIT 1"
    )
    at_work = f"SELECT count(*) FROM {_RUN} w WHERE w.project = a.project AND w.state = 'running'"
    return f"SELECT a.project FROM {_ACCOUNT} a WHERE ({waits}) IS NOT NULL ORDER BY ({at_work}), a.id"


def _on_postgresql() -> bool:
    return connection.vendor == "postgresql"


_PROJECT = Account._meta.get_field("project")
_TAKEN = Statement(
    Run.objects.annotate(
        account=Subquery(Account.objects.filter(project=OuterRef("project")).values("pk")),
        answered=Exists(Turn.objects.filter(run=OuterRef("pk"))),
    )
)
