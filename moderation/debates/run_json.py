"""A run in the form of the command and the API."""

from collections.abc import Iterable
from typing import Any

from runs.models import Run, Turn


def run_as_json(run: Run, external_id: str | None, turns: Iterable[Turn]) -> dict[str, Any]:
    """`{item, run, state, reason_code, hateful, category, reason, calls, turns}`; nulls while it is open."""
    outcome = run.outcome or {}
    return {
        "item": external_id,
        "run": str(run.public_id),
        "state": run.state,
        "reason_code": run.reason or None,
        "hateful": outcome.get("hateful"),
        "category": outcome.get("category"),
        "reason": outcome.get("reason"),
        "calls": run.calls,
        "turns": [{"key": turn.key, "role": turn.role, "parsed": turn.value} for turn in turns],
    }
