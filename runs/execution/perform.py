"""The execution of one claimed run: ask the models, save every answer, until the method has finished."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from django.conf import settings
from django.db import connection

from providers import wiring
from providers.learnt_facts import site_facts
from providers.messages import Model, ProviderError, Refused, Reply, Request
from runs import origin, signals
from runs.domain.states import Reason, RunState, TurnState, reason_of, state_of
from runs.execution import budget, early_end, shutdown, thread_pool, turns
from runs.execution.interruptions import TimeLimitReached, WaitForProvider, WorkerStopping
from runs.execution.step import PendingStep, StepAnswer, unusable_answer
from runs.execution.waits import last_words, wait_after_fault
from runs.methods.method import LIMIT_KEY, EndsEarly, Finish, GiveUp, Method, Outcome, SavedTurn, Step, StepKind
from runs.models import Run
from runs.queue import call_sql, lease, lease_keeper, model_facts
from runs.queue.call_sql import CallUnderWay

ModelOfRole = Callable[[str, str], Model]
"""Returns the model of a role, given the role and the name ("provider:model") that the run planned for it."""

WAITS, ASKED_AGAIN = "waits", "asked_again"
"""Outcomes of a call that are no end of its step: the provider is busy or paused; the reply was of no use."""
_CHECK_SUBJECT_EVERY = 1.0


class RunExecution:
    """One run on this thread. Only this thread uses the database; the models' threads never do."""

    def __init__(self, run: Run, method: Method, case: Any, models: ModelOfRole) -> None:
        self.run = run
        self.method = method
        self.ends_early = method if isinstance(method, EndsEarly) else None  # to ask a protocol takes long
        self.case = case
        self.models = models
        self.models_in_use: dict[str, Model] = {}
        self.saved: dict[str, SavedTurn] = turns.saved_turns(run) if run.has_turns else {}
        self.usable: dict[str, SavedTurn] = {}
        # The last answer of a round waits for the next call: one statement then saves one and reserves the other.
        self.unsaved: turns.UnsavedTurn | None = None
        # The dictionary of the run's row: whoever ends the run finds the calls under way there.
        self.in_flight: dict[str, CallUnderWay] = run.in_flight
        late_calls = {key: self.in_flight.pop(key) for key in [*self.in_flight] if key in self.saved}
        if late_calls:
            turns.settle_late_turns(run, late_calls, self.in_flight)
        # Steps under way when a worker was lost: they may have been billed and are asked again.
        self.lost_calls = dict(self.in_flight)
        self.under_way: dict[Future[Any], PendingStep] = {}
        self.answered: SimpleQueue[Future[Any] | None] = SimpleQueue()
        self.halt_reason: Exception | None = None
        self.closed: Outcome | None = None  # how the run ends, once a server gives no answer until a person acts
        self.deadline = time.monotonic() + max(1.0, run.seconds_limit - run.seconds)
        self.kept = early_end.NOTHING_KEPT
        self.answered_at = time.monotonic()
        self.subject_checked_at = time.monotonic()  # the case was loaded just now
        self.lease_is_lost = False

    def run_to_end(self) -> Outcome | WaitForProvider:
        """Ask in rounds until the method has finished, a turn ends the run, or a provider makes it wait."""
        with lease_keeper.KEEPER.keeping(self.run, self._record_lost_calls), shutdown.wake_on_stop(self.answered):
            try:
                return self._ask_in_rounds()
            finally:
                self._save_last_turn()

    def _record_lost_calls(self) -> None:
        """Note that another worker has the run, and wake this thread. Called by the keeper's thread."""
        self.lease_is_lost = True
        self.answered.put(None)

    def _ask_in_rounds(self) -> Outcome | WaitForProvider:
        while True:
            steps = self.method.next_steps(self.case, self.usable)
            if isinstance(steps, (Finish, GiveUp)) and not self._save_last_turn():
                continue
            if isinstance(steps, Finish):
                return Outcome(RunState.SUCCEEDED, value={**steps.value, **turns.warnings_of(self.saved, steps.value)})
            if isinstance(steps, GiveUp):
                return Outcome(state_of(steps.reason), steps.reason, steps.detail)
            open_steps = [step for step in steps if step.key not in self.saved]
            if open_steps and self.saved and not self._is_still_wanted():
                return Outcome(RunState.CANCELLED, Reason.TARGET_GONE)
            waiting = self._ask_within_limits(open_steps) if open_steps else None
            if stop := self.closed or self._accept_turns(steps):
                return stop
            if waiting:
                return replace(waiting, unanswered=time.monotonic() - self.answered_at)

    def _ask_within_limits(self, steps: Sequence[Step]) -> WaitForProvider | None:
        """Ask those of the steps that fit; if a limit comes near, save a turn that says so instead.

        The turn is used once every saved answer of these steps is, so that a resumed run ends in the same way.
        """
        closing = self.ends_early.closing_step(self.case, self.usable) if self.ends_early else None
        if closing is None:
            self.kept = early_end.NOTHING_KEPT
            return self._ask_round(steps)
        if LIMIT_KEY in self.saved:
            self.usable[LIMIT_KEY] = self.saved[LIMIT_KEY]
            return None
        room, kept = budget.room_of(self.run), early_end.kept_for(self._begin_step(closing).request)
        fitting, self.kept = early_end.fitting_steps(steps, lambda step: self._begin_step(step).request, room, kept)
        limit = room.nearest_limit(kept)
        if fitting:
            try:
                return self._ask_round(fitting)
            except (budget.BudgetExceeded, TimeLimitReached) as reached:
                self.halt_reason = None
                self.under_way.clear()  # what these calls still bring is not waited for
                limit = reached.limit if isinstance(reached, budget.BudgetExceeded) else "seconds"
        self.kept = early_end.NOTHING_KEPT
        return self._ask_round([early_end.limit_step(self.run, limit)])

    def _is_still_wanted(self) -> bool:
        """Return whether the subject still exists; ask the method at most once a second.

        The end of the run checks it again, before anything is stored.
        """
        now = time.monotonic()
        if now < self.subject_checked_at + _CHECK_SUBJECT_EVERY:
            return True
        self.subject_checked_at = now
        return self.method.still_wanted(self.run)

    def _accept_turns(self, steps: Sequence[Step]) -> Outcome | None:
        """Make the steps' turns available to the method.

        Returns how the run ends if a required turn has no usable answer, else None.
        """
        known_turns = [(step, self.saved[step.key]) for step in steps if step.key in self.saved]
        if steps and all(step.key in self.usable for step in steps):
            raise RuntimeError(f"{self.method.name} asks for {steps[0].key} again")
        for step, turn in known_turns:
            if turn.state != TurnState.OK and not step.optional:
                return _ended_by(step, Reason(turn.reason), turn.detail)
            self.usable[step.key] = turn
        return None

    def _ask_round(self, steps: Sequence[Step]) -> WaitForProvider | None:
        if not self._note_work(steps):
            return None
        for step in steps:
            self._send_next_call(self._begin_step(step))
        waiting: WaitForProvider | None = None
        while self.under_way:
            for future in self._next_answers():
                if pending := self.under_way.pop(future, None):
                    waiting = self._handle_reply(pending, future) or waiting
        if self.halt_reason:
            raise self.halt_reason
        return waiting

    def _note_work(self, steps: Sequence[Step]) -> bool:
        """Note on the run's row which searches and fetches are under way, for those who watch it.

        Returns False if another worker saved an answer first: plan again with it.
        """
        under_way = {step.key: call_sql.NO_CALL for step in steps if step.kind in (StepKind.SEARCH, StepKind.FETCH)}
        if not under_way:
            return True
        self.in_flight |= under_way
        if self.unsaved is None:
            return turns.note_under_way(self.run, self.in_flight)
        return self._save_last_turn()

    def _begin_step(self, step: Step) -> PendingStep:
        profile = wiring.profile_of(self.run.model_plan.get(step.role, ""))
        limits: dict[str, int] = settings.MODEL_ANSWER_TOKENS
        most = limits.get(step.role, limits[""])
        pending = PendingStep.of(
            step,
            thinking_tokens=profile.room_beside(step.max_tokens),
            most_tokens=min(most, profile.most_tokens or most),
        )
        if call := self.lost_calls.get(step.key):
            pending.resume_after_loss(call)
        return pending

    def _send_next_call(self, pending: PendingStep) -> None:
        """Reserve the next call of the step and make it. Do nothing once this round has a reason to halt."""
        if shutdown.is_stop_requested():
            self.halt_reason = self.halt_reason or WorkerStopping()
        if self.halt_reason or self.closed:
            return
        if pending.step.work is not None:
            if not (self._reserve_call(pending) if pending.step.spends else self._save_last_turn()):
                return
            pending.seconds = -time.monotonic()
            start = thread_pool.done_in_this_thread if pending.step.at_home else _model_threads().submit
            self._track(start(pending.step.work), pending)
            return
        if not self._reserve_call(pending):
            return
        call = partial(self._ask_model, pending.step.role, pending.request)
        self._track(_model_threads().submit(call), pending)

    def _reserve_call(self, pending: PendingStep) -> bool:
        """Reserve what the next call may use. Return False if that is not allowed; nothing more is sent then."""
        tokens = pending.count_next_call()
        try:
            if not self._save_with_next_call(pending, tokens):
                if not self._save_last_turn():
                    return False
                budget.reserve_call(self.run, pending, tokens, self.in_flight, self.kept)
        except (budget.BudgetExceeded, lease.CancelRequested) as reason:
            self.halt_reason = reason
            return False
        return True

    def _save_with_next_call(self, pending: PendingStep, tokens: int) -> bool:
        """Save the turn that is not saved yet in the statement that reserves the next call.

        Returns False if the next call is not reserved.
        """
        unsaved, self.unsaved = self.unsaved, None
        if unsaved is None:
            return False
        result = turns.save_turn_and_begin_call(self.run, unsaved, pending, tokens, self.in_flight, self.kept)
        if result is turns.SaveResult.NOTHING:
            self.unsaved = unsaved
        if result is turns.SaveResult.SAVED:
            turns.book_saved_turn(self.run, unsaved, self.in_flight)
        return result is turns.SaveResult.BOTH

    def _save_last_turn(self) -> bool:
        """Save the turn that is not saved yet.

        Returns False if another worker saved this step first: plan again with its answer.
        """
        unsaved, self.unsaved = self.unsaved, None
        if unsaved is None:
            return True
        key = unsaved.turn.key
        turn = turns.save_turn(self.run, unsaved, self.in_flight)
        if turn == self.saved[key]:
            return True
        self.saved[key] = turn
        self.usable.pop(key, None)
        return False

    def _track(self, future: Future[Any], pending: PendingStep) -> None:
        self.under_way[future] = pending
        future.add_done_callback(self.answered.put)

    def _ask_model(self, role: str, request: Request) -> Reply:
        """Return the reply of the role's model. Runs on a thread of the pool."""
        model = self.models_in_use.get(role)
        if model is None:  # built here, not at planning: a fault of its settings belongs to this call
            model = self.models_in_use[role] = self.models(role, self.run.model_plan[role])
        with origin.tracing.call(role, self.run.model_plan[role]):
            return model.reply(request)

    def _next_answers(self) -> Iterator[Future[Any]]:
        """Wait for the next answers without a database connection."""
        release_connection()
        grace = time.monotonic() + settings.RUN_GRACE_SECONDS
        while True:
            until = self._stop_at()
            if shutdown.is_stop_requested():
                until = min(until, grace)
            if landed := self._wait_for_answers(until):
                yield from landed
                return
            self._check_limits(grace)

    def _wait_for_answers(self, until: float) -> list[Future[Any]]:
        """Return the finished calls once there is one.

        Returns none at the time `until`, when the process is to stop, or when the lease is lost.
        """
        try:
            arrived = [self.answered.get(timeout=max(0.0, until - time.monotonic()))]
        except Empty:
            return []
        while not self.answered.empty():
            arrived.append(self.answered.get())
        return [future for future in arrived if future is not None]

    def _check_limits(self, grace: float) -> None:
        now = time.monotonic()
        if self.lease_is_lost:
            raise lease.LeaseLost
        if now >= self._stop_at():
            raise TimeLimitReached
        if shutdown.is_stop_requested() and now >= grace:
            raise WorkerStopping

    def _stop_at(self) -> float:
        """Return when to stop waiting: before the deadline as long as time is kept back for the end of the run."""
        return self.deadline - (early_end.kept_seconds(self.run.seconds_limit) if self.kept.calls else 0.0)

    def _handle_reply(self, pending: PendingStep, future: Future[Any]) -> WaitForProvider | None:
        model_facts.store_new_facts()
        if pending.step.work is not None:
            return self._handle_work(pending, future)
        reply: Reply | None = None
        try:
            reply = future.result()
            answer = pending.accept_reply(reply)
            if answer is not None and pending.step.shape is not None:
                name = self.run.model_plan[pending.step.role]
                site_facts.note_answer(name, pending.step.role, pending.habits)
        except Refused as refusal:
            pending.count_refusal(refusal.attempts)
            answer = unusable_answer(reason_of(refusal.code), str(refusal))
        except ProviderError as fault:
            if waiting := self._wait_after(pending, fault):
                return waiting
            answer = self._last_answer(pending, fault)
        self._tell_of_call(pending, ASKED_AGAIN if answer is None else answer.reason or answer.state, reply)
        if answer is None:
            self._send_next_call(pending)
        else:
            self._hold_turn(pending, answer)
        return None

    def _handle_work(self, pending: PendingStep, future: Future[Any]) -> WaitForProvider | None:
        """Take the result of a search or fetch; if it has to wait for the provider, refund what was reserved."""
        pending.seconds += time.monotonic()
        try:
            answer = StepAnswer(TurnState.OK, future.result())
            pending.count_spending()
        except Refused as refusal:
            pending.count_spending()
            answer = unusable_answer(reason_of(refusal.code), str(refusal))
        except ProviderError as fault:
            if waiting := self._wait_after(pending, fault):
                return waiting
            answer = self._last_answer(pending, fault)
        self._tell_of_call(pending, answer.reason or answer.state)
        self._hold_turn(pending, answer)
        return None

    def _wait_after(self, pending: PendingStep, fault: ProviderError) -> WaitForProvider | None:
        waiting = wait_after_fault(self.run, pending.step, fault)
        if waiting:
            self._tell_of_call(pending, WAITS)
            if pending.is_paid:
                self._refund(pending, fault)
        return waiting

    def _last_answer(self, pending: PendingStep, fault: ProviderError) -> StepAnswer:
        """Return the answer of a step that this fault ends. A closed account or model ends the run too."""
        pending.count_fault(fault)
        reason, detail = reason_of(fault.code), last_words(self.run, pending.step, fault)
        if fault.is_final and not self.closed:
            self.closed = _ended_by(pending.step, reason, detail)
        return unusable_answer(reason, detail)

    def _tell_of_call(self, pending: PendingStep, outcome: str, reply: Reply | None = None) -> None:
        """Tell listeners that a provider was asked; reading what the site has asks nobody."""
        step = pending.step
        if step.at_home or step.kind == StepKind.READ or not signals.call_ended.has_listeners(Run):
            return
        model = step.spends[0] if step.spends else self.run.model_plan.get(step.role, step.kind)
        signals.call_ended.send_robust(
            Run, run=self.run, role=step.role, model=model, outcome=str(outcome), reply=reply
        )

    def _hold_turn(self, pending: PendingStep, answer: StepAnswer) -> None:
        self.answered_at = time.monotonic()
        unsaved = turns.unsaved_turn(self.run, pending, answer)
        self.in_flight.pop(unsaved.turn.key, None)
        self.saved[unsaved.turn.key] = unsaved.as_saved()
        self.unsaved = unsaved
        if self.under_way:  # only the last answer of a round may wait for the next call
            self._save_last_turn()

    def _refund(self, pending: PendingStep, fault: ProviderError) -> None:
        """Refund the call that brought nothing; earlier calls of the same step were paid and stay on record."""
        key = pending.step.key
        pending.calls -= 1
        self.in_flight.pop(key, None)
        if pending.lost_calls + pending.calls:
            earlier_calls = {"calls": pending.lost_calls + pending.calls, "tokens": pending.lost_tokens + pending.used}
            self.in_flight[key] = call_sql.NO_CALL | earlier_calls
        turns.refund_call(self.run, pending, fault.attempts, self.in_flight)


def _model_threads() -> thread_pool.ModelThreads:
    return thread_pool.shared_threads(settings.RUN_MODEL_THREADS)


def release_connection() -> None:
    """Return the database connection to its pool, so that none is held while a model works."""
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        connection.close()


def _ended_by(step: Step, reason: Reason, detail: str) -> Outcome:
    return Outcome(state_of(reason), reason, f"{step.role}: {detail}")
