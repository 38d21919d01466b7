"""Saving what a step brought: once, in its own short transaction, before anything is done with it."""

import hashlib
import logging
import time
from collections.abc import Mapping
from typing import Any

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
_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, None)


def saved(run: Run) -> dict[str, SavedTurn]:
    """The run's turns so far, by key, as its method sees them."""
    return {turn.key: _seen(turn) for turn in _OF_RUN.rows(run=run.pk)}


def save(run: Run, asking: Asking, answer: Answer, in_flight: Mapping[str, Call]) -> SavedTurn:
    """Save the turn and what it cost; raises LeaseLost after the turn is safe.

    If another worker saved this step first, its answer counts, and the turn is noted as possibly billed twice. Who
    lost the lease books nothing: whoever goes on with the run counts the call as lost, or settles it (`settle_late`).
    """
    turn = _turn(run, asking, answer)
    for pause in _PAUSES:
        try:
            held, turn = _saved(run, asking, turn, in_flight)
            break  # the last pause is None: it raises or ends here
        except (OperationalError, InterfaceError) as fault:
            # The answer is paid for: a database that is restarted or locked for a moment must not cost it.
            if pause is None or connection.in_atomic_block:
                raise
            log.warning("turn %s of run %s waits for the database (%s)", turn.key, run.public_id, type(fault).__name__)
            connection.close()
            time.sleep(pause)
            if _is_saved(turn):  # the fault came after the commit
                held = leasing.is_held(run)
                break
    if not held:
        raise leasing.LeaseLost
    run.tokens += asking.used - asking.reserved
    return _seen(turn)


def _saved(run: Run, asking: Asking, turn: Turn, in_flight: Mapping[str, Call]) -> tuple[bool, Turn]:
    """Save and book, both or neither: whether the run is still held, and the turn that counts."""
    booking = Booking(0, asking.used - asking.reserved, asking.retries, charged=asking.charged, progress=True)
    if connection.vendor == "postgresql" and not asking.charged:
        saved, held = calls.insert_and_book(turn, run, booking, in_flight)
        if saved:
            return held, turn
    with transaction.atomic():
        saved, held = calls.insert_and_book(turn, run, booking, in_flight)
        if not saved:
            held = calls.book(run, booking, in_flight)
        if held and asking.charged:
            spending.settle(run, asking)
        if held and not saved:
            turn = _twice(run, turn)
    return held, turn


def _is_saved(turn: Turn) -> bool:
    try:
        return Turn.objects.filter(run_id=turn.run_id, key=turn.key, reply=turn.reply).exists()
    except (OperationalError, InterfaceError):
        return False


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
