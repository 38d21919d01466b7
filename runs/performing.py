"""One worker's go at a run: rounds of questions, asked at the same time, each answer saved as it arrives."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from providers.messages import Model, ProviderBusy, ProviderError, ProviderPaused, Refused, Reply, Request
from runs import calls, leasing, pausing, pool, spending, stopping, turns
from runs.asking import Answer, Asking, ended
from runs.calls import Call
from runs.domain.states import Reason, RunState, TurnState, reason_of, state_of
from runs.method import Finish, GiveUp, Method, Outcome, SavedTurn, Step
from runs.models import Run

Models = Callable[[str, str], Model]
"""The model that answers a role, by the role and the name ("provider:model") that the run planned for it."""

_FIRST_WAIT = 30.0
_LONGEST_WAIT = 600.0
_LOOK_EVERY = 1.0


@dataclass(frozen=True)
class Waiting:
    """The run goes back to the queue for so many seconds; `counted` as a round at a busy provider."""

    seconds: float
    detail: str
    counted: bool = True


class Stopped(Exception):
    """This process is to end: the run goes on elsewhere."""


class TimeIsUp(Exception):
    """The run has worked for as long as it may."""


class Performance:
    """A run in the hands of this thread, which alone touches the database."""

    def __init__(self, run: Run, method: Method, case: Any, models: Models) -> None:
        self.run = run
        self.method = method
        self.case = case
        self.models = models
        self.asked: dict[str, Model] = {}
        self.saved: dict[str, SavedTurn] = turns.saved(run) if run.has_turns else {}
        self.usable: dict[str, SavedTurn] = {}
        # The last answer of a round, until it is known what it leads to: both take one statement then.
        self.in_hand: turns.Heard | None = None
        # The row's own: whoever ends the run finds there what is still under way.
        self.in_flight: dict[str, Call] = run.in_flight
        late = {key: self.in_flight.pop(key) for key in [*self.in_flight] if key in self.saved}
        if late:
            turns.settle_late(run, late, self.in_flight)
        # Steps under way when a worker was lost: they may have been billed, and are asked again.
        self.lost = dict(self.in_flight)
        self.flying: dict[Future[Any], Asking] = {}
        self.landed: SimpleQueue[Future[Any] | None] = SimpleQueue()
        self.halt: Exception | None = None
        self.deadline = time.monotonic() + max(1.0, run.seconds_limit - run.seconds)
        self.renewed = self.looked = time.monotonic()  # the case was loaded just now

    def play(self) -> Outcome | Waiting:
        """Ask in rounds until the method has finished, a turn ends the run, or a provider makes it wait."""
        with stopping.heard_at(self.landed):
            try:
                return self._play()
            finally:
                self._put_down()

    def _play(self) -> Outcome | Waiting:
        while True:
            steps = self.method.next_steps(self.case, self.usable)
            if isinstance(steps, (Finish, GiveUp)) and not self._put_down():
                continue
            if isinstance(steps, Finish):
                return Outcome(RunState.SUCCEEDED, value=steps.value)
            if isinstance(steps, GiveUp):
                return Outcome(state_of(steps.reason), steps.reason, steps.detail)
            unsaved = [step for step in steps if step.key not in self.saved]
            if unsaved and self.saved and not self._still_wanted():
                return Outcome(RunState.CANCELLED, Reason.TARGET_GONE)
            waiting = self._round(unsaved) if unsaved else None
            if stop := self._sort(steps) or waiting:
                return stop

    def _still_wanted(self) -> bool:
        """Whether the subject is still there, asked at most once a second: what is stored is checked in any case."""
        now = time.monotonic()
        if now < self.looked + _LOOK_EVERY:
            return True
        self.looked = now
        return self.method.still_wanted(self.run)

    def _sort(self, steps: Sequence[Step]) -> Outcome | None:
        """Make the answers usable; answers how the run ends if one that is needed came to nothing."""
        known = [(step, self.saved[step.key]) for step in steps if step.key in self.saved]
        if steps and all(step.key in self.usable for step in steps):
            raise RuntimeError(f"{self.method.name} asks for {steps[0].key} again")
        for step, turn in known:
            if turn.state != TurnState.OK and not step.optional:
                return _ending(step, turn)
            self.usable[step.key] = turn
        return None

    def _round(self, steps: Sequence[Step]) -> Waiting | None:
        for step in steps:
            self._send(self._begin(step))
        waiting: Waiting | None = None
        while self.flying:
            for future in self._landed():
                waiting = self._hear(self.flying.pop(future), future) or waiting
        if self.halt:
            raise self.halt
        return waiting

    def _begin(self, step: Step) -> Asking:
        asking = Asking.about(step)
        if call := self.lost.get(step.key):
            asking.after_loss(call)
        return asking

    def _send(self, asking: Asking) -> None:
        """Reserve the next call and make it; where that is not allowed, nothing more is sent in this round."""
        if stopping.told():
            self.halt = self.halt or Stopped()
        if self.halt:
            return
        if asking.step.work is not None:
            if not (self._reserved(asking) if asking.step.spends else self._put_down()):
                return
            asking.seconds = -time.monotonic()
            done = _done_here if asking.step.at_home else pool.shared(settings.RUN_MODEL_THREADS).submit
            self._fly(done(asking.step.work), asking)
            return
        if not self._reserved(asking):
            return
        job = partial(self._reply, asking.step.role, asking.request)
        self._fly(pool.shared(settings.RUN_MODEL_THREADS).submit(job), asking)

    def _reserved(self, asking: Asking) -> bool:
        """Set aside what the next call may use; False where that is not allowed, and nothing more is sent."""
        tokens = asking.next_call()
        try:
            if not self._saved_with(asking, tokens):
                if not self._put_down():
                    return False
                spending.reserve(self.run, asking, tokens, self.in_flight)
        except (spending.BudgetExceeded, leasing.CancelRequested) as reason:
            self.halt = reason
            return False
        self.renewed = time.monotonic()
        return True

    def _saved_with(self, asking: Asking, tokens: int) -> bool:
        """Save the answer in hand, if there is one, in the statement that reserves the next call."""
        heard, self.in_hand = self.in_hand, None
        if heard is None:
            return False
        came = turns.save_and_begin(self.run, heard, asking, tokens, self.in_flight)
        if came is turns.Came.NOTHING:
            self.in_hand = heard
        if came is turns.Came.SAVED:
            turns.book(self.run, heard, self.in_flight)
        return came is turns.Came.BOTH

    def _put_down(self) -> bool:
        """Save the answer in hand, if there is one; False where another worker's counts, and all is open anew."""
        heard, self.in_hand = self.in_hand, None
        if heard is None:
            return True
        key = heard.turn.key
        turn = turns.save(self.run, heard, self.in_flight)
        self.renewed = time.monotonic()
        if turn == self.saved[key]:
            return True
        self.saved[key] = turn
        self.usable.pop(key, None)
        return False

    def _fly(self, future: Future[Any], asking: Asking) -> None:
        self.flying[future] = asking
        future.add_done_callback(self.landed.put)

    def _reply(self, role: str, request: Request) -> Reply:
        """What the model of the role answers; on a thread of the pool."""
        model = self.asked.get(role)
        if model is None:  # made here, not where it is planned: what it says of its settings is the call's fault
            model = self.asked[role] = self.models(role, self.run.model_plan[role])
        return model.reply(request)

    def _landed(self) -> Iterator[Future[Any]]:
        """Wait for the next answers, without a database connection; renew the lease meanwhile."""
        hand_back()
        grace = time.monotonic() + settings.RUN_GRACE_SECONDS
        while True:
            until = min(self.renewed + settings.RUN_LEASE_SECONDS / 3, self.deadline)
            if stopping.told():
                until = min(until, grace)
            if landed := self._arrivals(until):
                yield from landed
                return
            self._while_waiting(grace)

    def _arrivals(self, until: float) -> list[Future[Any]]:
        """What has landed, once anything has; nothing where the time is over, or the process was told to stop."""
        try:
            arrived = [self.landed.get(timeout=max(0.0, until - time.monotonic()))]
        except Empty:
            return []
        while not self.landed.empty():
            arrived.append(self.landed.get())
        return [future for future in arrived if future is not None]

    def _while_waiting(self, grace: float) -> None:
        now = time.monotonic()
        if now >= self.deadline:
            raise TimeIsUp
        if stopping.told() and now >= grace:
            raise Stopped
        if now >= self.renewed + settings.RUN_LEASE_SECONDS / 3:
            self._renew(now)
            hand_back()

    def _renew(self, now: float) -> None:
        try:
            leasing.keep(self.run)
            self.renewed = now
        except (OperationalError, InterfaceError):
            # The calls under way are worth more than the lease: tried again soon, and whoever took over is noticed.
            connection.close()
            self.renewed = now - settings.RUN_LEASE_SECONDS / 3 + 1.0

    def _hear(self, asking: Asking, future: Future[Any]) -> Waiting | None:
        if asking.step.work is not None:
            return self._see(asking, future)
        try:
            answer = asking.hear(future.result())
        except Refused as refusal:
            asking.declined(refusal.attempts)
            answer = ended(reason_of(refusal.code), str(refusal))
        except ProviderError as fault:
            if isinstance(fault, ProviderPaused) or self._may_wait(fault):
                return self._wait_for_provider(asking, fault)
            asking.retries += fault.attempts - 1
            answer = ended(reason_of(fault.code), str(fault))
        if answer is None:
            self._send(asking)
        else:
            self._save(asking, answer)
        return None

    def _see(self, asking: Asking, future: Future[Any]) -> Waiting | None:
        """Take in what a search or a fetch brought; what was reserved for it is given back where it has to wait."""
        asking.seconds += time.monotonic()
        try:
            answer = Answer(TurnState.OK, future.result())
            asking.spent()
        except Refused as refusal:
            asking.spent()
            answer = ended(reason_of(refusal.code), str(refusal))
        except ProviderError as fault:
            if isinstance(fault, ProviderPaused) or self._may_wait(fault):
                return self._wait_for_provider(asking, fault) if asking.step.spends else self._pause(fault)
            asking.retries += fault.attempts - 1 if asking.step.spends else 0
            answer = ended(reason_of(fault.code), str(fault))
        self._save(asking, answer)
        return None

    def _save(self, asking: Asking, answer: Answer) -> None:
        heard = turns.heard(self.run, asking, answer)
        self.in_flight.pop(heard.turn.key, None)
        self.saved[heard.turn.key] = heard.seen()
        self.in_hand = heard
        if self.flying:  # of a round only the last answer may wait for what follows
            self._put_down()

    def _may_wait(self, fault: ProviderError) -> bool:
        return isinstance(fault, ProviderBusy) and self.run.waits + 1 < settings.RUN_BUSY_ROUNDS

    def _wait_for_provider(self, asking: Asking, fault: ProviderError) -> Waiting:
        """Give the call back to the budget; earlier questions of the same step were paid and stay noted."""
        key = asking.step.key
        asking.calls -= 1
        self.in_flight.pop(key, None)
        if asking.lost_calls + asking.calls:
            asked = {"calls": asking.lost_calls + asking.calls, "tokens": asking.lost_tokens + asking.used}
            self.in_flight[key] = calls.NO_CALL | asked
        turns.give_up(self.run, asking, fault.attempts, self.in_flight)
        if isinstance(fault, ProviderPaused):
            name = asking.step.spends[0] if asking.step.spends else self.run.model_plan[asking.step.role]
            pausing.pause(name.partition(":")[0], str(fault), fault.retry_after)
        return self._pause(fault)

    def _pause(self, fault: ProviderError) -> Waiting:
        if isinstance(fault, ProviderPaused):
            return Waiting(fault.retry_after, str(fault), counted=False)
        asked_for = fault.retry_after if isinstance(fault, ProviderBusy) else None
        backoff = min(_LONGEST_WAIT, _FIRST_WAIT * 2**self.run.waits) * random.uniform(0.5, 1.0)
        return Waiting(backoff if asked_for is None else asked_for, str(fault))


def hand_back() -> None:
    """Give the database connection back to its pool: nothing is held while a model thinks."""
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        connection.close()


def _done_here(work: Callable[[], Any]) -> Future[Any]:
    """The work done by this thread, in the form of what another would bring."""
    future: Future[Any] = Future()
    try:
        future.set_result(work())
    except (ProviderError, Refused) as fault:
        future.set_exception(fault)
    return future


def _ending(step: Step, turn: SavedTurn) -> Outcome:
    reason = Reason(turn.reason)
    return Outcome(state_of(reason), reason, f"{step.role}: {turn.detail}")
