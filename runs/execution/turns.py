"""Save the answer of each step once, in a short transaction of its own, before anything uses it."""

import hashlib
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, TypeVar

from django.db import InterfaceError, OperationalError, connection, transaction

from providers.messages import Message, Picture
from runs.domain.states import Flag, TurnState
from runs.execution import budget
from runs.execution.early_end import NOTHING_KEPT, Kept
from runs.execution.step import PendingStep, StepAnswer, storable
from runs.methods.method import SavedTurn
from runs.models import Run, Turn
from runs.queue import call_sql, lease
from runs.queue.call_sql import Booking, CallUnderWay
from runs.sql.compiled_queries import CompiledQuery, slot

log = logging.getLogger(__name__)

_TURNS_OF_RUN = CompiledQuery(Turn.objects.filter(run_id=slot("run")).order_by("id"))
_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)

Result = TypeVar("Result")


def saved_turns(run: Run) -> dict[str, SavedTurn]:
    """Return the run's saved turns by key, as its method sees them."""
    return {turn.key: _as_saved_turn(turn) for turn in _TURNS_OF_RUN.rows(run=run.pk)}


class SaveResult(Enum):
    """What a statement did that saves a turn and begins the next call."""

    NOTHING = auto()
    SAVED = auto()
    BOTH = auto()


@dataclass(frozen=True)
class UnsavedTurn:
    """A turn that is about to be saved, and the step that knows what it cost."""

    turn: Turn
    pending: PendingStep

    @property
    def unused_tokens(self) -> int:
        """The tokens that were reserved for the step and not used."""
        return self.pending.reserved - self.pending.used

    @property
    def booking(self) -> Booking:
        """What is booked on the run together with the turn."""
        return Booking(
            -self.pending.unsent_calls,
            -self.unused_tokens,
            self.pending.retries,
            charged=self.pending.charged,
            progress=True,
        )

    def as_saved(self) -> SavedTurn:
        """Return the turn as its method sees it."""
        return _as_saved_turn(self.turn)


def unsaved_turn(run: Run, pending: PendingStep, answer: StepAnswer) -> UnsavedTurn:
    """Return the turn of a step's answer, not saved yet."""
    return UnsavedTurn(_build_turn(run, pending, answer), pending)


def save_turn(run: Run, unsaved: UnsavedTurn, in_flight: Mapping[str, CallUnderWay]) -> SavedTurn:
    """Save the turn and book what it cost. Return the turn that counts.

    If another worker saved this step first, its answer counts and its turn is flagged as possibly billed twice. A
    worker that lost the lease books nothing: whoever continues the run counts the call as lost, or settles it
    (`settle_late_turns`).

    Raises LeaseLost after the turn is saved.
    """

    def check_earlier_attempt() -> tuple[bool, Turn] | None:
        return (lease.holds_lease(run), unsaved.turn) if _is_saved(unsaved.turn) else None

    has_lease, turn = _through_faults(
        run, unsaved.turn, lambda: _save_and_book(run, unsaved, in_flight), check_earlier_attempt
    )
    if not has_lease:
        raise lease.LeaseLost
    run.calls += unsaved.booking.calls
    run.tokens += unsaved.booking.tokens
    return _as_saved_turn(turn)


def save_turn_and_begin_call(
    run: Run,
    unsaved: UnsavedTurn,
    next_step: PendingStep,
    tokens: int,
    in_flight: dict[str, CallUnderWay],
    kept: Kept = NOTHING_KEPT,
) -> SaveResult:
    """Save the turn and reserve `tokens` for the next call, in one statement if that is possible.

    NOTHING: it is not possible, or another worker saved this step first; `save_turn` and `budget.reserve_call` then do
    one after the other. SAVED: the turn is saved, but the run may not continue as it is; `book_saved_turn` and reserve
    as usual, which raises the reason. Nearly all turns are saved this way: it halves the work of the database.
    """
    if (
        connection.vendor != "postgresql"
        or unsaved.pending.charged
        or not budget.may_call_again(run, tokens - unsaved.unused_tokens, kept)
    ):
        return SaveResult.NOTHING
    calls_after = budget.with_next_call(next_step, in_flight)
    settled = unsaved.booking
    booking = replace(settled, calls=settled.calls + 1, tokens=settled.tokens + tokens)

    def attempt() -> SaveResult:
        is_saved, begun = call_sql.insert_turn_and_begin_call(unsaved.turn, run, booking, calls_after)
        return SaveResult.BOTH if begun else SaveResult.SAVED if is_saved else SaveResult.NOTHING

    def check_earlier_attempt() -> SaveResult | None:
        if not _is_saved(unsaved.turn):
            return None
        row = Run.objects.filter(pk=run.pk, owner=run.owner).values_list("in_flight", flat=True).first()
        return SaveResult.BOTH if row is not None and next_step.step.key in row else SaveResult.SAVED

    result = _through_faults(run, unsaved.turn, attempt, check_earlier_attempt)
    if result is SaveResult.BOTH:
        in_flight.update(calls_after)
        run.calls += booking.calls
        run.tokens += booking.tokens
    return result


def note_under_way(run: Run, in_flight: Mapping[str, CallUnderWay]) -> bool:
    """Store what is under way on the run's row. Return True.

    Raises LeaseLost if another worker has the run.
    """
    if not call_sql.book_on_run(run, Booking(), in_flight):
        raise lease.LeaseLost
    return True


def book_saved_turn(run: Run, unsaved: UnsavedTurn, in_flight: Mapping[str, CallUnderWay]) -> None:
    """Book the cost of a turn that is already saved.

    Raises LeaseLost if another worker has the run.
    """
    if not call_sql.book_on_run(run, unsaved.booking, in_flight):
        raise lease.LeaseLost
    run.calls += unsaved.booking.calls
    run.tokens += unsaved.booking.tokens


def _through_faults(
    run: Run, turn: Turn, attempt: Callable[[], Result], check_earlier_attempt: Callable[[], Result | None]
) -> Result:
    """Repeat `attempt` while the database is away.

    `check_earlier_attempt` returns what an attempt did before its fault. The answer is paid for: a database that
    restarts or is locked for a moment must not lose it.
    """
    for pause in _PAUSES:
        try:
            return attempt()
        except (OperationalError, InterfaceError) as fault:
            if connection.in_atomic_block:
                raise
            log.warning("turn %s of run %s waits for the database (%s)", turn.key, run.public_id, type(fault).__name__)
            connection.close()
            time.sleep(pause)
            with suppress(OperationalError, InterfaceError):
                if (result := check_earlier_attempt()) is not None:
                    return result
    return attempt()


def _save_and_book(run: Run, unsaved: UnsavedTurn, in_flight: Mapping[str, CallUnderWay]) -> tuple[bool, Turn]:
    """Save and book, both or neither. Return whether this worker still has the run, and the turn that counts."""
    turn, booking = unsaved.turn, unsaved.booking
    if connection.vendor == "postgresql" and not booking.charged:
        is_saved, has_lease = call_sql.insert_turn_and_book(turn, run, booking, in_flight)
        if is_saved:
            return has_lease, turn
    with transaction.atomic():
        is_saved, has_lease = call_sql.insert_turn_and_book(turn, run, booking, in_flight)
        if not is_saved:
            has_lease = call_sql.book_on_run(run, booking, in_flight)
        if has_lease and booking.charged:
            budget.settle_charged_step(run, unsaved.pending, calls=booking.calls)
        if has_lease and not is_saved:
            turn = _keep_first(run, turn)
    return has_lease, turn


def _is_saved(turn: Turn) -> bool:
    return Turn.objects.filter(run_id=turn.run_id, key=turn.key, reply=turn.reply).exists()


def settle_late_turns(run: Run, late: Mapping[str, CallUnderWay], in_flight: Mapping[str, CallUnderWay]) -> None:
    """Book the calls whose turns a former worker saved after it had lost this run.

    Raises LeaseLost if another worker has the run.
    """
    used = {turn.key: turn.input_tokens + turn.output_tokens for turn in run.turns.filter(key__in=late)}
    unused_tokens = sum(call["tokens"] - used[key] for key, call in late.items())
    if not call_sql.book_on_run(run, Booking(tokens=-unused_tokens), in_flight):
        raise lease.LeaseLost
    run.tokens -= unused_tokens


def refund_call(run: Run, pending: PendingStep, attempts: int, in_flight: Mapping[str, CallUnderWay]) -> None:
    """Refund a call that brought nothing and record its attempts as retries.

    Raises LeaseLost if another worker has the run.
    """
    unused_tokens = pending.used - pending.reserved
    with transaction.atomic():
        booking = Booking(-1, unused_tokens, pending.retries + attempts, charged=pending.charged)
        if not call_sql.book_on_run(run, booking, in_flight):
            raise lease.LeaseLost
        if pending.charged:
            budget.settle_charged_step(run, pending, calls=-1)
    run.calls -= 1
    run.tokens += unused_tokens


def _build_turn(run: Run, pending: PendingStep, answer: StepAnswer) -> Turn:
    step = pending.step
    flags = [*pending.flags, *([Flag.POSSIBLY_BILLED_TWICE] if pending.lost_calls else [])]
    return Turn(
        run=run,
        key=step.key,
        kind=step.kind,
        role=step.role,
        state=answer.state,
        reason=answer.reason or "",
        detail=storable(answer.detail[:500]),
        prompt_digest=step.prompt_digest,
        messages=[_message(message) for message in pending.request.messages],
        reply=storable(answer.reply),
        rejected=[{name: storable(text) for name, text in attempt.items()} for attempt in pending.rejected],
        value=answer.value if answer.state == TurnState.OK else None,
        model=pending.model,
        input_tokens=pending.usage.input_tokens,
        output_tokens=pending.usage.output_tokens,
        thinking_tokens=pending.usage.thinking_tokens,
        cached_tokens=pending.usage.cached_tokens,
        usage_estimated=pending.usage.estimated,
        lost_tokens=pending.lost_tokens,
        seconds=round(pending.seconds, 3),
        calls=pending.calls + pending.lost_calls,
        retries=pending.retries,
        flags=flags,
    )


def _keep_first(run: Run, mine: Turn) -> Turn:
    """Keep the turn that another worker saved first, and add what this worker's call cost."""
    first = Turn.objects.select_for_update().get(run=run, key=mine.key)
    cost = mine.input_tokens + mine.output_tokens + mine.lost_tokens
    first.calls, first.retries = mine.calls, first.retries + mine.retries
    first.lost_tokens = max(0, cost - first.input_tokens - first.output_tokens)
    if Flag.POSSIBLY_BILLED_TWICE not in first.flags:
        first.flags = [*first.flags, Flag.POSSIBLY_BILLED_TWICE]
    first.save(update_fields=["calls", "retries", "lost_tokens", "flags"])
    return first


def _as_saved_turn(turn: Turn) -> SavedTurn:
    return SavedTurn(
        key=turn.key,
        state=TurnState(turn.state),
        value=turn.value,
        reply=turn.reply,
        model=turn.model,
        prompt_digest=turn.prompt_digest,
        flags=tuple(turn.flags),
        reason=turn.reason,
        detail=turn.detail,
    )


def _message(message: Message) -> dict[str, Any]:
    return {"role": message.role, "parts": [_part(part) for part in message.parts]}


def _part(part: Any) -> dict[str, str]:
    if isinstance(part, Picture):
        return {"picture": hashlib.sha256(part.content).hexdigest(), "media_type": part.media_type}
    return {"text": storable(part.text)}


def warnings_of(saved: Mapping[str, SavedTurn], value: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return what whoever reads the outcome should know, under `warnings`; empty if there is nothing.

    The method's own warnings are in its value.
    """
    flags = {flag for turn in saved.values() for flag in turn.flags}
    warnings = sorted({*value.get("warnings", ()), *flags & {Flag.INJECTION_SUSPECTED, Flag.LED_ASTRAY}})
    return {"warnings": warnings} if warnings else {}
