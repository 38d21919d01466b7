"""A circuit breaker per provider: stop calling one that keeps failing or that rejected our account (threats L12, L23).

Ours and not pybreaker: that library holds its lock during the call, so a provider's calls would run one at a time, and
it knows neither a time window, nor a pause of the length that the provider asks for, nor answers to earlier calls.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from providers.messages import (
    AccessUnclear,
    Forbidden,
    Message,
    Model,
    ProviderBusy,
    ProviderError,
    ProviderPaused,
    Refused,
    Reply,
    Request,
    TooDear,
    TurnedBack,
)

Answer = TypeVar("Answer")

_PAGES = 5
"""So many pages in a row instead of answers, and a harmless request finds out whether anything is let through."""
_CLOSED = 5.0
"""For so many seconds a closed account is told without asking: for those that ask at the same time."""
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
    request decides for all. A bad key or an empty account does not open it: whoever asks is told by the server, and at
    once served when a person has acted. Calls that began before it opened say nothing about the provider now: their
    answers do not close it.
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
        self._turned_back = 0  # pages instead of answers, in a row
        self._asking_harmlessly = threading.Lock()

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
                pause = self._pause(seconds_left)
                pause.attempts = 0
                raise pause from self._cause
            self._trying = True
            return Exchange(now, is_trial=True)

    def _pause(self, seconds_left: float) -> ProviderPaused:
        """Return what a call meets while the breaker is open; a closed account is told as it was told first."""
        if isinstance(self._cause, Forbidden):
            return Forbidden(self._reason, retry_after=self._cause.retry_after)
        return ProviderPaused(self._reason, retry_after=max(seconds_left, 5.0))

    def watch(self, exchange: Callable[[], Answer], *, harmless: Callable[[], object] | None = None) -> Answer:
        """Make one call and record how it ends.

        `harmless` asks something that nobody can object to: it finds out whether a call that was turned away without a
        clear cause failed by itself. Without it the account is taken to be at fault.

        Raises ProviderPaused without making the call while the breaker is open.
        """
        entry = self.enter()
        heard = is_served = False
        try:
            answer = exchange()
            heard = is_served = True
            return answer
        except ProviderBusy as fault:
            self.failed(entry, fault)
            raise
        except (AccessUnclear, TurnedBack) as fault:
            self._find_out(entry, fault, harmless)
            heard = True
            raise self._own_fault(fault) from None
        except ProviderPaused:
            heard = True
            raise
        except (ProviderError, Refused):
            heard = is_served = True
            raise
        finally:
            if heard:
                self.succeeded(entry, is_served=is_served)
            else:
                self.abandoned(entry)

    def _find_out(
        self, entry: Exchange, fault: AccessUnclear | TurnedBack, harmless: Callable[[], object] | None
    ) -> None:
        """Return if the request alone is at fault. Raise what pauses the provider if others meet the same.

        Threads that are turned away at once wait here for one harmless request, and take its result.
        """
        with self._asking_harmlessly:
            if not self._is_unclear(entry, fault):
                return
            sentence = fault.sentence if isinstance(fault, AccessUnclear) else str(fault)
            told = f"{sentence}. A harmless request met the same. Look at the key and the quota of {self._provider}."
            found = (
                Forbidden(told, retry_after=fault.retry_after)
                if isinstance(fault, AccessUnclear)
                else ProviderPaused(told, retry_after=self._open_for)
            )
            asked = self._clock()
            if harmless is not None:
                try:
                    answer = harmless()
                except (AccessUnclear, TurnedBack):
                    found.attempts = fault.attempts + 1
                except ProviderPaused:  # the server says why
                    raise
                except ProviderBusy as busy:  # nothing was found out: the run comes back
                    busy.attempts += fault.attempts
                    self.failed(entry, busy)
                    raise
                except (ProviderError, Refused):
                    return self._note_answer(fault, asked)
                else:
                    fault.usage = answer.usage if isinstance(answer, Reply) else fault.usage
                    return self._note_answer(fault, asked)
            elif isinstance(fault, AccessUnclear):
                found = fault
            self.turned_away(found, entry)
            raise found from fault

    def _is_unclear(self, entry: Exchange, fault: AccessUnclear | TurnedBack) -> bool:
        """Return whether nothing yet says that others are served: no call was answered that began after this one.

        Raises ProviderPaused if it is known that nobody is served.
        """
        with self._lock:
            if isinstance(fault, TurnedBack):
                self._turned_back += 1
                if self._turned_back < _PAGES:
                    return False
            if self._served > entry.began:
                return False
            now = self._clock()
            if self._until is not None and self._until > now and not entry.is_trial:
                raise self._pause(self._until - now) from fault
            return True

    def _note_answer(self, fault: ProviderError, began: float) -> None:
        """Note that a harmless request was answered: what is turned away now is so for itself."""
        fault.attempts += 1
        with self._lock:
            self._served = max(self._served, began)
            self._turned_back = 0

    @staticmethod
    def _own_fault(fault: AccessUnclear | TurnedBack) -> ProviderError:
        if isinstance(fault, TurnedBack):
            return fault
        own = ProviderError(f"{fault.sentence}. Other requests are answered: it is this one that is turned away.")
        own.attempts, own.usage = fault.attempts, fault.usage
        return own

    def succeeded(self, entry: Exchange, *, is_served: bool = True) -> None:
        """Record that the provider answered, even with a refusal or a final fault of this one request.

        Without `is_served` it turned the request away, which says nothing about others.
        """
        with self._lock:
            if is_served:
                self._served = max(self._served, entry.began)
                self._turned_back = 0
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
            pause = ProviderPaused(self._reason, retry_after=seconds_left if seconds_left > 0 else 5.0)
            pause.is_cause = burst and not entry.is_trial  # a trial that fails is the same outage
            raise pause from fault

    def turned_away(self, fault: ProviderPaused, entry: Exchange | None = None) -> None:
        """Open the breaker, since a harmless request was turned away too.

        The first call that meets it is its cause; those that were under way beside it only meet it. Where the account
        is closed, it is asked again soon: a person may have acted.
        """
        with self._lock:
            now = self._clock()
            is_open = self._until is not None and self._until > now
            fault.is_cause = not is_open or (entry is not None and entry.is_trial)
            self._open(now, now + (_CLOSED if fault.is_final else fault.retry_after))
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
        return self._breaker.watch(
            lambda: self._affordable_reply(request),
            harmless=lambda: self._model.reply(harmless_request(request)),
        )

    def _affordable_reply(self, request: Request) -> Reply:
        """Answer the request; if the account can pay for a shorter answer alone, ask once for that."""
        try:
            return self._model.reply(request)
        except TooDear as dear:
            if not LEAST_AFFORDABLE <= dear.tokens < request.max_tokens:
                raise
            try:
                reply = self._model.reply(replace(request, max_tokens=dear.tokens))
            except (ProviderError, Refused) as fault:
                fault.attempts += 1
                raise
            return replace(reply, attempts=reply.attempts + 1)


LEAST_AFFORDABLE = 64
"""An answer of fewer tokens is of no use."""


def harmless_request(request: Request) -> Request:
    """Return a question to the same model that no filter can object to."""
    message = Message.of("user", "Good morning. Please answer with the one word: ready.")
    return Request(
        request.role, (message,), temperature=None, max_tokens=min(request.max_tokens, 64), profile=request.profile
    )
