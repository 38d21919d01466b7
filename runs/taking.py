"""Which run is next, and taking it: as SQL, since every run begins here and building the statements costs more."""

import os
import secrets
import socket
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction

from runs.models import Account, Run

_RUN, _ACCOUNT = Run._meta.db_table, Account._meta.db_table
_HOST = socket.gethostname()[:16]


def take(run_id: int) -> Run | None:
    """Take this run if it is queued and due; None if it is not, or somebody was first."""
    owner = _take(run_id)
    return None if owner is None else _taken(run_id, owner)


def take_next(*, project: UUID | None = None, method: str = "") -> Run | None:
    """Take the run that is next: of the project with the fewest at work, the one that waits longest.

    With `project` and `method` only that project's runs of that method.
    """
    for account, place in [(0, project)] if project else _fair_accounts():
        with transaction.atomic():
            run_id = _first_of(place, method)
            owner = None if run_id is None else _take(run_id)
        if run_id is not None and owner is not None and (run := _taken(run_id, owner, account)):
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


def _take(run_id: int) -> str | None:
    """Make the run ours by a guarded UPDATE; answers the name it is ours under."""
    owner = f"{_HOST}.{os.getpid()}.{secrets.token_hex(4)}"
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {_RUN} SET state = 'running', owner = %s, lease_until = {lease()}, takes = takes + 1, "
            f"started_at = COALESCE(started_at, {clock()}) "
            f"WHERE id = %s AND state = 'queued' AND not_before <= {clock()}",
            [owner, run_id],
        )
        return owner if cursor.rowcount else None


def _taken(run_id: int, owner: str, account: int = 0) -> Run | None:
    run = Run.objects.filter(pk=run_id, owner=owner).first()
    if run is not None:
        run.account_id = account or Account.objects.get_or_create(project=run.project)[0].pk
    return run


def _first_of(project: UUID | None, method: str) -> int | None:
    lock = " FOR UPDATE SKIP LOCKED" if _on_postgresql() else ""
    of_method, values = (" AND method = %s", [method]) if method else ("", [])
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id FROM {_RUN} WHERE project = %s AND state = 'queued' AND not_before <= {clock()}{of_method} "
            f"ORDER BY not_before, id LIMIT 1{lock}",
            [_PROJECT.get_db_prep_value(project, connection), *values],
        )
        found = cursor.fetchone()
    return None if found is None else int(found[0])


def _fair_accounts() -> list[tuple[int, UUID]]:
    """The accounts of projects whose runs wait, those with the fewest at work first."""
    # One look into the index for each project; EXISTS would be planned as a walk through all that waits.
    waits = (
        f"SELECT r.id FROM {_RUN} r WHERE r.project = a.project AND r.state = 'queued' AND r.not_before <= {clock()} "
        "ORDER BY r.not_before, r.id LIMIT 1"
    )
    at_work = f"SELECT count(*) FROM {_RUN} w WHERE w.project = a.project AND w.state = 'running'"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT a.id, a.project, ({at_work}) AS at_work FROM {_ACCOUNT} a WHERE ({waits}) IS NOT NULL "
            "ORDER BY at_work, a.id",
            [],
        )
        return [(account, _PROJECT.to_python(project)) for account, project, _ in cursor.fetchall()]


def _on_postgresql() -> bool:
    return connection.vendor == "postgresql"


_PROJECT = Account._meta.get_field("project")
