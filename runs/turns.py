"""Saving what a step brought: once, in its own short transaction, before anything is done with it."""

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
from runs import calls, leasing, spending
from runs.asking import Answer, Asking
from runs.calls import Booking, Call
from runs.domain.states import Flag, TurnState
from runs.method import SavedTurn
from runs.models import Run, Turn
from runs.statements import Statement, slot

log = logging.getLogger(__name__)

_OF_RUN = Statement(Turn.objects.filter(run_id=slot("run")).order_by("id"))
_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)

Done = TypeVar("Done")


def saved(run: Run) -> dict[str, SavedTurn]:
    """The run's turns so far, by key, as its method sees them."""
    return {turn.key: _seen(turn) for turn in _OF_RUN.rows(run=run.pk)}


class Came(Enum):
    """What came of saving a turn and beginning the next call in one statement."""

    NOTHING = auto()
    SAVED = auto()
    BOTH = auto()


@dataclass(frozen=True)
class Heard:
    """What a step came to, on its way to be saved: its turn, and the conversation that knows what it cost."""

    turn: Turn
    asking: Asking

    @property
    def unused(self) -> int:
        """The tokens that were reserved for it and not used."""
        return self.asking.reserved - self.asking.used

    @property
    def booking(self) -> Booking:
        """What is booked with it."""
        return Booking(0, -self.unused, self.asking.retries, charged=self.asking.charged, progress=True)

    def seen(self) -> SavedTurn:
        """The turn as its method sees it."""
        return _seen(self.turn)


def heard(run: Run, asking: Asking, answer: Answer) -> Heard:
    """What a step came to."""
    return Heard(_turn(run, asking, answer), asking)


def save(run: Run, heard: Heard, in_flight: Mapping[str, Call]) -> SavedTurn:
    """Save the turn and what it cost; raises LeaseLost after the turn is safe.

    If another worker saved this step first, its answer counts, and the turn is noted as possibly billed twice. Who
    lost the lease books nothing: whoever goes on with the run counts the call as lost, or settles it (`settle_late`).
    """

    def already() -> tuple[bool, Turn] | None:
        return (leasing.is_held(run), heard.turn) if _is_saved(heard.turn) else None

    held, turn = _through_faults(run, heard.turn, lambda: _saved(run, heard, in_flight), already)
    if not held:
        raise leasing.LeaseLost
    run.tokens -= heard.unused
    return _seen(turn)


def save_and_begin(run: Run, heard: Heard, following: Asking, tokens: int, in_flight: dict[str, Call]) -> Came:
    """Save the turn and reserve so many tokens for the next call, in one statement where that can be done.

    NOTHING: it cannot be done so, or another worker saved this step first: `save` and `spending.reserve` do one after
    the other. SAVED: the turn is safe, but the run may not go on as it is: `book` it and reserve as usual, which tells
    why not. Most turns but a run's last come this way: it halves the work of the database.
    """
    if connection.vendor != "postgresql" or heard.asking.charged or not spending.may_go_on(run, tokens - heard.unused):
        return Came.NOTHING
    noted = spending.noted(following, in_flight)
    booking = replace(heard.booking, calls=1, tokens=tokens - heard.unused)

    def attempt() -> Came:
        saved, begun = calls.insert_and_begin(heard.turn, run, booking, noted)
        return Came.BOTH if begun else Came.SAVED if saved else Came.NOTHING

    def already() -> Came | None:
        if not _is_saved(heard.turn):
            return None
        row = Run.objects.filter(pk=run.pk, owner=run.owner).values_list("in_flight", flat=True).first()
        return Came.BOTH if row is not None and following.step.key in row else Came.SAVED

    came = _through_faults(run, heard.turn, attempt, already)
    if came is Came.BOTH:
        in_flight.update(noted)
        run.calls += 1
        run.tokens += booking.tokens
    return came


def book(run: Run, heard: Heard, in_flight: Mapping[str, Call]) -> None:
    """Book a turn that is saved; raises LeaseLost."""
    if not calls.book(run, heard.booking, in_flight):
        raise leasing.LeaseLost
    run.tokens -= heard.unused


def _through_faults(run: Run, turn: Turn, attempt: Callable[[], Done], already: Callable[[], Done | None]) -> Done:
    """Try until the database takes it; `already` tells what an attempt did whose end was not heard.

    The answer is paid for: a database that is restarted or locked for a moment must not cost it.
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
                if (done := already()) is not None:
                    return done
    return attempt()


def _saved(run: Run, heard: Heard, in_flight: Mapping[str, Call]) -> tuple[bool, Turn]:
    """Save and book, both or neither: whether the run is still held, and the turn that counts."""
    turn, booking = heard.turn, heard.booking
    if connection.vendor == "postgresql" and not booking.charged:
        saved, held = calls.insert_and_book(turn, run, booking, in_flight)
        if saved:
            return held, turn
    with transaction.atomic():
        saved, held = calls.insert_and_book(turn, run, booking, in_flight)
        if not saved:
            held = calls.book(run, booking, in_flight)
        if held and booking.charged:
            spending.settle(run, heard.asking)
        if held and not saved:
            turn = _twice(run, turn)
    return held, turn


def _is_saved(turn: Turn) -> bool:
    return Turn.objects.filter(run_id=turn.run_id, key=turn.key, reply=turn.reply).exists()


def settle_late(run: Run, late: Mapping[str, Call], in_flight: Mapping[str, Call]) -> None:
    """Book the calls that a former worker still saved after it had lost this run; raises LeaseLost."""
    used = {turn.key: turn.input_tokens + turn.output_tokens for turn in run.turns.filter(key__in=late)}
    less = sum(call["tokens"] - used[key] for key, call in late.items())
    if not calls.book(run, Booking(tokens=-less), in_flight):
        raise leasing.LeaseLost
    run.tokens -= less


def give_up(run: Run, asking: Asking, attempts: int, in_flight: Mapping[str, Call]) -> None:
    """Book a call that brought nothing: it goes back to the budget, its attempts are recorded as retries."""
    unused = asking.used - asking.reserved
    with transaction.atomic():
        booking = Booking(-1, unused, asking.retries + attempts, charged=asking.charged)
        if not calls.book(run, booking, in_flight):
            raise leasing.LeaseLost
        if asking.charged:
            spending.settle(run, asking, calls=-1)
    run.calls -= 1
    run.tokens += unused


def _turn(run: Run, asking: Asking, answer: Answer) -> Turn:
    step = asking.step
    flags = [*asking.flags, *([Flag.POSSIBLY_BILLED_TWICE] if asking.lost_calls else [])]
    return Turn(
        run=run,
        key=step.key,
        kind=step.kind,
        role=step.role,
        state=answer.state,
        reason=answer.reason or "",
        detail=_storable(answer.detail[:500]),
        prompt_digest=step.prompt_digest,
        messages=[_message(message) for message in asking.request.messages],
        reply=_storable(answer.reply),
        rejected=[{name: _storable(text) for name, text in each.items()} for each in asking.rejected],
        value=answer.value if answer.state == TurnState.OK else None,
        model=asking.model,
        input_tokens=asking.usage.input_tokens,
        output_tokens=asking.usage.output_tokens,
        usage_estimated=asking.usage.estimated,
        lost_tokens=asking.lost_tokens,
        seconds=round(asking.seconds, 3),
        calls=asking.calls + asking.lost_calls,
        retries=asking.retries,
        flags=flags,
    )


def _twice(run: Run, mine: Turn) -> Turn:
    """The turn that another worker saved first, with what this one cost beside it."""
    first = Turn.objects.select_for_update().get(run=run, key=mine.key)
    spent = mine.input_tokens + mine.output_tokens + mine.lost_tokens
    first.calls, first.retries = mine.calls, first.retries + mine.retries
    first.lost_tokens = max(0, spent - first.input_tokens - first.output_tokens)
    if Flag.POSSIBLY_BILLED_TWICE not in first.flags:
        first.flags = [*first.flags, Flag.POSSIBLY_BILLED_TWICE]
    first.save(update_fields=["calls", "retries", "lost_tokens", "flags"])
    return first


def _seen(turn: Turn) -> SavedTurn:
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
    return {"text": _storable(part.text)}


def _storable(text: str) -> str:
    """The text without what PostgreSQL refuses: NUL, lone surrogates."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
