"""A run walked through once more: what its method makes of the saved turns, without asking anybody."""

from collections.abc import Mapping
from typing import Any

from runs.control.fork import ended_early
from runs.execution import turns
from runs.methods.method import LIMIT_KEY, Finish, GiveUp, SavedTurn, method_named
from runs.models import Run


def replay_run(run: Run) -> Mapping[str, Any] | GiveUp | None:
    """Return how the run ends, or None if a turn is missing."""
    method = method_named(run.method)
    case, saved = method.case(run), turns.saved_turns(run)
    usable: dict[str, SavedTurn] = {}
    while True:
        steps = method.next_steps(case, usable)
        if isinstance(steps, Finish):
            return steps.value
        if isinstance(steps, GiveUp):
            return steps
        if any(step.key not in saved for step in steps) and ended_early(saved, usable):
            usable |= {key: saved[key] for key in (*(step.key for step in steps if step.key in saved), LIMIT_KEY)}
            continue
        if not steps or any(step.key not in saved or step.key in usable for step in steps):
            return None
        usable |= {step.key: saved[step.key] for step in steps}
