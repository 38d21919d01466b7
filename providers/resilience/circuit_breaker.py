"""A circuit breaker per provider: stop calling one that keeps failing or that rejected our account (threats L12, L23).

Ours and not pybreaker: that library holds its lock during the call, so a provider's calls would run one at a time, and
it knows neither a time window, nor a pause of the length that the provider asks for, nor answers to earlier calls.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from providers.messages import Model, ProviderBusy, ProviderError, ProviderPaused, Refused, Reply, Request

Answer = TypeVar("Answer")

_REMEMBERED = 32
"""So many failures are kept to tell an outage from a request that fails on its own: more than one makes (20)."""


@dataclass(frozen=True)
class Exchange:
    """A call under way: when it began, and whether it is the trial call while all others wait."""

    began: float
    is_trial: bool = False


@dataclass(frozen=True)
class BreakerState:
    """The state to show to an admin: `paused_for` seconds (0: not paused) and why."""

    paused_for: float = 0.0
    reason: str = ""


class CircuitBreaker:
    """The circuit breaker of one provider, shared by all its models.

    Opens after `failures` passing faults in a row within `window` seconds, for `open_for` seconds; then one trial
    request decides for all. A key or quota fault opens it at once for as long as the fault says. Calls that began
    before it opened say nothing about the provider now: their answers do not close it.
    """

    def __init__(
        self,
        provider: str,
        *,
        failures: int = 5,
        window: float = 60.0,
        open_for: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._provider = provider
        self._failures, self._window, self._open_for, self._clock = failures, window, open_for, clock
        self._lock = threading.Lock()
        self._failed: deque[float] = deque(maxlen=failures)
        self._lately: deque[float] = deque(maxlen=_REMEMBERED)
        self._served = -1.0  # when the youngest exchange began that was answered
        self._opened = 0.0
        self._until: float | None = None
        self._reason = ""
        self._cause: ProviderError | None = None
        self._trying = False

    def standing(self) -> BreakerState:
        """Return the state to show to an admin."""
        with self._lock:
            if self._until is None:
                return BreakerState()
            return BreakerState(max(0.0, self._until - self._clock()), self._reason)

    def is_away(self, since: float, failures: int) -> bool:
        """Return whether the provider, not the request, is at fault.

        The request first failed at `since`, and `failures` times in all. It is the provider if other requests fail too
        and no call that began since was answered.
        """
        with self._lock:
            after = self._clock() - self._window
            return self._served < since and sum(at >= after for at in self._lately) > failures

    def enter(self) -> Exchange:
        """Begin a call.

        Raises ProviderPaused while the breaker is open; its cause is the fault that opened it.
        """
        with self._lock:
            now = self._clock()
            if self._until is None:
                return Exchange(now)
            seconds_left = self._until - now
            if seconds_left > 0 or self._trying:
                pause = ProviderPaused(self._reason, retry_after=max(seconds_left, 5.0))
                pause.attempts = 0
                raise pause from self._cause
            self._trying = True
            return Exchange(now, is_trial=True)

    def watch(self, exchange: Callable[[], Answer]) -> Answer:
        """Make one call and record how it ends.

        Raises ProviderPaused without making it while the breaker is open.
        """
        entry = self.enter()
        heard = False
        try:
            answer = exchange()
            heard = True
            return answer
        except ProviderBusy as fault:
            self.failed(entry, fault)
            raise
        except ProviderPaused as fault:
            self.turned_away(fault)
            raise
        except (ProviderError, Refused):
            heard = True
            raise
        finally:
            if heard:
                self.succeeded(entry)
            else:
                self.abandoned(entry)

    def succeeded(self, entry: Exchange) -> None:
        """Record that the provider answered, even with a refusal or a final fault of this one request."""
        with self._lock:
            self._served = max(self._served, entry.began)
            self._failed.clear()
            if entry.is_trial or entry.began > self._opened:
                self._until, self._reason, self._trying = None, "", False

    def failed(self, entry: Exchange, fault: ProviderBusy) -> None:
        """Record a passing fault.

        Raises ProviderPaused if it opens the breaker, or the breaker is open by now.
        """
        with self._lock:
            fault.at = now = self._clock()
            self._failed.append(now)
            self._lately.append(now)
            burst = len(self._failed) == self._failures and now - self._failed[0] <= self._window
            if burst or entry.is_trial:
                rest = max(self._open_for, fault.retry_after or 0.0)
                self._open(now, now + rest)
                self._cause = fault
                self._reason = f"{self._provider} keeps failing ({fault}); next try in {rest:g} s"
            elif self._until is None:
                return
            seconds_left = (self._until or now) - now
            raise ProviderPaused(self._reason, retry_after=seconds_left if seconds_left > 0 else 5.0) from fault

    def turned_away(self, fault: ProviderPaused) -> None:
        """Open the breaker for a fault of the account, for as long as the fault says."""
        with self._lock:
            now = self._clock()
            self._open(now, now + fault.retry_after)
            self._reason, self._cause = str(fault), fault

    def abandoned(self, entry: Exchange) -> None:
        """Record a call that ended without an answer; if it was the trial, another may try."""
        with self._lock:
            if entry.is_trial:
                self._trying = False

    def _open(self, now: float, until: float) -> None:
        self._opened = now
        self._until = max(until, self._until or 0.0)
        self._trying = False


class CircuitBreakingModel:
    """A model behind a circuit breaker."""

    def __init__(self, model: Model, breaker: CircuitBreaker) -> None:
        self.name, self.sees_pictures = model.name, model.sees_pictures
        self._model, self._breaker = model, breaker

    def reply(self, request: Request) -> Reply:
        """Answer the request, or raise ProviderPaused without asking."""
        return self._breaker.watch(lambda: self._model.reply(request))
