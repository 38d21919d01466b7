"""The threads that talk to models: one pool per process, shared by all runs.

Their work never uses the database. They are daemons: a worker that is told to stop does not wait for a model that may
answer in a minute. Such a call counts as possibly billed, and another worker continues the run.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from providers.messages import ProviderError, Refused

Result = TypeVar("Result")
_Job = tuple[Future[Any], Callable[[], Any]]


class ModelThreads:
    """Up to `size` daemon threads, started as they are needed."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._unfinished = 0

    def submit(self, job: Callable[[], Result]) -> Future[Result]:
        """Run the job on one of the threads; its exception becomes the future's."""
        future: Future[Result] = Future()
        with self._lock:
            self._unfinished += 1
            grow = self._threads < min(self._unfinished, self._size)
            self._threads += grow
        self._jobs.put((future, partial(copy_context().run, job)))  # its log lines name the run too
        if grow:
            threading.Thread(target=self._work, name="model", daemon=True).start()
        return future

    def _work(self) -> None:
        while True:
            future, job = self._jobs.get()
            if future.set_running_or_notify_cancel():
                try:
                    answer = job()
                except BaseException as error:
                    self._done()
                    future.set_exception(error)
                else:
                    self._done()
                    future.set_result(answer)
                    del answer
            else:
                self._done()
            del future, job  # an idle thread must not keep an answer in memory

    def _done(self) -> None:
        with self._lock:
            self._unfinished -= 1


_shared: ModelThreads | None = None
_shared_lock = threading.Lock()


def shared_threads(size: int) -> ModelThreads:
    """Return this process's pool; the first caller's size counts."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = ModelThreads(size)
        return _shared


def done_in_this_thread(work: Callable[[], Any]) -> Future[Any]:
    """Do the work in this thread and return it as a finished future."""
    future: Future[Any] = Future()
    try:
        future.set_result(work())
    except (ProviderError, Refused) as fault:
        future.set_exception(fault)
    return future
