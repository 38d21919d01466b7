"""Celery tasks of runs. A task carries a run's id and may come late, twice or never; the rows are the truth."""

from typing import Any

from celery import shared_task
from celery.signals import worker_shutting_down

from runs.execution import shutdown, worker
from runs.queue import task_messages


@shared_task(name=task_messages.PERFORM_RUN)
def perform_run(run_id: int) -> None:
    """Perform this run, if it is still due, and others that wait."""
    if next_run := worker.perform_due_runs(run_id):
        task_messages.enqueue_runs([next_run])


@worker_shutting_down.connect
def _stop(**_: Any) -> None:
    shutdown.request_stop()
