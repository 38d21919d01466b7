"""The thread that renews the leases of all runs at work in this process.

Threads of runs wait for models, for the database and for each other. On a busy machine that can take longer than a
lease, so none of them renews its own. One thread renews all leases with one statement. A worker starts it before it
lowers its own priority (`config/server/scheduling.py`); the thread keeps the ordinary one.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import DatabaseError, connection

from runs.domain.states import RunState
from runs.models import Run
from runs.queue import lease, worker_load

log = logging.getLogger(__name__)

_AFTER_FAULT = 1.0
"""Seconds until the next try while the database is away."""


class LeaseKeeper:
    """The runs at work in this process, and the thread that renews their leases."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at_work: dict[str, tuple[int, Callable[[], None]]] = {}
        self._thread: threading.Thread | None = None
        self.delay = 0.0
        """Seconds by which the last renewal came later than planned: how long this process waits for the processor."""

    def start(self) -> None:
        """Start the thread, unless it runs."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._renew_forever, name="leases", daemon=True)
                self._thread.start()

    @contextmanager
    def keeping(self, run: Run, on_loss: Callable[[], None]) -> Iterator[None]:
        """Renew the lease on the run meanwhile. Call `on_loss`, from the thread, if another worker has it."""
        with self._lock:
            self._at_work[run.owner] = (run.pk, on_loss)
        self.start()
        try:
            yield
        finally:
            with self._lock:
                self._at_work.pop(run.owner, None)

    def renew(self) -> None:
        """Renew all leases now and report those that are lost."""
        with self._lock:
            at_work = dict(self._at_work)
        if not at_work:
            return
        runs = Run.objects.filter(pk__in=[run_id for run_id, _ in at_work.values()])
        held_runs = runs.filter(owner__in=list(at_work), state=RunState.RUNNING)
        if held_runs.update(lease_until=lease.lease_end()) == len(at_work):
            return
        # A row that cannot be seen (deleted, or of a transaction under way) is noticed by the run's own statements.
        owners = dict(runs.values_list("pk", "owner"))
        for owner, (run_id, on_loss) in at_work.items():
            if owners.get(run_id, owner) != owner:
                on_loss()

    def _renew_forever(self) -> None:
        while True:
            pause = settings.RUN_LEASE_SECONDS / 5
            due = time.monotonic() + pause
            time.sleep(pause)
            self.delay = max(0.0, time.monotonic() - due)
            while not self._renewed():
                time.sleep(_AFTER_FAULT)

    def _renewed(self) -> bool:
        """Renew all leases, and store how busy this process is. Return False if the database is away."""
        try:
            self.renew()
            worker_load.note_load(len(self._at_work), self.delay)
        except DatabaseError as fault:
            log.warning("The leases of this worker's runs are not renewed: %s", type(fault).__name__)
            return False
        finally:
            connection.close()  # none is held between two renewals
        return True


KEEPER = LeaseKeeper()
