"""Perform selected runs in this process, for commands. Workers may help; other runs are left alone."""

import threading
import time
from collections.abc import Callable

from django.db.models import Min, QuerySet
from django.db.models.functions import Now

from runs.control import drain, sweep
from runs.domain.states import OPEN, RunState
from runs.execution import runner, shutdown
from runs.execution.worker import planned_model
from runs.models import Run
from runs.queue import provider_pauses
from runs.sql.database_clock import database_now

_AT_ONCE = 200
"""How many ids one query reads."""


def perform_until_done(runs: QuerySet[Run], *, threads: int, tick: Callable[[], None]) -> None:
    """Perform these runs here, several at once, until none is open.

    Also waits for runs that other workers have and for a busy provider, but not where all that is left waits for a
    paused one: that needs a person.
    `tick` is called about every second in the caller's thread. After Ctrl+C, answers that arrive are saved and
    unfinished runs return to the queue.
    """
    while not shutdown.is_stop_requested():
        _perform_due(runs, threads, tick)
        sweep.requeue_lapsed_runs()
        seconds = _seconds_until_due(runs)
        if seconds is None or (seconds > 0 and provider_pauses.are_all_held(runs)):
            return
        time.sleep(min(max(seconds, 0.2), 1.0))
        tick()


class DueRunIds:
    """The ids of the runs that are due when a round begins, in their order, each given to one thread.

    A run that is queued again is due later, and waits for the next round.
    """

    def __init__(self, runs: QuerySet[Run]) -> None:
        due = runs.filter(state=RunState.QUEUED, not_before__lte=database_now())
        self.due = due.order_by("not_before", "id").values_list("pk", flat=True)
        self.lock = threading.Lock()
        self.ids: list[int] = []
        self.handed = set[int]()
        """Given out, and still queued when ids were read last: few, however many runs there are."""

    def next(self) -> int | None:
        """Return the next id, or None where no further run was due."""
        with self.lock:
            if not self.ids:
                self._read()
            return self.ids.pop() if self.ids else None

    def _read(self) -> None:
        # None becomes due meanwhile, so those that were given out and are still queued come first.
        first = list(self.due[: _AT_ONCE + len(self.handed)])
        new = [pk for pk in first if pk not in self.handed][:_AT_ONCE]
        self.handed.intersection_update(first)
        self.handed.update(new)
        self.ids = new[::-1]


def _perform_due(runs: QuerySet[Run], threads: int, tick: Callable[[], None]) -> None:
    due_ids = DueRunIds(runs)

    def perform_next() -> bool:
        run_id = due_ids.next()
        if run_id is not None:
            runner.claim_and_perform(run_id, planned_model)
        return run_id is not None

    drain.repeat_in_threads(perform_next, threads, tick)


def _seconds_until_due(runs: QuerySet[Run]) -> float | None:
    """Return the seconds until the next of these runs is due; 0 if one is due or running.

    Returns None if none is open.
    """
    if runs.filter(state=RunState.RUNNING).exists():
        return 0.0
    figures = runs.filter(state__in=OPEN).aggregate(first=Min("not_before"), now=Min(Now()))
    if figures["first"] is None:
        return None
    return max(0.0, float((figures["first"] - figures["now"]).total_seconds()))
