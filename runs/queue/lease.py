"""The lease of a worker on a run: renewed while it works (`lease_keeper.py`), released when the run ends or waits.

All times are the database's (threats F24). A worker that lost its lease changes zero rows and stops.
"""

import json
from collections.abc import Iterable
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from runs.domain.states import Reason, RunState
from runs.methods.method import Method, Outcome
from runs.models import Run
from runs.queue import call_sql, provider_pauses
from runs.queue.claim import now_sql
from runs.sql.compiled_queries import planned_cursor
from runs.sql.database_clock import seconds_from_now

LOST_WORKERS = 3
"""A run fails with the loss of this many workers."""
STALL_LEASES = 5
"""A process that lives but renews nothing for so many leases is taken to be lost."""


class LeaseLost(Exception):
    """Another worker has this run now: stop and change nothing."""


class CancelRequested(Exception):
    """A person asked for this run to end."""


def lease_end() -> Combinable:
    """Return the time at which a lease that begins now ends."""
    return seconds_from_now(settings.RUN_LEASE_SECONDS)


def due_run_ids(projects: Iterable[UUID] = ()) -> "list[int]":
    """Return the ids of runs that are due, oldest first, at most RUN_BELLS of them."""
    waiting = Run.objects.filter(state=RunState.QUEUED, not_before__lte=Now())
    if projects:
        waiting = waiting.filter(project__in=projects)
    return list(waiting.order_by("not_before", "id").values_list("pk", flat=True)[: settings.RUN_BELLS])


def holds_lease(run: Run) -> bool:
    """Return whether this worker still has the run."""
    return _held(run).exists()


def requeue_run(
    run: Run, after: float, *, detail: str = "", waited: bool = False, is_cause: bool = False, seconds: float = 0.0
) -> None:
    """Return the run to the queue, due after `after` seconds, and add the `seconds` it worked this time.

    `waited` counts a round at a busy provider, `is_cause` a pause that the run brought about: it goes behind the runs
    that wait for the end of that pause.
    """
    after += (run.pauses_caused + 1) * provider_pauses.BEHIND if is_cause else 0.0
    with transaction.atomic():
        _held(run).update(
            state=RunState.QUEUED,
            owner="",
            lease_until=None,
            not_before=seconds_from_now(after),
            rung_at=None,
            waits=F("waits") + int(waited),
            pauses_caused=F("pauses_caused") + int(is_cause),
            detail=detail[:500],
            seconds=F("seconds") + seconds,
        )
        call_sql.charge_remaining(run.pk)


def end_run(run: Run, method: Method, outcome: Outcome, *, seconds: float = 0.0) -> Outcome:
    """End the run and let its method store the outcome, both or neither. Return how the run ended.

    `seconds` is how long it worked this time. The result is `cancelled` if somebody asked for that or the subject is
    gone.

    Raises LeaseLost if another worker has the run.
    """
    with transaction.atomic(savepoint=False):
        if outcome.state != RunState.CANCELLED:
            if _end_if_held(run, outcome, seconds, unless_cancelled=True):
                return outcome if method.settle(run, outcome) else _cancel_for_missing_subject(run)
            outcome = Outcome(RunState.CANCELLED, Reason.USER)
        if not _end_if_held(run, outcome, seconds, unless_cancelled=False):
            raise LeaseLost
    return outcome


def _cancel_for_missing_subject(run: Run) -> Outcome:
    cancelled = Outcome(RunState.CANCELLED, Reason.TARGET_GONE)
    Run.objects.filter(pk=run.pk).update(state=cancelled.state, reason=cancelled.reason, outcome=None)
    return cancelled


def _end_if_held(run: Run, outcome: Outcome, seconds: float, *, unless_cancelled: bool) -> bool:
    """End the run if this worker has it; in SQL, since every run ends here."""
    with planned_cursor() as cursor:
        cursor.execute(
            f"UPDATE {Run._meta.db_table} SET state = %s, reason = %s, detail = %s, outcome = %s, owner = '', "
            f"lease_until = NULL, finished_at = {now_sql()}, seconds = seconds + %s "
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


def _held(run: Run) -> QuerySet[Run]:
    return Run.objects.filter(pk=run.pk, owner=run.owner, state=RunState.RUNNING)
