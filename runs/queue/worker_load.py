"""How busy the workers of the site are: what each tells of itself, and what waits for them."""

import os
import secrets
import socket
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Count, DurationField, ExpressionWrapper, Max, Min, QuerySet, Sum
from django.db.models.functions import Now

from runs.domain.states import RunState
from runs.models import Run, WorkerLoad
from runs.queue.task_messages import needed_queues
from runs.sql.database_clock import just_now, seconds_from_now

LATE_SECONDS = 5.0
"""From this delay on a machine counts as too busy."""
UNREAD_SECONDS = 90.0
"""A queue from which no worker has taken for so long counts as one that nobody reads."""
_RECONNECT_SECONDS = 60.0
"""A worker that lost its broker for less than that still counts as a reader of its queues."""
_DAY = 24 * 3600.0
_DRAWN = secrets.token_hex(3)  # two containers may have one host name, and process 1 each


class _Reading:
    """The queues that this process takes from. A process that is no worker takes from none."""

    queues: tuple[str, ...] = ()
    lost_at: float | None = None


def begin_reading(queues: Iterable[str]) -> None:
    """Remember that this process takes from these queues of the broker now."""
    _Reading.queues, _Reading.lost_at = tuple(sorted(queues)), None


def stop_reading() -> None:
    """Remember that this process has no connection to the broker now."""
    _Reading.lost_at = time.monotonic()


def _queues_read() -> list[str]:
    lost_at = _Reading.lost_at
    return [] if lost_at is not None and time.monotonic() - lost_at > _RECONNECT_SECONDS else [*_Reading.queues]


def process_name() -> str:
    """Return a name that no other process has, also not one of another container with this host name."""
    return f"{socket.gethostname()[:50]}:{os.getpid()}:{_DRAWN}"


@dataclass(frozen=True)
class SiteLoad:
    """How busy the workers of the whole site are; times in seconds.

    `runs` are at work; `waiting` are due, and no worker has them yet: those of a paused provider are not due. `delay`
    is how late a worker woke, because its machine was busy.
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
    told = {"at": Now(), "runs": runs, "delay": delay, "queues": _queues_read()}
    WorkerLoad.objects.update_or_create(process=process_name(), defaults=told)


def queue_readers() -> dict[str, int]:
    """Return how many processes take from each queue that the site needs, by its kind of work.

    One that has told nothing for `UNREAD_SECONDS` is not counted. One of a former version does not tell which queues it
    takes from, and counts for all.
    """
    within = max(UNREAD_SECONDS, float(settings.RUN_LEASE_SECONDS))
    told = list(WorkerLoad.objects.filter(at__range=just_now(within)).values_list("queues", flat=True))
    names = needed_queues()
    readers = Counter(name for queues in told for name in (names.values() if queues is None else queues))
    return {work: readers[name] for work, name in names.items()}


def living_workers() -> QuerySet[WorkerLoad]:
    """Return what each process told that has told something within the length of a lease."""
    return WorkerLoad.objects.filter(at__range=just_now(float(settings.RUN_LEASE_SECONDS)))


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
