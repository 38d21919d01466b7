"""The limits of one provider in this process: calls at a time, and calls in a minute.

Ours and not the library `limits`: that answers whether a call may be made now, and has neither a limit of calls at a
time nor a wait for the next free moment.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from providers.messages import Model, ProviderBusy, Reply, Request


class ProviderRateLimit:
    """The limits of one provider, shared by all its models. `per_minute` 0 means no rate limit.

    A wait has no time limit, since every call that has a place ends within its own deadline; `place_until` has one.
    """

    def __init__(
        self,
        at_once: int = 4,
        per_minute: float = 0,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._places = threading.BoundedSemaphore(at_once)
        self._apart = 60.0 / per_minute if per_minute else 0.0
        self._lock = threading.Lock()
        self._next_start = 0.0
        self._sleep, self._clock = sleep, clock

    def __enter__(self) -> None:
        self._places.acquire()
        try:
            self._pace()
        except BaseException:
            self._places.release()
            raise

    def __exit__(self, *_: object) -> None:
        self._places.release()

    @contextmanager
    def place_until(self, until: float) -> Iterator[None]:
        """Hold a place, waiting for one until this time of the clock.

        Raises ProviderBusy with the code `timeout` if there is none by then.
        """
        if not self._places.acquire(timeout=max(0.0, until - self._clock())):
            raise ProviderBusy("other calls had all the places", code="timeout")
        try:
            self._pace()
            yield
        finally:
            self._places.release()

    def _pace(self) -> None:
        if not self._apart:
            return
        with self._lock:
            now = self._clock()
            start = max(now, self._next_start)
            self._next_start = start + self._apart
        if start > now:
            self._sleep(start - now)


class RateLimitedModel:
    """A model behind a rate limit."""

    def __init__(self, model: Model, gate: ProviderRateLimit) -> None:
        self.name, self.sees_pictures = model.name, model.sees_pictures
        self._model, self._gate = model, gate

    def reply(self, request: Request) -> Reply:
        """Answer the request once there is a place."""
        with self._gate:
            return self._model.reply(request)
