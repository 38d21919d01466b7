"""Start methods on items: options, models and limits are checked, then one run an item is enqueued."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from annotation.domain.choices import EventVerb
from annotation.models import Item, Membership, Project, record
from moderation.debates import order_readings
from moderation.domain.task import MOST_REPEATS
from moderation.methods import prompt_choice
from moderation.methods.debate_method import BadChoice, DebateMethod
from moderation.methods.registry import METHODS
from providers import bindings
from providers.roles import ModelRole
from runs.control import fork
from runs.control import start as run_start
from runs.domain.states import OPEN, RunState
from runs.execution import budget
from runs.methods.method import Limits
from runs.models import Run

ANSWERED = (RunState.SUCCEEDED, *fork.STOPPED)
_LIMITS = ("calls", "tokens", "seconds")


class NobodyDescribes(BadChoice):
    """No model describes pictures, but the method judges by words. Posts without a picture do not need one."""


@dataclass(frozen=True)
class DebateRequest:
    """A request for runs: a method, its options, models by role, the number of repeats.

    With several `judges` the debate is held once: the first judge is part of it, the others judge it when it is over.
    Answered questions with these options and models are asked again only with `again`.
    """

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    judges: Sequence[str] = ()
    repeats: int = 1
    again: bool = False
    limits: Mapping[str, int] = field(default_factory=dict)
    """The limits of one run: `calls`, `tokens`, `seconds`; the method's own limits apply if none is given."""


def start_runs(
    project: Project, items: QuerySet[Item], wish: DebateRequest, actor: Membership | None = None, *, ring: bool = True
) -> int:
    """Enqueue the method on these items, as often as requested. Return the number of new runs.

    An open run with the same options and models on an item is not queued twice. Items whose picture no model can
    describe are left out (`count_left_out`).

    Raises BadChoice.
    """
    method = known_method(wish.method)
    options = options_for(project, wish)
    method.check_start(options)
    if not 1 <= wish.repeats <= MOST_REPEATS:
        raise BadChoice(_("Repeats: from 1 to %(most)d.") % {"most": MOST_REPEATS})
    planned, limits = _planned(project, items, wish), _limits(wish)
    variants = [variant_of(options, plan) for plan, _items in planned]
    queued = 0
    with transaction.atomic():
        budget.set_project_limits(project.public_id, calls=project.call_budget, tokens=project.token_budget)
        order_readings.ask_about_items(project, items, ring=ring)
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
            record(
                EventVerb.RUNS_STARTED,
                project=project,
                actor=actor,
                method=method.name,
                runs=queued,
                prompts=options["prompts"],
                prompts_version=options["prompts_version"],
            )
    return queued


def start_on_text(project: Project, post: UUID, wish: DebateRequest, actor: Membership | None = None) -> Run | None:
    """Enqueue the method on a post that is no item (`extensions.pasted_text`).

    Return the run that answers the request: the new one, or an earlier one with the same options and models.
    Raises BadChoice.
    """
    method, options = known_method(wish.method), options_for(project, wish)
    method.check_start(options)
    plan = model_plan_of(project, wish, describes=False)
    variant = variant_of(options, plan)
    same = Run.objects.filter(project=project.public_id, subject=post, method=method.name, variant=variant)
    states = OPEN if wish.again else (*OPEN, *ANSWERED)
    with transaction.atomic():
        if (answer := same.filter(state__in=states).order_by("id").last()) is not None:
            return answer
        budget.set_project_limits(project.public_id, calls=project.call_budget, tokens=project.token_budget)
        order_readings.ask_about_texts(project, [post])
        request = run_start.RunRequest(
            method=method.name,
            project=project.public_id,
            subject=post,
            model_plan=plan,
            variant=variant,
            options=options,
            started_by=actor.public_id if actor else None,
            limits=_limits(wish),
        )
        queued = run_start.queue_runs([request])
        if queued:
            record(EventVerb.RUNS_STARTED, project=project, actor=actor, row=post, method=method.name, runs=queued)
    return same.order_by("id").last()


def count_left_out(project: Project, items: QuerySet[Item], wish: DebateRequest) -> tuple[int, str]:
    """Return how many of these items `start_runs` leaves out because no model can describe their picture, and why.

    Raises BadChoice if the request is impossible for every item.
    """
    try:
        model_plan_of(project, wish)
    except NobodyDescribes as fault:
        pictured = items.exclude(picture=None).count()
        if pictured and pictured == items.count():
            raise
        return (pictured, str(fault)) if pictured else (0, "")
    return 0, ""


def calls_at_most(project: Project, wish: DebateRequest) -> int:
    """Return the most calls of one run of the request, if every answer can be used.

    Raises BadChoice.
    """
    try:
        plan = model_plan_of(project, wish)
    except NobodyDescribes:
        plan = model_plan_of(project, wish, describes=False)
    calls = known_method(wish.method).calls_at_most(options_for(project, wish), plan)
    return min(calls, wish.limits.get("calls", calls))


def runs_answering(project: Project, items: QuerySet[Item], wish: DebateRequest) -> QuerySet[Run]:
    """Return the runs on these items that answer the request, including those of its other judges, oldest first.

    Raises BadChoice.
    """
    method, options = known_method(wish.method), options_for(project, wish)
    judged = [{str(method.judge): name} for name in wish.judges[1:]]
    plans = [{**plan, **judge} for plan, _items in _planned(project, items, wish) for judge in ({}, *judged)]
    return Run.objects.filter(
        project=project.public_id,
        method=wish.method,
        variant__in=[variant_of(options, plan) for plan in plans],
        repeat__lt=wish.repeats,
        subject__in=items.values("public_id"),
    ).order_by("id")


def answer_to(project: Project, items: QuerySet[Item], wish: DebateRequest) -> Run | None:
    """Return the newest run that answers the request or is under way, so that it is not asked again.

    Returns None if there is none.
    Raises BadChoice.
    """
    return runs_answering(project, items, wish).filter(state__in=(*OPEN, *ANSWERED)).last()


def _answered(like: run_start.RunRequest, variants: Sequence[str]) -> QuerySet[Run, Any]:
    """Return the subjects of runs of the same question that are answered or under way, with any of these variants."""
    states = (*OPEN, *ANSWERED)
    same = Run.objects.filter(project=like.project, method=like.method, variant__in=variants, repeat=like.repeat)
    return same.filter(state__in=states).values("subject")


def options_for(project: Project, wish: DebateRequest) -> dict[str, Any]:
    """Return the options of the request as a run of this project stores them, with the prompt set and its version.

    The method may add the project's present settings, such as its perspectives. A run keeps the rules and examples of
    its start, and a run with other rules does not answer the request.

    Raises BadChoice.
    """
    options = prompt_choice.with_prompts(project, checked_options(wish.method, wish.options))
    if "glossary" in options and "glossary" not in wish.options:
        options["glossary"] = project.glossary_for_models
    return known_method(wish.method).complete_options(project, options)


def checked_options(method: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with their defaults, as a run's row stores them.

    Raises BadChoice.
    """
    return known_method(method).checked_options(options)


def variant_of(options: Mapping[str, Any], plan: Mapping[str, str]) -> str:
    """Return a short digest of these options and models; it tells apart runs of one item that differ in either."""
    written = json.dumps([dict(options), dict(plan)], sort_keys=True)
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def known_method(method: str) -> DebateMethod:
    if method not in METHODS:
        raise BadChoice(
            _("There is no method %(name)s; there are %(known)s.") % {"name": method, "known": ", ".join(METHODS)}
        )
    return METHODS[method]


def _planned(
    project: Project, items: QuerySet[Item], wish: DebateRequest
) -> list[tuple[dict[str, str], QuerySet[Item]]]:
    """Return each plan with its items; items without a picture need no model that describes pictures.

    Their questions are the same before and after the site gets such a model.
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

    With `describes` False, the plan has no describer; otherwise only methods and options that need one get it.

    Raises BadChoice.
    Raises NobodyDescribes if only the describer is missing.
    """
    method, chosen = known_method(wish.method), dict(wish.models)
    known = (*method.roles, *method.optional_roles)
    if unknown := sorted(set(chosen) - set(known)):
        raise BadChoice(
            _("%(method)s has no role %(role)s; it has %(known)s.")
            % {"method": method.name, "role": unknown[0], "known": ", ".join(known)}
        )
    if wish.judges:
        if method.judge is None:
            raise BadChoice(_("%(method)s has no judge.") % {"method": method.name})
        chosen[method.judge] = wish.judges[0]
    overrides = {**(project.model_plan if project else {}), **chosen}
    speakers = [role for role in _speakers(method, wish) if role is not ModelRole.DESCRIBER]
    plan = {str(role): usable_model(role, overrides.get(role, "")) for role in speakers}
    optional = {str(role): usable_model(role, overrides.get(role, "")) for role in method.optional_roles}
    plan |= {role: name for role, name in optional.items() if name}
    plan |= method.complete_plan(project, wish.options)
    if describes and ModelRole.DESCRIBER in _speakers(method, wish):
        try:
            plan[ModelRole.DESCRIBER] = usable_model(ModelRole.DESCRIBER, overrides.get(ModelRole.DESCRIBER, ""))
        except BadChoice as fault:
            raise NobodyDescribes(str(fault)) from None
    return plan


def _speakers(method: DebateMethod, wish: DebateRequest) -> list[ModelRole]:
    """Return the roles that are asked. Without `describe` no picture is described, so no model for it is needed."""
    chosen = {name: value for name, value in wish.options.items() if name == "describe"}
    if checked_options(method.name, chosen).get("describe", True):
        return list(method.roles)
    return [role for role in method.roles if role is not ModelRole.DESCRIBER]


def _limits(wish: DebateRequest) -> Limits:
    """Return the limits of each run.

    Raises BadChoice for more than the method's own limits.
    """
    own = known_method(wish.method).protocol.limits
    for name, value in wish.limits.items():
        if name not in _LIMITS:
            sentence = _("There is no limit %(name)s; there are %(known)s.")
            raise BadChoice(sentence % {"name": name, "known": ", ".join(_LIMITS)})
        most = getattr(own, name)
        if not 1 <= value <= most:
            raise BadChoice(_("%(name)s of a run: from 1 to %(most)s.") % {"name": name.capitalize(), "most": most})
    return replace(own, **wish.limits)


def usable_model(role: ModelRole, name: str) -> str:
    """Return the full name of the model for this role; empty for an optional role that none is named for.

    Raises BadChoice if the model cannot be used.
    """
    try:
        binding = bindings.bind_role(role, {role: name} if name else None)
    except bindings.NotConfigured as fault:
        raise BadChoice(str(fault)) from None
    if binding.problem:
        raise BadChoice(binding.problem)
    return binding.name
