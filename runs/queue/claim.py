"""Choose the next run and claim it by a guarded UPDATE.

In SQL because every run begins here and building the querysets costs more than their answer.
"""

import os
import secrets
import socket
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Exists, OuterRef, Subquery

from runs.models import Account, Run, Turn
from runs.sql.compiled_queries import CompiledQuery, planned_cursor

_RUN, _ACCOUNT = Run._meta.db_table, Account._meta.db_table
_HOST = socket.gethostname()[:16]


def claim_run(run_id: int) -> Run | None:
    """Claim this run for this worker.

    Returns None if it is not queued and due, or another worker was first.
    """
    return _claim("id = %s", [run_id])


def claim_next_run(*, project: UUID | None = None, method: str = "") -> Run | None:
    """Claim the next run: of the project with the fewest runs at work, the one that has waited longest.

    With `project` and `method`, only that project's runs of that method.
    """
    if project is None and (run := _claim(_next_run(f"({_fairest()} LIMIT 1)"), [])):
        return run
    # Nothing waits, or others claimed what waited in the fairest project: try each project in turn.
    for fair_project in [project] if project else _fair_projects():
        if run := _claim(*_next_run_of(fair_project, method)):
            return run
    return None


def is_alive(owner: str) -> bool:
    """Return whether the process that claimed a run under this name lives on this machine."""
    host, _, process = owner.rpartition(".")[0].rpartition(".")
    if host != _HOST or not process.isdigit():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def now_sql() -> str:
    """Return the SQL of the database's current time."""
    # SQLite compares times as texts: to the millisecond and in Django's own format.
    return "statement_timestamp()" if _on_postgresql() else "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now')"


def lease_end_sql() -> str:
    """Return the SQL of the time at which a lease that begins now ends."""
    seconds = int(settings.RUN_LEASE_SECONDS)
    if _on_postgresql():
        return f"statement_timestamp() + interval '{seconds} seconds'"
    return f"strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', '+{seconds} seconds')"


def _claim(which: str, values: list[Any]) -> Run | None:
    """Claim a run by a guarded UPDATE.

    Returns None if there is none, or another worker was first.
    """
    owner = f"{_HOST}.{os.getpid()}.{secrets.token_hex(4)}"
    claimed = _CLAIMED.changed(
        f"UPDATE {_RUN} SET state = 'running', owner = %s, lease_until = {lease_end_sql()}, takes = takes + 1, "
        f"started_at = COALESCE(started_at, {now_sql()}) "
        f"WHERE {which} AND state = 'queued' AND not_before <= {now_sql()}",
        [owner, *values],
    )
    run = claimed[0] if claimed else None
    if run is not None:
        run.has_turns = bool(vars(run)["answered"])
        run.account_id = vars(run)["account"] or Account.objects.get_or_create(project=run.project)[0].pk
    return run


def _next_run_of(project: UUID, method: str) -> tuple[str, list[Any]]:
    """Return the condition, with its values, that names the project's next run."""
    of_method, values = (" AND method = %s", [method]) if method else ("", [])
    return _next_run("%s", of_method), [_PROJECT.get_db_prep_value(project, connection), *values]


def _next_run(project: str, further: str = "") -> str:
    """Return the SQL condition that names the next run of a project given in SQL."""
    lock = " FOR UPDATE SKIP LOCKED" if _on_postgresql() else ""
    return (
        f"id = (SELECT id FROM {_RUN} WHERE project = {project} AND state = 'queued' AND not_before <= {now_sql()}"
        f"{further} ORDER BY not_before, id LIMIT 1{lock})"
    )


def _fair_projects() -> list[UUID]:
    """Return the projects with waiting runs, those with the fewest runs at work first."""
    with planned_cursor() as cursor:
        cursor.execute(_fairest(), [])
        return [_PROJECT.to_python(project) for (project,) in cursor.fetchall()]


def _fairest() -> str:
    """Return the SQL of the projects with waiting runs, in the order in which they take turns."""
    # One index look-up for each project; PostgreSQL plans EXISTS as a scan of all waiting runs.
    waits = (
        f"SELECT r.id FROM {_RUN} r WHERE r.project = a.project AND r.state = 'queued' AND r.not_before <= {now_sql()} "
        "ORDER BY r.not_before, r.id LIMIT 1"
    )
    at_work = f"SELECT count(*) FROM {_RUN} w WHERE w.project = a.project AND w.state = 'running'"
    return f"SELECT a.project FROM {_ACCOUNT} a WHERE ({waits}) IS NOT NULL ORDER BY ({at_work}), a.id"


def _on_postgresql() -> bool:
    return connection.vendor == "postgresql"


_PROJECT = Account._meta.get_field("project")
_CLAIMED = CompiledQuery(
    Run.objects.annotate(
        account=Subquery(Account.objects.filter(project=OuterRef("project")).values("pk")),
        answered=Exists(Turn.objects.filter(run=OuterRef("pk"))),
    )
)
