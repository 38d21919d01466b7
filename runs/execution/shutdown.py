"""The request to stop this process: its runs return to the queue instead of delaying the exit."""

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

_stop_requested: Future[None] = Future()
_waiting_queues: set["SimpleQueue[Any]"] = set()


def request_stop() -> None:
    """Ask every run of this process to save what arrives within RUN_GRACE_SECONDS and to return to the queue."""
    if not _stop_requested.done():
        _stop_requested.set_result(None)
        for answers in tuple(_waiting_queues):
            answers.put(None)


def is_stop_requested() -> bool:
    """Return whether this process is about to end."""
    return _stop_requested.done()


@contextmanager
def wake_on_stop(answers: "SimpleQueue[Any]") -> Iterator[None]:
    """Put None into the queue on which this thread waits as soon as the process is asked to stop."""
    _waiting_queues.add(answers)
    try:
        yield
    finally:
        _waiting_queues.discard(answers)
