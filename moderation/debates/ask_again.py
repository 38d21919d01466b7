"""Ask again where a run stopped, and let other models judge a finished debate."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import Membership, Project, record
from moderation.debates.start import ANSWERED, known_method, usable_model, variant_of
from moderation.domain.event_verbs import ModerationVerb
from moderation.methods import prompt_choice
from moderation.methods.built_in_baseline import is_built_in
from moderation.methods.debate_method import BadChoice
from runs.control import fork
from runs.control import start as run_start
from runs.domain.states import RunState
from runs.methods.prompts import BadPrompt
from runs.models import Run


def retry_run(run: Run, project: Project, actor: Membership | None = None, *, ring: bool = True) -> Run | None:
    """Ask again where a run stopped; what was answered stays. Return the run that goes on.

    A failed or cancelled run goes on itself. A refused or unreadable one stays as it is; a new run goes on from there.

    Returns None if the run stopped nowhere, or if the same question is already under way.
    """
    with transaction.atomic():
        if run.state in fork.STOPPED:
            try:
                continued = fork.continue_run(run, started_by=actor.public_id if actor else None, enqueue=ring)
            except (fork.CannotFork, BadPrompt):
                return None
        else:
            continued = run if run_start.retry_run(run.public_id, enqueue=ring) else None
        if continued is None:
            return None
        more: dict[str, Any] = {} if continued == run else {"run": str(continued.public_id)}
        record(ModerationVerb.RUN_RETRIED, project=project, actor=actor, row=run.public_id, **more)
    return continued


def retry_runs(project: Project, runs: QuerySet[Run], states: Sequence[RunState], *, ring: bool = True) -> int:
    """Ask again where these runs stopped in one of these states. Return how many go on.

    Of several runs of one question only the last counts.
    """
    last = {(run.subject, run.variant, run.repeat): run for run in runs.order_by("id")}
    return sum(retry_run(run, project, ring=ring) is not None for run in last.values() if run.state in states)


def judge_run_again(run: Run, judges: Sequence[str], project: Project, actor: Membership | None = None) -> list[Run]:
    """Let models judge a debate, the same judge too; only the judge's call is paid. Return the new runs.

    Judges that are judging it now are skipped.

    Raises BadChoice, also for a method without a judge, for a run that came to no judge, and if its prompts are gone.
    """
    method = known_method(run.method)
    prompt_choice.check_prompts(run.options)
    if method.judge is None:
        raise BadChoice(_("%(method)s has no judge.") % {"method": run.method})
    if not is_open_to_judges(run):
        raise BadChoice(_refusal_of_judges(run))
    forks = []
    for name in judges:
        if not may_judge(run, name):
            raise BadChoice(_("The built-in keyword baseline does not judge a debate between language models."))
        usable_model(method.judge, name)
        try:
            forked = fork.fork_run(
                run,
                {method.judge: name},
                variant=judged_variant(run, name),
                started_by=actor.public_id if actor else None,
            )
        except fork.CannotFork as fault:
            raise BadChoice(str(fault)) from None
        if forked is not None:
            forks.append(forked)
            record(
                ModerationVerb.JUDGED_AGAIN,
                project=project,
                actor=actor,
                row=run.public_id,
                run=str(forked.public_id),
                judge=name,
            )
    return forks


def is_open_to_judges(run: Run) -> bool:
    """Return whether the run has a debate that a judge was asked about."""
    judge = known_method(run.method).judge
    return judge is not None and run.state in ANSWERED and run.turns.filter(role=judge).exists()


def may_judge(run: Run, name: str) -> bool:
    """Return whether this model may judge the run's debate; the keyword baseline judges no real one."""
    return not is_built_in(name) or all(is_built_in(model) for model in run.model_plan.values())


def _refusal_of_judges(run: Run) -> str:
    if run.state not in ANSWERED:
        return f"A run that is {run.state} has nothing to go on from."
    if run.state == RunState.SUCCEEDED:
        return _("A dismissed case had no judge, so there is nothing to judge again.")
    return _("This debate stopped before it came to a judge: ask again from where it stopped.")


def judged_variant(run: Run, judge: str) -> str:
    """Return the variant of the run in which this judge judges the run's debate, even if no such run exists."""
    return variant_of(run.options, {**run.model_plan, str(known_method(run.method).judge): judge})
