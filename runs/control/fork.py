"""Fork and replay runs: a run is a log, so its debate can be judged again without asking every model again.

A fork copies the turns of the roles whose model stays, at no cost, and asks only the others. A replay walks through a
run's log without asking anybody and must reach the same end.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from runs.control import start
from runs.domain.states import Flag, RunState
from runs.execution import turns
from runs.methods.method import Finish, GiveUp, SavedTurn, method_named
from runs.models import Run, Turn

_FORKED = (RunState.SUCCEEDED, RunState.REFUSED, RunState.UNREADABLE)


class CannotFork(ValueError):
    """The run is still open, or ended without an answer; the message says so."""


def fork_run(
    run: Run,
    model_plan: Mapping[str, str],
    *,
    variant: str,
    started_by: UUID | None = None,
    enqueue: bool = True,
    options: Mapping[str, Any] | None = None,
    until: str = "",
) -> Run | None:
    """Queue a run like this one with other models for some roles.

    Copies all turns up to the first one that another model is to answer, or up to the one whose key is `until`.
    `options` replaces the run's options.

    Returns None if the same fork is already open.
    Raises CannotFork if the run is open or ended without an answer.
    """
    if run.state not in _FORKED:
        raise CannotFork(f"A run that is {run.state} has nothing to go on from.")
    request = start.RunRequest(
        method=run.method,
        project=run.project,
        subject=run.subject,
        model_plan={**run.model_plan, **model_plan},
        variant=variant,
        repeat=run.repeat,
        options=run.options if options is None else options,
        started_by=started_by,
    )
    changed = {role for role, name in model_plan.items() if run.model_plan.get(role) != name}
    with transaction.atomic():
        if not start.queue_runs([request], enqueue=enqueue):
            return None
        fork = Run.objects.filter(method=run.method, subject=run.subject, variant=variant, repeat=run.repeat).latest(
            "id"
        )
        Run.objects.filter(pk=fork.pk).update(forked_from=run)
        Turn.objects.bulk_create(_copied_turn(turn, fork) for turn in _before(run, changed, until))
    fork.refresh_from_db()
    return fork


def replay_run(run: Run) -> Mapping[str, Any] | GiveUp | None:
    """Return what the run's method makes of its saved turns.

    Returns None if a turn is missing.
    """
    method = method_named(run.method)
    case, saved = method.case(run), turns.saved_turns(run)
    usable: dict[str, SavedTurn] = {}
    while True:
        steps = method.next_steps(case, usable)
        if isinstance(steps, Finish):
            return steps.value
        if isinstance(steps, GiveUp):
            return steps
        if not steps or any(step.key not in saved or step.key in usable for step in steps):
            return None
        usable |= {step.key: saved[step.key] for step in steps}


def _before(run: Run, changed: set[str], until: str) -> list[Turn]:
    """Return the run's turns before the first of a role that changes, or before `until`.

    Later turns depend on that answer.
    """
    turns_before = []
    for turn in run.turns.order_by("id"):
        if turn.role in changed or turn.key == until:
            break
        turns_before.append(turn)
    return turns_before


def _copied_turn(turn: Turn, fork: Run) -> Turn:
    """Copy the turn into the forked run at zero cost."""
    return Turn(
        run=fork,
        key=turn.key,
        kind=turn.kind,
        role=turn.role,
        state=turn.state,
        reason=turn.reason,
        detail=turn.detail,
        prompt_digest=turn.prompt_digest,
        messages=turn.messages,
        reply=turn.reply,
        rejected=turn.rejected,
        value=turn.value,
        model=turn.model,
        calls=0,
        flags=[*(flag for flag in turn.flags if flag != Flag.TAKEN_OVER), Flag.TAKEN_OVER],
    )
