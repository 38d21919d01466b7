"""Perform a project's runs in this process, for commands. No worker is needed, and workers may help."""

import threading
import time
from collections.abc import Callable
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from runs.control import sweep
from runs.execution import runner, shutdown
from runs.execution.worker import planned_model
from runs.models import Run
from runs.queue import claim, progress, provider_pauses


def drain_project_runs(project: UUID, method: str, *, threads: int, tick: Callable[[], None]) -> None:
    """Perform the project's runs of this method here, several at once, until none is open.

    Also waits for runs that other workers have and for a busy provider, but not where all that is left waits for a
    paused one: that needs a person.
    `tick` is called about every second in the caller's thread. After Ctrl+C, answers that arrive are saved and
    unfinished runs return to the queue.
    """
    while not shutdown.is_stop_requested():
        _perform_due(project, method, threads, tick)
        sweep.requeue_lapsed_runs()
        seconds = progress.seconds_until_due(project, method)
        if seconds is None or (seconds > 0 and provider_pauses.are_all_held(_runs(project, method))):
            return
        time.sleep(min(max(seconds, 0.2), 1.0))
        tick()


def _runs(project: UUID, method: str) -> QuerySet[Run]:
    return Run.objects.filter(project=project, method=method)


def repeat_in_threads(perform_next: Callable[[], bool], threads: int, tick: Callable[[], None]) -> None:
    """Let `threads` threads call `perform_next` until it returns False; call `tick` about every second meanwhile.

    Ctrl+C tells all of them to stop after their current call.
    """

    def repeat() -> None:
        try:
            while not shutdown.is_stop_requested() and perform_next():
                pass
        finally:
            connection.close()

    workers = [threading.Thread(target=repeat, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    try:
        while alive := [worker for worker in workers if worker.is_alive()]:
            alive[0].join(1.0)
            tick()
    except KeyboardInterrupt:
        shutdown.request_stop()
        for worker in workers:
            worker.join()
        raise


def _perform_due(project: UUID, method: str, threads: int, tick: Callable[[], None]) -> None:
    def perform_next() -> bool:
        run = claim.claim_next_run(project=project, method=method)
        if run is not None:
            runner.perform_claimed(run, planned_model)
        return run is not None

    repeat_in_threads(perform_next, threads, tick)
