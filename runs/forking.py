"""Forking and replaying: a run is a log, so its debate can be judged again without being held again.

A fork takes over the turns of the roles whose model stays, at no cost, and asks only the others. A replay walks
through a run's log without asking anybody, and must come to the same end.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from runs import starting, turns
from runs.domain.states import Flag, RunState
from runs.method import Finish, GiveUp, SavedTurn, method_named
from runs.models import Run, Turn

_FORKED = (RunState.SUCCEEDED, RunState.REFUSED, RunState.UNREADABLE)


class CannotFork(ValueError):
    """A run that is still going on, or ended without an answer; the sentence says so."""


def fork(
    run: Run,
    model_plan: Mapping[str, str],
    *,
    variant: str,
    started_by: UUID | None = None,
    ring: bool = True,
    options: Mapping[str, Any] | None = None,
    until: str = "",
) -> Run | None:
    """Queue a run like this one with other models for some roles; None if the same fork is under way already.

    The turns of all other roles are taken over up to the first that another model is to answer, or up to the one
    whose key is `until`. `options`: those of the new run, where they differ. Raises CannotFork.
    """
    if run.state not in _FORKED:
        raise CannotFork(f"A run that is {run.state} has nothing to go on from.")
    wanted = starting.Wanted(
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
        if not starting.start([wanted], ring=ring):
            return None
        made = Run.objects.filter(method=run.method, subject=run.subject, variant=variant, repeat=run.repeat).latest(
            "id"
        )
        Run.objects.filter(pk=made.pk).update(forked_from=run)
        Turn.objects.bulk_create(_taken_over(turn, made) for turn in _before(run, changed, until))
    made.refresh_from_db()
    return made


def replay(run: Run) -> Mapping[str, Any] | GiveUp | None:
    """What the run's saved turns come to, asked of its method again; None where a turn is missing on the way."""
    method = method_named(run.method)
    case, saved = method.case(run), turns.saved(run)
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
    """The run's turns up to the first of a role that changes, or to `until`: what follows rested on that answer."""
    kept = []
    for turn in run.turns.order_by("id"):
        if turn.role in changed or turn.key == until:
            break
        kept.append(turn)
    return kept


def _taken_over(turn: Turn, made: Run) -> Turn:
    """The turn as one of the new run, which paid nothing for it."""
    return Turn(
        run=made,
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
