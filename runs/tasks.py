"""The bell: a message carries a run's id and may come late, twice or never; the rows are the truth."""

import logging
from collections.abc import Sequence
from typing import Any

from celery import shared_task
from celery.signals import worker_shutting_down
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from runs import stopping, working
from runs.models import Run

log = logging.getLogger(__name__)


@shared_task(name="runs.tasks.perform_run")
def perform_run(run_id: int) -> None:
    """Perform this run, if it is still due, and others that wait."""
    if following := working.answer(run_id):
        ring([following])


def ring(run_ids: Sequence[int]) -> int:
    """Ring for these runs; answers how many. A broker that is away costs one attempt: the sweeper rings later."""
    rung = []
    for run_id in run_ids:
        try:
            perform_run.delay(run_id)
        except (OperationalError, OSError) as fault:
            log.warning("the bell is away (%s); the sweeper rings later", type(fault).__name__)
            break
        rung.append(run_id)
    Run.objects.filter(pk__in=rung).update(rung_at=Now())
    return len(rung)


@worker_shutting_down.connect
def _stop(**_: Any) -> None:
    stopping.tell()
