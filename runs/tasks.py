"""Celery tasks of runs. A task carries a run's id and may come late, twice or never; the rows are the truth."""

import logging
from collections.abc import Sequence
from typing import Any

from celery import shared_task
from celery.signals import worker_shutting_down
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from runs.execution import shutdown, worker
from runs.models import Run

log = logging.getLogger(__name__)


@shared_task(name="runs.tasks.perform_run")
def perform_run(run_id: int) -> None:
    """Perform this run, if it is still due, and others that wait."""
    if next_run := worker.perform_due_runs(run_id):
        enqueue_runs([next_run])


def enqueue_runs(run_ids: Sequence[int]) -> int:
    """Enqueue a task for each of these runs. Return how many were enqueued.

    If the broker is down, stop at once; the sweeper enqueues the others later.
    """
    enqueued = []
    for run_id in run_ids:
        try:
            perform_run.delay(run_id)
        except (OperationalError, OSError) as fault:
            log.warning("the broker is down (%s); the sweeper enqueues the runs later", type(fault).__name__)
            break
        enqueued.append(run_id)
    Run.objects.filter(pk__in=enqueued).update(rung_at=Now())
    return len(enqueued)


@worker_shutting_down.connect
def _stop(**_: Any) -> None:
    shutdown.request_stop()
