"""Performing chosen runs in this process, for commands; other workers may help, other runs are left alone."""

import threading
import time
from collections.abc import Callable

from django.db.models import Min, QuerySet
from django.db.models.functions import Now

from runs import pausing, runner, stopping, sweeping, working_off
from runs.domain.states import OPEN, RunState
from runs.models import Run
from runs.working import planned

_AT_ONCE = 200
"""Ids that are looked up at once."""


def hold(runs: QuerySet[Run], *, threads: int, tick: Callable[[], None]) -> None:
    """Perform these runs here, several at once, until none is open.

    Also waits for those in other hands and for a busy provider, but not for one that is paused: that needs a person.
    `tick` is called about every second, in the caller's thread. After Ctrl+C what arrives is saved, and the runs
    under way go back into the queue.
    """
    while not stopping.told():
        _perform_due(runs, threads, tick)
        sweeping.bring_back()
        left = _wait_until_due(runs)
        if left is None or (left > 0 and pausing.in_force()):
            return
        time.sleep(min(max(left, 0.2), 1.0))
        tick()


class _Waiting:
    """The ids of due runs, handed to one thread each."""

    def __init__(self, runs: QuerySet[Run]) -> None:
        self.due = runs.filter(state=RunState.QUEUED, not_before__lte=Now()).order_by("not_before", "id")
        self.lock = threading.Lock()
        self.ids: list[int] = []
        self.handed: set[int] = set()

    def next(self) -> int | None:
        with self.lock:
            if not self.ids:
                # Each is handed out once a round: one that went back into the queue waits for the next.
                found = self.due.exclude(pk__in=self.handed) if len(self.handed) < _AT_ONCE else self.due
                self.ids = [pk for pk in found.values_list("pk", flat=True)[:_AT_ONCE] if pk not in self.handed][::-1]
            if not self.ids:
                return None
            self.handed.add(self.ids[-1])
            return self.ids.pop()


def _perform_due(runs: QuerySet[Run], threads: int, tick: Callable[[], None]) -> None:
    waiting = _Waiting(runs)

    def one() -> bool:
        run_id = waiting.next()
        if run_id is not None:
            runner.perform(run_id, planned)
        return run_id is not None

    working_off.side_by_side(one, threads, tick)


def _wait_until_due(runs: QuerySet[Run]) -> float | None:
    """Seconds until the next of them is due (0: now, or one is at work); None: none is open."""
    if runs.filter(state=RunState.RUNNING).exists():
        return 0.0
    figures = runs.filter(state__in=OPEN).aggregate(first=Min("not_before"), now=Min(Now()))
    if figures["first"] is None:
        return None
    return max(0.0, float((figures["first"] - figures["now"]).total_seconds()))
