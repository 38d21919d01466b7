"""Who works on a run: kept by renewing, given back or ended by the one who took it (`runs.taking`).

All times are the database's (threats F24). A worker that lost its lease finds zero rows changed and stops.
"""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import DateTimeField, F, Func, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from runs import calls
from runs.domain.states import Reason, RunState
from runs.method import Method, Outcome
from runs.models import Run
from runs.statements import planned_cursor
from runs.taking import clock

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models.sql.compiler import SQLCompiler

LOST_WORKERS = 3
"""So many workers may be lost with a run before it fails."""


class LeaseLost(Exception):
    """Somebody else has this run now: drop it and touch nothing."""


class CancelRequested(Exception):
    """A person asked for this run to end."""


class _FromNow(Func):
    """A moment by the database's clock, in the form of `Now()`.

    SQLite compares times as texts, and Django's own sum has three digits more there than `Now()`: of one millisecond,
    it would lie after it.
    """

    output_field = DateTimeField()

    def as_sqlite(self, compiler: "SQLCompiler", connection: "BaseDatabaseWrapper", **more: Any) -> Any:
        form = "STRFTIME('%%%%Y-%%%%m-%%%%d %%%%H:%%%%M:%%%%f', 'NOW', %(expressions)s)"
        return self.as_sql(compiler, connection, template=form, **more)

    def as_postgresql(self, compiler: "SQLCompiler", connection: "BaseDatabaseWrapper", **more: Any) -> Any:
        form = "(STATEMENT_TIMESTAMP() + (%(expressions)s)::interval)"
        return self.as_sql(compiler, connection, template=form, **more)


def in_seconds(seconds: float) -> Combinable:
    """So many seconds from now, by the database's clock, to the millisecond."""
    return _FromNow(Value(f"{seconds:+.3f} seconds"))


def lease_end() -> Combinable:
    """When a lease that begins now lapses."""
    return in_seconds(settings.RUN_LEASE_SECONDS)


def due(projects: Iterable[UUID] = ()) -> "list[int]":
    """The ids of runs that are due and wait, as many as there are bells, oldest first."""
    waiting = Run.objects.filter(state=RunState.QUEUED, not_before__lte=Now())
    if projects:
        waiting = waiting.filter(project__in=projects)
    return list(waiting.order_by("not_before", "id").values_list("pk", flat=True)[: settings.RUN_BELLS])


def keep(run: Run) -> None:
    """Keep the run for another while; raises LeaseLost."""
    if not _mine(run).update(lease_until=lease_end()):
        raise LeaseLost


def is_held(run: Run) -> bool:
    """Whether this worker still has the run."""
    return _mine(run).exists()


def put_back(run: Run, after: float, *, detail: str = "", waited: bool = False, seconds: float = 0.0) -> None:
    """Put the run back into the queue, due `after` so many seconds, with the `seconds` that it worked this time.

    `waited` counts a round at a busy provider.
    """
    with transaction.atomic():
        _mine(run).update(
            state=RunState.QUEUED,
            owner="",
            lease_until=None,
            not_before=in_seconds(after),
            rung_at=None,
            waits=F("waits") + int(waited),
            detail=detail[:500],
            seconds=F("seconds") + seconds,
        )
        calls.charge_rest(run.pk)


def end(run: Run, method: Method, outcome: Outcome, *, seconds: float = 0.0) -> Outcome:
    """End the run and let its method store the outcome, both or neither; raises LeaseLost.

    `seconds` are those it worked this time. The answer is how the run really ended: `cancelled` where that was asked
    for or the subject is gone.
    """
    with transaction.atomic(savepoint=False):
        if outcome.state != RunState.CANCELLED:
            if _ended(run, outcome, seconds, unless_cancelled=True):
                return outcome if method.settle(run, outcome) else _gone(run)
            outcome = Outcome(RunState.CANCELLED, Reason.USER)
        if not _ended(run, outcome, seconds, unless_cancelled=False):
            raise LeaseLost
    return outcome


def _gone(run: Run) -> Outcome:
    gone = Outcome(RunState.CANCELLED, Reason.TARGET_GONE)
    Run.objects.filter(pk=run.pk).update(state=gone.state, reason=gone.reason, outcome=None)
    return gone


def _ended(run: Run, outcome: Outcome, seconds: float, *, unless_cancelled: bool) -> bool:
    """End the run if it is held; as SQL, since every run ends here."""
    with planned_cursor() as cursor:
        cursor.execute(
            f"UPDATE {Run._meta.db_table} SET state = %s, reason = %s, detail = %s, outcome = %s, owner = '', "
            f"lease_until = NULL, finished_at = {clock()}, seconds = seconds + %s "
            f"WHERE id = %s AND owner = %s AND state = 'running'{' AND NOT cancel_requested' * unless_cancelled}",
            [
                outcome.state,
                outcome.reason or "",
                outcome.detail[:500],
                json.dumps(dict(outcome.value)) if outcome.value else None,
                seconds,
                run.pk,
                run.owner,
            ],
        )
        return bool(cursor.rowcount > 0)


def _mine(run: Run) -> QuerySet[Run]:
    return Run.objects.filter(pk=run.pk, owner=run.owner, state=RunState.RUNNING)
