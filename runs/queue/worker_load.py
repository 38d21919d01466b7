"""How busy the workers of the site are: what each tells of itself, and what waits for them."""

import os
import socket
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Count, DurationField, ExpressionWrapper, Max, Min, QuerySet, Sum
from django.db.models.functions import Now

from runs.domain.states import RunState
from runs.models import Run, WorkerLoad
from runs.sql.database_clock import seconds_from_now

LATE_SECONDS = 5.0
"""From this delay on a machine counts as too busy."""
_DAY = 24 * 3600.0


@dataclass(frozen=True)
class SiteLoad:
    """The load of all workers together. Times are seconds.

    `waiting` are the runs that are due and that nobody works on; those of a paused provider are not due.
    """

    workers: int
    runs: int
    delay: float
    waiting: int
    longest_wait: float

    @property
    def is_late(self) -> bool:
        """Whether some worker waits for its processor."""
        return self.delay >= LATE_SECONDS

    @property
    def is_unattended(self) -> bool:
        """Whether runs wait and no worker lives."""
        return self.waiting > 0 and self.workers == 0


def note_load(runs: int, delay: float) -> None:
    """Store the load of this process."""
    process = f"{socket.gethostname()[:60]}:{os.getpid()}"
    WorkerLoad.objects.update_or_create(process=process, defaults={"at": Now(), "runs": runs, "delay": delay})


def living_workers() -> QuerySet[WorkerLoad]:
    """Return what each process told that has told something within the length of a lease."""
    return WorkerLoad.objects.filter(at__gt=seconds_from_now(-float(settings.RUN_LEASE_SECONDS)))


def site_load() -> SiteLoad:
    """Return the load now; a process that has told nothing for the length of a lease is not counted."""
    totals = living_workers().aggregate(
        workers=Count("process"), runs=Sum("runs", default=0), delay=Max("delay", default=0.0)
    )
    due = Run.objects.filter(state=RunState.QUEUED, not_before__lte=Now())
    wait = ExpressionWrapper(Now() - Min("not_before"), DurationField())
    queue = due.aggregate(waiting=Count("pk"), wait=wait)
    return SiteLoad(
        **totals, waiting=queue["waiting"], longest_wait=queue["wait"].total_seconds() if queue["wait"] else 0
    )


def delete_old_loads() -> int:
    """Delete what processes told that ended more than a day ago. Return how many."""
    return WorkerLoad.objects.filter(at__lte=seconds_from_now(-_DAY)).delete()[0]
