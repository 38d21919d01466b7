"""Repair what lost workers and lost tasks left behind. Safe to run twice at once."""

import logging

from django.conf import settings
from django.db import transaction
from django.db.models import BooleanField, Case, F, Q, When
from django.db.models.functions import Now

from runs.domain.states import Reason, RunState
from runs.execution import runner
from runs.methods.method import Outcome, method_named
from runs.models import Run
from runs.queue import call_sql, claim, lease, task_messages
from runs.sql.database_clock import seconds_from_now

log = logging.getLogger(__name__)


def requeue_lapsed_runs() -> int:
    """Requeue the runs whose lease lapsed; end those that lost their third worker as `failed: worker_lost`.

    A worker whose process still lives on this machine was only held up: it keeps its runs for `lease.STALL_LEASES`
    leases more.
    """
    lapsed = Run.objects.filter(state=RunState.RUNNING, lease_until__lte=Now())
    stalled = Q(lease_until__lte=seconds_from_now(-lease.STALL_LEASES * settings.RUN_LEASE_SECONDS))
    rows = lapsed.annotate(is_stalled=Case(When(stalled, then=True), default=False, output_field=BooleanField()))
    requeued = 0
    for run_id, lost_workers, owner, is_stalled in rows.values_list("pk", "lost_workers", "owner", "is_stalled"):
        if is_stalled or not claim.is_alive(owner):
            requeued += _fail(run_id) if lost_workers >= lease.LOST_WORKERS - 1 else _requeue(run_id)
    return requeued


def enqueue_waiting_runs() -> int:
    """Enqueue tasks for due runs that have none, or whose task was lost, while fewer than RUN_BELLS are at work."""
    due = Run.objects.filter(state=RunState.QUEUED, not_before__lte=Now())
    without_task = Q(rung_at=None) | Q(rung_at__lt=seconds_from_now(-settings.RUN_BELL_SECONDS))
    at_work = Run.objects.filter(state=RunState.RUNNING).count() + due.exclude(without_task).count()
    missing = max(0, settings.RUN_BELLS - at_work)
    return task_messages.enqueue_runs(
        list(due.filter(without_task).order_by("not_before", "id").values_list("pk", flat=True)[:missing])
    )


@transaction.atomic
def _requeue(run_id: int) -> int:
    queued = Run.objects.filter(pk=run_id, state=RunState.RUNNING, lease_until__lte=Now()).update(
        state=RunState.QUEUED,
        owner="",
        lease_until=None,
        lost_workers=F("lost_workers") + 1,
        not_before=Now(),
        rung_at=None,
    )
    if queued:
        call_sql.charge_remaining(run_id)
    return queued


def _fail(run_id: int) -> int:
    try:
        with transaction.atomic():
            run = Run.objects.select_for_update().get(pk=run_id)
            # Extend the lease as a worker would, so that the end is guarded like every other.
            claimed = Run.objects.filter(
                pk=run_id, owner=run.owner, state=RunState.RUNNING, lease_until__lte=Now()
            ).update(lost_workers=F("lost_workers") + 1, lease_until=lease.lease_end())
            if not claimed:
                return 0
            lost = Outcome(
                RunState.FAILED, Reason.WORKER_LOST, f"{lease.LOST_WORKERS} workers were lost with this run."
            )
            runner.finish_run(run, method_named(run.method), lost)
    except Exception:
        log.exception("run %s cannot be ended; it is left as it is", run_id)
        return 0
    return 1
