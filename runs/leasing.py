"""Who works on a run: kept by renewing, given back or ended by the one who took it (`runs.taking`).

All times are the database's (threats F24). A worker that lost its lease finds zero rows changed and stops.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import DateTimeField, ExpressionWrapper, F, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from runs.domain.states import Reason, RunState
from runs.method import Method, Outcome
from runs.models import Run

LOST_WORKERS = 3
"""So many workers may be lost with a run before it fails."""


class LeaseLost(Exception):
    """Somebody else has this run now: drop it and touch nothing."""


class CancelRequested(Exception):
    """A person asked for this run to end."""


def in_seconds(seconds: float) -> Combinable:
    """So many seconds from now, by the database's clock."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())


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


def put_back(run: Run, after: float, *, detail: str = "", waited: bool = False, **fields: object) -> None:
    """Put the run back into the queue, due `after` so many seconds; `waited` counts a round at a busy provider."""
    _mine(run).update(
        state=RunState.QUEUED,
        owner="",
        lease_until=None,
        not_before=in_seconds(after),
        rung_at=None,
        waits=F("waits") + int(waited),
        detail=detail[:500],
        **fields,
    )


def end(run: Run, method: Method, outcome: Outcome, **fields: object) -> Outcome:
    """End the run and let its method store the outcome, both or neither; raises LeaseLost.

    The answer is how the run really ended: `cancelled` where that was asked for or the subject is gone.
    """
    with transaction.atomic():
        if outcome.state != RunState.CANCELLED:
            if _ended(_mine(run).filter(cancel_requested=False), outcome, fields):
                return outcome if method.settle(run, outcome) else _gone(run)
            outcome = Outcome(RunState.CANCELLED, Reason.USER)
        if not _ended(_mine(run), outcome, fields):
            raise LeaseLost
    return outcome


def _gone(run: Run) -> Outcome:
    gone = Outcome(RunState.CANCELLED, Reason.TARGET_GONE)
    Run.objects.filter(pk=run.pk).update(state=gone.state, reason=gone.reason, outcome=None)
    return gone


def _ended(rows: QuerySet[Run], outcome: Outcome, fields: Mapping[str, object]) -> int:
    return rows.update(
        state=outcome.state,
        reason=outcome.reason or "",
        detail=outcome.detail[:500],
        outcome=dict(outcome.value) or None,
        owner="",
        lease_until=None,
        finished_at=Now(),
        **fields,
    )


def _mine(run: Run) -> QuerySet[Run]:
    return Run.objects.filter(pk=run.pk, owner=run.owner, state=RunState.RUNNING)
