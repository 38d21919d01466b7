"""A run as JSON values, for the command and the API."""

from collections.abc import Iterable, Sequence
from typing import Any

from moderation.debates.waiting import seconds_of_work, wait_of
from runs.domain.states import OPEN
from runs.models import Run, Turn
from runs.queue.provider_pauses import PauseInForce


def run_as_json(
    run: Run, external_id: str | None, turns: Iterable[Turn], pauses: Sequence[PauseInForce] | None = None
) -> dict[str, Any]:
    """Return the run with its verdict, what it cost, its prompt set and its turns.

    Unknown values are None. `waits` says what an open run waits for: `{for, until, detail, of}`;
    `pauses` are those in force, if they are known already. `warnings` holds `injection_suspected` if something that the
    models read looks like an order to them, and `led_astray` if an answer repeats our own instructions.
    """
    wait = wait_of(run, pauses) if run.state in OPEN else None
    outcome = run.outcome or {}
    return {
        "item": external_id,
        "run": str(run.public_id),
        "state": run.state,
        "reason_code": run.reason or None,
        "hateful": outcome.get("hateful"),
        "category": outcome.get("category"),
        "reason": outcome.get("reason"),
        "warnings": outcome.get("warnings", []),
        "calls": run.calls,
        "prompts": run.options.get("prompts"),
        "prompts_version": run.options.get("prompts_version"),
        "seconds": round(seconds_of_work(run), 1),
        "waits": wait.as_json() if wait else None,
        "turns": [{"key": turn.key, "role": turn.role, "parsed": turn.value} for turn in turns],
    }
