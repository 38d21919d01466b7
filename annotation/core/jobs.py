"""Jobs: work on many rows that somebody asks for and a worker carries out.

A job is a row (`models.Job`). It waits, one worker at a time works on it, and it ends:

    waiting -> working -> done | failed | cancelled

The row is the truth. A Celery message only names a row; it may come late, twice or never (threat T21). A worker takes
a job by a guarded UPDATE, and a thread of its own writes `beat_at` every second while it works; a job without a sign
of life for LAPSE is given to the next worker. The clock that decides is the database's. A worker that is asked to end
gives its job back at the next sign of progress, and so does one that loses the database or does not see the files of
the site: the sweeper offers the job to others. Small jobs are carried out while the page waits.
"""

import logging
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, Generic, TypeVar

from django.db import DatabaseError, connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.core import database_faults, disk_faults, stored_files
from annotation.core.stored_files import StoreAway
from annotation.models import Job, JobState
from runs.execution import shutdown
from runs.queue.task_messages import enqueue_task
from runs.sql.database_clock import seconds_from_now

log = logging.getLogger(__name__)

J = TypeVar("J", bound=Job)

TASK = "annotation.tasks.perform_job"
LAPSE = timedelta(seconds=30)
"""A worker without a sign of life for this long is taken to be dead."""
UNCLAIMED = timedelta(seconds=30)
"""A job that waits for longer than this needs another message."""
BEAT_SECONDS = 1.0
AT_ONCE = 4
"""Small jobs of one kind that a process carries out while pages wait. A web process has twice as many threads."""
PATIENCE = 5.0
"""Seconds for which a page waits for a small job; then a worker begins it anew."""
HOST = socket.gethostname()


class JobCancelled(Exception):
    """Somebody cancelled the job, or another worker has taken it over."""


class JobInterrupted(Exception):
    """This process is about to end, or a page has waited long enough: another worker carries the job on."""


class JobRefused(Exception):
    """The job cannot be carried out: a stable code, and one sentence for people."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code, self.sentence = code, sentence


@dataclass(frozen=True)
class Phase(Generic[J]):
    """A part of a job that one worker carries out: the states before and during it, and the work.

    The work gets the row and its heartbeat. It ends the row itself (`JobKind.end`), or raises JobCancelled,
    JobInterrupted or JobRefused. Where both states are the same, a row without `beat_at` waits.
    """

    work: "Callable[[J, Heartbeat[J]], None]"
    waiting: str = JobState.QUEUED
    working: str = JobState.WORKING

    @property
    def is_waiting(self) -> Q:
        waiting = Q(state=self.waiting)
        return waiting & Q(beat_at=None) if self.waiting == self.working else waiting

    @property
    def is_abandoned(self) -> Q:
        return Q(state=self.working, beat_at__lt=seconds_from_now(-LAPSE.total_seconds()))


@dataclass(frozen=True)
class JobKind(Generic[J]):
    """Everything that differs between the kinds of jobs; its methods are the life of one job."""

    name: str
    """As in Celery messages and in the log."""
    model: type[J]
    phases: Sequence[Phase[J]]
    is_small: Callable[[J], bool] = lambda row: False
    """Whether the job is carried out while the page waits."""
    clean_up: Callable[[J], None] = lambda row: None
    """Called after a job was cancelled or failed."""
    resting: Sequence[str] = ()
    """States between two phases, in which the job waits for a person."""
    related: Sequence[str] = ("project",)
    """Relations that are loaded with the row."""
    places: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(AT_ONCE))
    """One for each small job that may be carried out now while a page waits."""

    # ── Asking for it ─────────────────────────────────────────────────────────

    def begin(self, row: J) -> None:
        """Carry out a small job now, for as long as a page waits; enqueue any other after the commit."""
        if self.is_small(row) and self.places.acquire(blocking=False):
            try:
                self.perform(row.pk, patience=PATIENCE)
            finally:
                self.places.release()
        else:
            transaction.on_commit(partial(self.enqueue, row.pk))

    def enqueue(self, job_id: int) -> bool:
        """Send the message that names the job.

        Returns False if the broker is down; the sweeper sends it later.
        """
        return enqueue_task(TASK, self.name, job_id)

    def cancel(self, row: J) -> bool:
        """Cancel a job that waits or rests; ask the worker of a running one to stop.

        Returns False if the job has ended.
        """
        idle = Q(state__in=self.resting)
        for phase in self.phases:
            idle |= phase.is_waiting
        if self._row(row).filter(idle).update(state=JobState.CANCELLED, finished_at=Now()):
            row.refresh_from_db()
            self.clean_up(row)
            return True
        working = {phase.working for phase in self.phases}
        return bool(self._row(row).filter(state__in=working).update(cancel_requested=True))

    def active(self, project_id: int) -> list[J]:
        """Return the project's jobs that have not ended, oldest first."""
        states = {state for phase in self.phases for state in (phase.waiting, phase.working)}
        return list(self._rows.filter(project=project_id, state__in=states).order_by("pk"))

    # ── A worker's part ───────────────────────────────────────────────────────

    def perform(self, job_id: int, patience: float | None = None) -> None:
        """Carry out the phase that is due; do nothing if none is, or if another worker is at it.

        After `patience` seconds it is left to a worker.
        """
        rows = self._rows.filter(pk=job_id)
        for phase in self.phases:
            due = rows.filter(phase.is_waiting | phase.is_abandoned)
            if due.update(state=phase.working, begun_at=Now(), beat_at=Now(), problem=""):
                row = rows.select_related(*self.related).first()
                if row is not None:  # its project may have been purged
                    self._work(phase, row, patience)
                return

    def _work(self, phase: Phase[J], row: J, patience: float | None) -> None:
        try:
            with Heartbeat(self, row, patience) as heartbeat:
                phase.work(row, heartbeat)
        except JobCancelled:
            self.end(row, JobState.CANCELLED)
        except JobInterrupted:
            if self._working(row).update(state=phase.waiting, beat_at=None):
                self.enqueue(row.pk)
        except Exception as fault:
            if database_faults.says_nothing_of_the_work(fault):
                log.warning("The %s job %s found no database: it waits to begin again", self.name, row.public_id)
                connection.close_if_unusable_or_obsolete()
                self._working(row).update(state=phase.waiting, beat_at=None)
            elif _sees_no_files(fault):
                self._hand_back(phase, row)
            elif isinstance(fault, JobRefused):
                self.end(row, JobState.FAILED, fault.sentence)
            else:
                log.exception("The %s job %s failed", self.name, row.public_id)
                self.end(row, JobState.FAILED, _problem_of(fault))

    def _hand_back(self, phase: Phase[J], row: J) -> None:
        """Let the job wait for a worker that sees the files; the sweeper enqueues it again."""
        log.error("%s does not see the files of the site: it hands the %s job %s back", HOST, self.name, row.public_id)
        problem = _("The machine %(host)s cannot reach the files of this site. Another one tries it within a minute.")
        self._working(row).update(state=phase.waiting, beat_at=None, problem=(problem % {"host": HOST})[:500])

    def beat(self, row: J, **figures: Any) -> None:
        """Store a sign of life with figures of the progress.

        Raises JobCancelled if somebody asked for that, or if the job has ended.
        """
        if not self._working(row).filter(cancel_requested=False).update(beat_at=Now(), **figures):
            raise JobCancelled

    def exists(self, row: J) -> bool:
        """Return whether the row is seen from this connection."""
        return self._row(row).exists()

    def finish(self, row: J, **outcome: Any) -> None:
        """End the job as done, in the caller's transaction that stores its outcome.

        Raises JobCancelled if somebody asked for that, or if the job has ended.
        """
        going = self._working(row).filter(cancel_requested=False)
        if not going.update(state=JobState.DONE, finished_at=Now(), **outcome):
            raise JobCancelled

    def end(self, row: J, state: str, problem: str = "") -> bool:
        """End a job that is worked on.

        Returns False if it had ended before.
        """
        ended = self._working(row).update(state=state, problem=problem[:500], finished_at=Now())
        if ended and state != JobState.DONE:
            self.clean_up(row)
        return bool(ended)

    # ── The sweeper's part ────────────────────────────────────────────────────

    def left_behind(self) -> list[int]:
        """Return the ids of jobs that wait although no worker is at them."""
        unclaimed = Q(created_at__lt=seconds_from_now(-UNCLAIMED.total_seconds()))
        is_left_behind = Q()
        for phase in self.phases:
            is_left_behind |= (phase.is_waiting & unclaimed) | phase.is_abandoned
        return list(self._rows.filter(is_left_behind).values_list("pk", flat=True))

    def enqueue_left_behind(self) -> int:
        """Enqueue the jobs that no worker is at; return how many."""
        return sum(self.enqueue(job_id) for job_id in self.left_behind())

    @property
    def _rows(self) -> QuerySet[J]:
        return self.model._default_manager.all()

    def _row(self, row: J) -> QuerySet[J]:
        return self._rows.filter(pk=row.pk)

    def _working(self, row: J) -> QuerySet[J]:
        """Return the row as a query, while it is in the state in which this worker took it."""
        return self._row(row).filter(state=row.state)


def _sees_no_files(fault: Exception) -> bool:
    """Return whether the fault comes from this machine, not from the job: its files are there, but not in its sight."""
    if isinstance(fault, StoreAway):
        return True
    if not isinstance(fault, OSError | JobRefused):
        return False
    try:
        return stored_files.is_out_of_sight()
    except OSError:
        return True


def _problem_of(fault: Exception) -> str:
    if disk_faults.is_disk_fault(fault):
        return disk_faults.disk_sentence()
    if disk_faults.is_forbidden(fault):
        return disk_faults.forbidden_sentence()
    return _("Something went wrong on the server. The people who run this site find the details in the log.")


class Heartbeat(Generic[J]):
    """A thread that shows every second that the worker lives, also while the work is inside a long transaction.

    It has a connection of its own. With `patience`, the seconds for which a page waits, no thread is started.
    """

    def __init__(self, kind: JobKind[J], row: J, patience: float | None = None) -> None:
        self._kind, self._row = kind, row
        self._until = None if patience is None else time.monotonic() + patience
        self._figures: dict[str, Any] = {}
        self._stop, self._cancelled = threading.Event(), threading.Event()
        name = f"{kind.name}-{row.pk}"
        self._thread = (
            threading.Thread(target=self._beat_until_stopped, name=name, daemon=True) if patience is None else None
        )

    def __enter__(self) -> "Heartbeat[J]":
        if self._thread:
            self._thread.start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._stop.set()
        if self._thread:
            self._thread.join()

    def note(self, **figures: Any) -> None:
        """Take over figures of the progress for the next beat.

        Raises JobCancelled if a beat found the job cancelled.
        Raises JobInterrupted if this process is about to end, or a page has waited long enough.
        """
        self._figures = figures
        if self._cancelled.is_set():
            raise JobCancelled
        if shutdown.is_stop_requested() or (self._until is not None and time.monotonic() > self._until):
            raise JobInterrupted

    def _beat_until_stopped(self) -> None:
        try:
            while not self._stop.wait(BEAT_SECONDS) and not self._cancelled.is_set():
                self._beat()
        finally:
            connection.close()

    def _beat(self) -> None:
        try:
            self._kind.beat(self._row, **self._figures)
        except JobCancelled:
            # A row that its own transaction has not committed yet cannot be seen from here.
            if self._kind.exists(self._row):
                self._cancelled.set()
        except DatabaseError as fault:
            # SQLite lets nobody write while the work does; a database that is away comes back.
            log.info("no sign of life of %s job %s: %s", self._kind.name, self._row.pk, type(fault).__name__)
            connection.close()
