"""Being told to stop: runs under way are handed back instead of holding the process."""

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

_told: Future[None] = Future()
_listening: set["SimpleQueue[Any]"] = set()


def tell() -> None:
    """Tell every run of this process to save what arrives within the grace and go back to the queue."""
    if not _told.done():
        _told.set_result(None)
        for waiting in tuple(_listening):
            waiting.put(None)


def told() -> bool:
    """Whether this process is to end."""
    return _told.done()


@contextmanager
def heard_at(waiting: "SimpleQueue[Any]") -> Iterator[None]:
    """Put None where this thread waits, as soon as the process is told to stop."""
    _listening.add(waiting)
    try:
        yield
    finally:
        _listening.discard(waiting)
