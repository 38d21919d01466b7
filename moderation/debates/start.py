"""Start methods on items, and let other models judge a finished debate again."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from annotation.domain.choices import EventVerb
from annotation.models import Item, Membership, Project, record
from moderation.domain.event_verbs import ModerationVerb
from moderation.methods.debate_method import BadChoice, DebateMethod
from moderation.methods.registry import METHODS
from providers import wiring
from providers.roles import ModelRole
from runs.control import fork
from runs.control import start as run_start
from runs.domain.states import OPEN, RunState
from runs.execution import budget
from runs.methods.method import Limits
from runs.models import Run

MOST_REPEATS = 20
_LIMITS = ("calls", "tokens", "seconds")


class NobodyDescribes(BadChoice):
    """A method that judges by words has no model to describe pictures; posts without a picture need none."""


@dataclass(frozen=True)
class DebateRequest:
    """A request for runs: a method, its options, other models by role, how often.

    With several `judges` the debate is held once: the first judges it at once, the others when it is over. What was
    answered before with these options and models is asked again only with `again`.
    """

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    judges: Sequence[str] = ()
    repeats: int = 1
    again: bool = False
    limits: Mapping[str, int] = field(default_factory=dict)
    """What one run may use at most: `calls`, `tokens`, `seconds`; the method's own where nothing is said."""


def start_runs(
    project: Project, items: QuerySet[Item], wish: DebateRequest, actor: Membership | None = None, *, ring: bool = True
) -> int:
    """Enqueue the method on these items, each as often as requested. Return the number of new runs.

    A run of the same options and models that is under way on an item is not queued twice. Items whose picture nobody
    can describe are left out (`count_left_out`).

    Raises BadChoice.
    """
    method = _known(wish.method)
    options = options_for(project, wish)
    method.check_start(options)
    if not 1 <= wish.repeats <= MOST_REPEATS:
        raise BadChoice(_("Repeats: from 1 to %(most)d.") % {"most": MOST_REPEATS})
    planned, limits = _planned(project, items, wish), _limits(wish)
    variants = [variant_of(options, plan) for plan, _items in planned]
    queued = 0
    with transaction.atomic():
        budget.set_project_limits(project.public_id, calls=project.call_budget, tokens=project.token_budget)
        for repeat, (plan, planned_items) in product(range(wish.repeats), planned):
            like = run_start.RunRequest(
                method=method.name,
                project=project.public_id,
                subject=project.public_id,
                model_plan=plan,
                variant=variant_of(options, plan),
                repeat=repeat,
                options=options,
                started_by=actor.public_id if actor else None,
                limits=limits,
            )
            new_items = planned_items if wish.again else planned_items.exclude(public_id__in=_answered(like, variants))
            queued += run_start.queue_run_per_subject(new_items.values(subject=F("public_id")), like, enqueue=ring)
        if queued:
            record(EventVerb.RUNS_STARTED, project=project, actor=actor, method=method.name, runs=queued)
    return queued


def count_left_out(project: Project, items: QuerySet[Item], wish: DebateRequest) -> tuple[int, str]:
    """Return how many of these items `start_runs` leaves out because nobody can describe their picture, and why.

    Raises BadChoice for what cannot be had for any item.
    """
    try:
        model_plan_of(project, wish)
    except NobodyDescribes as fault:
        pictured = items.exclude(picture=None).count()
        if pictured and pictured == items.count():
            raise
        return (pictured, str(fault)) if pictured else (0, "")
    return 0, ""


def retry_run(run: Run, project: Project, actor: Membership | None = None) -> bool:
    """Enqueue a failed run again from where it stopped. Return False if it has not failed or has a twin under way."""
    with transaction.atomic():
        if not run_start.retry_run(run.public_id):
            return False
        record(ModerationVerb.RUN_RETRIED, project=project, actor=actor, row=run.public_id)
    return True


def judge_run_again(run: Run, judges: Sequence[str], project: Project, actor: Membership | None = None) -> list[Run]:
    """Let other models judge a debate that is over; each costs the judge's call alone. Return the new runs.

    Judges that judge it at the moment are passed over.

    Raises BadChoice, also for a method without a judge and a run that is under way.
    """
    method = _known(run.method)
    if method.judge is None:
        raise BadChoice(_("%(method)s has no judge.") % {"method": run.method})
    forks = []
    for name in judges:
        _check(method.judge, name)
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


def judged_variant(run: Run, judge: str) -> str:
    """Return the variant of the run in which this judge judges the run's debate, whether it exists or not."""
    return variant_of(run.options, {**run.model_plan, str(_known(run.method).judge): judge})


def runs_answering(project: Project, items: QuerySet[Item], wish: DebateRequest) -> QuerySet[Run]:
    """Return the runs on these items that answer the request, those of its further judges too, oldest first.

    Raises BadChoice.
    """
    method, options = _known(wish.method), options_for(project, wish)
    judged = [{str(method.judge): name} for name in wish.judges[1:]]
    plans = [{**plan, **other} for plan, _items in _planned(project, items, wish) for other in ({}, *judged)]
    return Run.objects.filter(
        project=project.public_id,
        method=wish.method,
        variant__in=[variant_of(options, each) for each in plans],
        repeat__lt=wish.repeats,
        subject__in=items.values("public_id"),
    ).order_by("id")


def _answered(like: run_start.RunRequest, variants: Sequence[str]) -> QuerySet[Run, Any]:
    """Return the subjects of runs like this one that are answered or under way, with any of these variants."""
    done = (*OPEN, RunState.SUCCEEDED, RunState.REFUSED, RunState.UNREADABLE)
    same = Run.objects.filter(project=like.project, method=like.method, variant__in=variants, repeat=like.repeat)
    return same.filter(state__in=done).values("subject")


def options_for(project: Project, wish: DebateRequest) -> dict[str, Any]:
    """Return the options of the request as a run of this project keeps them.

    The method may add what the project has now, such as its perspectives: a run goes on with the rules and examples
    it began with, and a run with other rules does not answer the request.

    Raises BadChoice.
    """
    options = checked_options(wish.method, wish.options)
    if "glossary" in options and "glossary" not in wish.options:
        options["glossary"] = project.glossary_for_models
    return _known(wish.method).complete_options(project, options)


def checked_options(method: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with their defaults, as the run's row keeps them. Raises BadChoice."""
    return _known(method).checked_options(options)


def variant_of(options: Mapping[str, Any], plan: Mapping[str, str]) -> str:
    """Return a short digest of these options and models: it separates runs of one item that differ in either."""
    written = json.dumps([dict(options), dict(plan)], sort_keys=True)
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def _known(method: str) -> DebateMethod:
    if method not in METHODS:
        raise BadChoice(
            _("There is no method %(name)s; there are %(known)s.") % {"name": method, "known": ", ".join(METHODS)}
        )
    return METHODS[method]


def _planned(
    project: Project, items: QuerySet[Item], wish: DebateRequest
) -> list[tuple[dict[str, str], QuerySet[Item]]]:
    """Who speaks, and about which of the items: those without a picture need nobody who describes it.

    So they are asked in the same way before and after the site has such a model.
    """
    without = model_plan_of(project, wish, describes=False)
    wordy = items.filter(picture=None)
    try:
        plan = model_plan_of(project, wish)
    except NobodyDescribes:
        if not wordy.exists() and items.exists():
            raise
        return [(without, wordy)]
    return [(plan, items)] if plan == without else [(without, wordy), (plan, items.exclude(picture=None))]


def model_plan_of(project: Project | None, wish: DebateRequest, *, describes: bool = True) -> dict[str, str]:
    """Return the model of each role: the request's, else the project's, else the site's.

    `describes` False plans without a describer; one is planned only for methods and options that need it.

    Raises BadChoice, and NobodyDescribes if nothing but the describer is missing.
    """
    method, chosen = _known(wish.method), dict(wish.models)
    if unknown := sorted(set(chosen) - set(method.roles)):
        raise BadChoice(
            _("%(method)s has no role %(role)s; it has %(known)s.")
            % {"method": method.name, "role": unknown[0], "known": ", ".join(method.roles)}
        )
    if wish.judges:
        if method.judge is None:
            raise BadChoice(_("%(method)s has no judge.") % {"method": method.name})
        chosen[method.judge] = wish.judges[0]
    overrides = {**(project.model_plan if project else {}), **chosen}
    speakers = [role for role in _speakers(method, wish) if role is not ModelRole.DESCRIBER]
    plan = {str(role): _check(role, overrides.get(role, "")) for role in speakers}
    plan |= method.complete_plan(project, wish.options)
    if describes and ModelRole.DESCRIBER in _speakers(method, wish):
        try:
            plan[ModelRole.DESCRIBER] = _check(ModelRole.DESCRIBER, overrides.get(ModelRole.DESCRIBER, ""))
        except BadChoice as fault:
            raise NobodyDescribes(str(fault)) from None
    return plan


def _speakers(method: DebateMethod, wish: DebateRequest) -> list[ModelRole]:
    """Who is asked: nobody describes a picture where that is switched off, so no model that sees any is needed."""
    chosen = {name: value for name, value in wish.options.items() if name == "describe"}
    if checked_options(method.name, chosen).get("describe", True):
        return list(method.roles)
    return [role for role in method.roles if role is not ModelRole.DESCRIBER]


def _limits(wish: DebateRequest) -> Limits:
    """Return what each run may use.

    Raises BadChoice for more than the method's own limits.
    """
    own = _known(wish.method).protocol.limits
    for name, value in wish.limits.items():
        if name not in _LIMITS:
            sentence = _("There is no limit %(name)s; there are %(known)s.")
            raise BadChoice(sentence % {"name": name, "known": ", ".join(_LIMITS)})
        most = getattr(own, name)
        if not 1 <= value <= most:
            raise BadChoice(_("%(name)s of a run: from 1 to %(most)s.") % {"name": name.capitalize(), "most": most})
    return replace(own, **wish.limits)


def _check(role: ModelRole, name: str) -> str:
    """Return the full name of the model for this role.

    Raises BadChoice if it cannot be asked.
    """
    try:
        binding = wiring.bind_role(role, {role: name} if name else None)
    except wiring.NotConfigured as fault:
        raise BadChoice(str(fault)) from None
    if binding.problem:
        raise BadChoice(binding.problem)
    return binding.name
