"""Fork runs: a run is a log, so its debate can be judged again without asking every model again.

A fork copies turns at no cost and asks only the others: those of the roles that are named, or those that brought no
usable answer.
"""

from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Any
from uuid import UUID

from django.db import transaction

from runs.control import start
from runs.domain.states import Flag, RunState, TurnState
from runs.execution import turns
from runs.methods.method import LIMIT_KEY, Finish, GiveUp, Limits, SavedTurn, method_named
from runs.models import Run, Turn

_FORKED = (RunState.SUCCEEDED, RunState.REFUSED, RunState.UNREADABLE)
STOPPED = (RunState.REFUSED, RunState.UNREADABLE)
"""The ends at an answer that could not be used."""


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
    """Queue a run like this one in which these models answer for some roles, even where the same models did before.

    Copies all turns up to the first one of these roles, or up to the one whose key is `until`. `options` replaces the
    run's options.

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
    return _queue_fork(run, request, _before(run, set(model_plan), until), enqueue)


def continue_run(run: Run, *, started_by: UUID | None = None, enqueue: bool = True) -> Run | None:
    """Queue a run that goes on where a refused or unreadable one stopped: only what brought no answer is asked again.

    The run itself stays as it is, with what it cost.

    Returns None if the same question is already under way.
    Raises CannotFork for other runs, and if the subject is gone.
    """
    if run.state not in STOPPED:
        raise CannotFork(f"A run that is {run.state} did not stop at an answer.")
    request = start.RunRequest(
        method=run.method,
        project=run.project,
        subject=run.subject,
        model_plan=run.model_plan,
        variant=run.variant,
        repeat=run.repeat,
        options=run.options,
        started_by=started_by,
        limits=Limits(run.call_limit, run.token_limit, run.seconds_limit),
    )
    kept, _asked_again = stop_of(run)
    return _queue_fork(run, request, run.turns.filter(key__in=kept).order_by("id"), enqueue)


def goes_on(run: Run) -> bool:
    """Return whether the run goes on where the one that it was forked from stopped."""
    before = run.forked_from
    return before is not None and before.state in STOPPED and before.variant == run.variant


def first_of(run: Run) -> Run:
    """Return the run that began what this one goes on with, over any number of stops; the run itself if it began it."""
    while run.forked_from is not None and goes_on(run):
        run = run.forked_from
    return run


def judged_run(run: Run) -> Run | None:
    """Return the run whose answers this one judges again. A run that goes on judges what the stopped one judged.

    Returns None if the run asks the whole question itself.
    """
    return first_of(run).forked_from


def stop_of(run: Run) -> tuple[set[str], set[str]]:
    """Return the keys of a stopped run's turns that stay, and of those that are to be asked again.

    Raises CannotFork if the subject is gone.
    """
    method = method_named(run.method)
    case, saved = method.case(run), turns.saved_turns(run)
    if case is None:
        raise CannotFork("The subject of the run is gone.")
    usable: dict[str, SavedTurn] = {}
    last: list[str] = []
    while True:
        steps = method.next_steps(case, usable)
        if isinstance(steps, Finish):
            return set(usable), set()
        if isinstance(steps, GiveUp) and steps.step:
            kept = set(takewhile(steps.step.__ne__, usable))
            return kept, set(usable) - kept
        if isinstance(steps, GiveUp):
            unusable = {key for key in last if saved[key].state != TurnState.OK} or set(last)
            return set(usable) - unusable, unusable
        last = [step.key for step in steps if step.key in saved]
        unusable = {step.key for step in steps if step.key in last and not _is_usable(saved[step.key], step.optional)}
        if not unusable and len(last) < len(steps) and ended_early(saved, usable):
            usable |= {key: saved[key] for key in (*last, LIMIT_KEY)}
            continue
        if unusable or len(last) < len(steps) or not steps:
            return {*usable, *last} - unusable, unusable
        usable |= {key: saved[key] for key in last}


def ended_early(saved: Mapping[str, SavedTurn], usable: Mapping[str, SavedTurn]) -> bool:
    """Return whether the run went to its end early, so that steps without a turn were never asked."""
    return LIMIT_KEY in saved and LIMIT_KEY not in usable


def _is_usable(turn: SavedTurn, optional: bool) -> bool:
    return optional or turn.state == TurnState.OK


def _queue_fork(run: Run, request: start.RunRequest, copied: Iterable[Turn], enqueue: bool) -> Run | None:
    """Queue the requested run with copies of these turns. Returns None if one like it is open."""
    copies = list(copied)
    with transaction.atomic():
        if not start.queue_runs([request], enqueue=enqueue):
            return None
        alike = Run.objects.filter(method=run.method, subject=run.subject, variant=request.variant, repeat=run.repeat)
        forked = alike.latest("id")
        Run.objects.filter(pk=forked.pk).update(forked_from=run)
        Turn.objects.bulk_create(_copied_turn(turn, forked) for turn in copies)
    forked.refresh_from_db()
    return forked


def _before(run: Run, roles: set[str], until: str) -> list[Turn]:
    """Return the run's turns before the first of a role that is asked anew, or before `until`.

    Later turns depend on that answer.
    """
    turns_before = []
    for turn in run.turns.order_by("id"):
        if turn.role in roles or turn.key == until:
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
