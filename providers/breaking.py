"""Leave a provider alone that fails again and again, or that turned our account away (threats L12, L23)."""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from providers.messages import Model, ProviderBusy, ProviderError, ProviderPaused, Refused, Reply, Request

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Standing:
    """How this process stands with a provider: `paused_for` seconds (0: not paused) and why."""

    paused_for: float = 0.0
    reason: str = ""


class Breaker:
    """Shared by all models of one provider.

    Opens after `failures` passing faults in a row within `window` seconds, for `open_for` seconds; then one request
    tries, and its fate decides for all. A key or quota fault opens it at once for as long as the fault says.
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
        self._until: float | None = None
        self._reason = ""
        self._trying = False

    def standing(self) -> Standing:
        """What to tell an admin."""
        with self._lock:
            if self._until is None:
                return Standing()
            return Standing(max(0.0, self._until - self._clock()), self._reason)

    def enter(self) -> None:
        """Begin an exchange; raises ProviderPaused while the breaker is open."""
        with self._lock:
            if self._until is None:
                return
            left = self._until - self._clock()
            if left > 0 or self._trying:
                pause = ProviderPaused(self._reason, retry_after=max(left, 5.0))
                pause.attempts = 0
                raise pause
            self._trying = True

    def watch(self, exchange: Callable[[], Answer]) -> Answer:
        """Make one exchange and learn from how it ends; raises ProviderPaused without making it while open."""
        self.enter()
        heard = False
        try:
            answer = exchange()
            heard = True
            return answer
        except ProviderBusy as fault:
            self.failed(fault)
            raise
        except ProviderPaused as fault:
            self.turned_away(fault)
            raise
        except (ProviderError, Refused):
            heard = True
            raise
        finally:
            if heard:
                self.succeeded()
            else:
                self.abandoned()

    def succeeded(self) -> None:
        """The provider answered, even if with a refusal or a final fault of this one request."""
        with self._lock:
            self._failed.clear()
            self._until, self._reason, self._trying = None, "", False

    def failed(self, fault: ProviderBusy) -> None:
        """A passing fault; raises ProviderPaused where it opens the breaker."""
        with self._lock:
            now = self._clock()
            self._failed.append(now)
            burst = len(self._failed) == self._failures and now - self._failed[0] <= self._window
            if not (burst or self._trying):
                return
            self._open(now + max(self._open_for, fault.retry_after or 0.0))
            self._reason = f"{self._provider} keeps failing ({fault}); it is left alone for {self._open_for:g} s"
            raise ProviderPaused(self._reason, retry_after=self._open_for) from fault

    def turned_away(self, fault: ProviderPaused) -> None:
        """A fault of the account: nobody asks again before it has passed."""
        with self._lock:
            self._open(self._clock() + fault.retry_after)
            self._reason = str(fault)

    def abandoned(self) -> None:
        """The exchange ended without saying anything about the provider (an interrupt, a fault of ours)."""
        with self._lock:
            self._trying = False

    def _open(self, until: float) -> None:
        self._until = max(until, self._until or 0.0)
        self._trying = False


class Breaking:
    """A model behind a breaker."""

    def __init__(self, model: Model, breaker: Breaker) -> None:
        self.name, self.sees_pictures = model.name, model.sees_pictures
        self._model, self._breaker = model, breaker

    def reply(self, request: Request) -> Reply:
        """Answer the request, or raise ProviderPaused without asking."""
        return self._breaker.watch(lambda: self._model.reply(request))
