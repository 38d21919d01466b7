"""The only place that repeats a request (design section 6); the retries of every SDK are off.

Ours and not tenacity: what to wait for, when to stop, what to raise and how to count would all be callbacks of ours, in
more lines than this loop, and its clock cannot be replaced in tests.
"""

import random
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from providers.messages import Model, ProviderBusy, ProviderError, Refused, Reply, Request

Answer = TypeVar("Answer")


class RetryPolicy:
    """Repeats a call after a passing fault: full jitter within `backoff` seconds, or as long as Retry-After says.

    Raises ProviderBusy if the provider asks for a longer pause than `longest_wait`, or if attempts or `patience`
    (seconds) run out while it `is_away` for other requests too: the caller releases the worker and comes back after
    `retry_after`. If they run out for this request alone, raises a final ProviderError with the code of the last fault
    (`timeout` or `provider_error`). Every error raised has counted its `attempts`.

    `is_away` is called with the time of the request's first fault and the number of its faults
    (`CircuitBreaker.is_away`).
    """

    def __init__(
        self,
        *,
        attempts: int = 5,
        patience: float = 480.0,
        backoff: tuple[float, float] = (1.0, 30.0),
        longest_wait: float = 60.0,
        is_away: Callable[[float, int], bool] = lambda since, failures: False,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        uniform: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._attempts, self._patience, self._longest_wait = attempts, patience, longest_wait
        self._backoff, self._is_away = backoff, is_away
        self._sleep, self._clock, self._uniform = sleep, clock, uniform

    def ask(self, exchange: Callable[[], Answer]) -> tuple[Answer, int]:
        """Return the result of the call, and how often it was made."""
        began = self._clock()
        attempt = 1
        calls_made = 0
        since: float | None = None
        while True:
            try:
                return exchange(), calls_made + 1
            except ProviderBusy as fault:
                calls_made += fault.attempts
                fault.attempts = calls_made
                since = fault.at if since is None else since
                wait = self._wait(fault, attempt)
                if attempt == self._attempts or self._clock() - began + wait > self._patience:
                    if since is not None and self._is_away(since, attempt):
                        raise
                    final = ProviderError(f"{fault} (attempt {attempt} of {self._attempts})", code=fault.code)
                    final.attempts = calls_made
                    raise final from fault
            except (ProviderError, Refused) as fault:
                fault.attempts += calls_made
                raise
            self._sleep(wait)
            attempt += 1

    def _wait(self, fault: ProviderBusy, attempt: int) -> float:
        if fault.retry_after is None:
            least, most = self._backoff
            return self._uniform(least, min(most, 2.0**attempt))
        if fault.retry_after > self._longest_wait:
            raise fault
        return fault.retry_after


class RetryingModel:
    """A model whose requests are repeated after passing faults."""

    def __init__(self, model: Model, patience: RetryPolicy) -> None:
        self.name, self.sees_pictures = model.name, model.sees_pictures
        self._model, self._patience = model, patience

    def reply(self, request: Request) -> Reply:
        """Answer the request; `attempts` of the reply counts the calls it took."""
        reply, attempts = self._patience.ask(lambda: self._model.reply(request))
        return replace(reply, attempts=attempts + reply.attempts - 1)
