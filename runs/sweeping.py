"""Putting right what was left behind: runs whose worker is gone, runs nobody was rung for. Harmless twice at once."""

import logging

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from runs import calls, leasing, runner, tasks
from runs.domain.states import Reason, RunState
from runs.method import Outcome, method_named
from runs.models import Run

log = logging.getLogger(__name__)


def bring_back() -> int:
    """Queue the runs whose lease lapsed; after the third lost worker end them `failed: worker_lost`."""
    lapsed = Run.objects.filter(state=RunState.RUNNING, lease_until__lte=Now())
    found = list(lapsed.values_list("pk", "lost_workers"))
    return sum(_fail(run_id) if lost >= leasing.LOST_WORKERS - 1 else _queue(run_id) for run_id, lost in found)


def ring_again() -> int:
    """Ring for due runs nobody was rung for, or whose bell was lost, as long as too few are at work."""
    due = Run.objects.filter(state=RunState.QUEUED, not_before__lte=Now())
    silent = Q(rung_at=None) | Q(rung_at__lt=leasing.in_seconds(-settings.RUN_BELL_SECONDS))
    at_work = Run.objects.filter(state=RunState.RUNNING).count() + due.exclude(silent).count()
    wanted = max(0, settings.RUN_BELLS - at_work)
    return tasks.ring(list(due.filter(silent).order_by("not_before", "id").values_list("pk", flat=True)[:wanted]))


@transaction.atomic
def _queue(run_id: int) -> int:
    queued = Run.objects.filter(pk=run_id, state=RunState.RUNNING, lease_until__lte=Now()).update(
        state=RunState.QUEUED,
        owner="",
        lease_until=None,
        lost_workers=F("lost_workers") + 1,
        not_before=Now(),
        rung_at=None,
    )
    if queued:
        calls.charge_rest(run_id)
    return queued


def _fail(run_id: int) -> int:
    try:
        with transaction.atomic():
            run = Run.objects.select_for_update().get(pk=run_id)
            # Taken like by a worker, so that the ending is guarded like every other.
            taken = Run.objects.filter(
                pk=run_id, owner=run.owner, state=RunState.RUNNING, lease_until__lte=Now()
            ).update(lost_workers=F("lost_workers") + 1, lease_until=leasing.lease_end())
            if not taken:
                return 0
            lost = Outcome(
                RunState.FAILED, Reason.WORKER_LOST, f"{leasing.LOST_WORKERS} workers were lost with this run."
            )
            runner.finish(run, method_named(run.method), lost)
    except Exception:
        log.exception("run %s cannot be ended; it is left as it is", run_id)
        return 0
    return 1
