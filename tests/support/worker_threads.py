"""Start a Celery worker in a thread of the test's process."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from celery.contrib.testing.worker import start_worker
from kombu.transport.virtual import Transport

from config.celery import app

_WAIT_SECONDS = 0.1


@contextmanager
def worker_thread(*queues: str) -> Iterator[None]:
    """Run a worker of these queues, or of all, while the block runs.

    Celery's own waits 2 s for a message before it looks whether it shall end, and does so twice. All queues are named,
    since the application remembers those of an earlier worker.
    """
    drain_events = Transport.drain_events

    def drain_briefly(self: Transport, connection: Any, timeout: float | None = None) -> None:
        drain_events(self, connection, timeout=_WAIT_SECONDS if timeout is None else min(timeout, _WAIT_SECONDS))

    with (
        mock.patch.object(Transport, "drain_events", drain_briefly),
        start_worker(
            app, pool="solo", perform_ping_check=False, loglevel="WARNING", queues=list(queues or app.amqp.queues)
        ),
    ):
        yield
