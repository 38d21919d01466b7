"""Starting methods on items, judging a debate again, and what came of it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from annotation.models import Item, Membership, Project, record
from moderation import documents, perspectives
from moderation.domain.baselines import BaselineOptions, ExplainOptions
from moderation.domain.court import CourtOptions
from moderation.domain.investigation.actions import InvestigationOptions, Retrieval
from moderation.domain.predict.debate import PredictOptions
from moderation.methods import antihateagent, arcade, baseline, explain, predict
from providers import wiring, wiring_web
from providers.reaching import SEARCHER
from providers.roles import ModelRole
from providers.searching import LOCAL
from runs import forking, spending, starting
from runs.domain.states import OPEN, RunState
from runs.method import Limits, method_named
from runs.models import Run

MOST_REPEATS = 20
_LIMITS = ("calls", "tokens", "seconds")


class BadChoice(ValueError):
    """An option, a model or a number that is not to be had; the sentence says what is."""


class NobodyDescribes(BadChoice):
    """Pictures cannot be put into words for a method that judges by words; posts without one need nobody for it."""


@dataclass(frozen=True)
class Known:
    """A method that can be started: who speaks in it, who judges, and what may be chosen."""

    name: str
    roles: Sequence[ModelRole]
    options: type[BaseModel]
    judge: ModelRole | None = None


METHODS: Mapping[str, Known] = {
    known.name: known
    for known in (
        Known(baseline.NAME, baseline.ROLES, BaselineOptions),
        Known(explain.NAME, explain.ROLES, ExplainOptions),
        Known(arcade.NAME, arcade.ROLES, CourtOptions, judge=ModelRole.JUDGE),
        Known(predict.NAME, predict.ROLES, PredictOptions, judge=ModelRole.DEBATE_JUDGE),
        Known(antihateagent.NAME, antihateagent.ROLES, InvestigationOptions),
    )
}


@dataclass(frozen=True)
class Wish:
    """What somebody wants: a method, its options, other models by role, how often.

    With several `judges` the debate is held once; the first judges it, and the others when it is over. What was
    answered before, with these options and models, is not asked again but with `again`.
    """

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    judges: Sequence[str] = ()
    repeats: int = 1
    again: bool = False
    limits: Mapping[str, int] = field(default_factory=dict)
    """What one run may use at most: `calls`, `tokens`, `seconds`; the method's own where nothing is said."""


def start(
    project: Project, items: QuerySet[Item], wish: Wish, actor: Membership | None = None, *, ring: bool = True
) -> int:
    """Queue the method on these items, each as often as wished; answers how many runs are new.

    A run of the same options and models that is under way on an item is not queued twice. Items whose picture nobody
    can describe are left out (`left_out`). Raises BadChoice.
    """
    known = _known(wish.method)
    options = options_for(project, wish)
    if options.get("struck"):
        raise BadChoice(_("Evidence is struck on its own page."))
    if not 1 <= wish.repeats <= MOST_REPEATS:
        raise BadChoice(_("Repeats: from 1 to %(most)d.") % {"most": MOST_REPEATS})
    if options.get("retrieval") == Retrieval.MODEL_URLS:
        raise BadChoice(_("Pages that a model names from memory are for evaluations only."))
    planned, limits = _planned(project, items, wish), _limits(wish)
    variants = [variant_of(options, plan) for plan, _items in planned]
    queued = 0
    with transaction.atomic():
        spending.allow(project.public_id, calls=project.call_budget, tokens=project.token_budget)
        for repeat, (plan, asked) in product(range(wish.repeats), planned):
            like = starting.Wanted(
                method=known.name,
                project=project.public_id,
                subject=project.public_id,
                model_plan=plan,
                variant=variant_of(options, plan),
                repeat=repeat,
                options=options,
                started_by=actor.public_id if actor else None,
                limits=limits,
            )
            wanted = asked if wish.again else asked.exclude(public_id__in=_answered(like, variants))
            queued += starting.start_for_each(wanted.values(subject=F("public_id")), like, ring=ring)
        if queued:
            record("runs_started", project=project, actor=actor, method=known.name, runs=queued)
    return queued


def left_out(project: Project, items: QuerySet[Item], wish: Wish) -> tuple[int, str]:
    """How many of these items `start` passes over, and why: they have a picture, which nobody can put into words.

    Raises BadChoice for what cannot be had for any item.
    """
    try:
        plan_of(project, wish)
    except NobodyDescribes as fault:
        pictured = items.exclude(picture=None).count()
        if pictured and pictured == items.count():
            raise
        return (pictured, str(fault)) if pictured else (0, "")
    return 0, ""


def retry(run: Run, project: Project, actor: Membership | None = None) -> bool:
    """Queue a run that failed once more, from where it stopped; False if it has not, or one like it is under way."""
    with transaction.atomic():
        if not starting.retry(run.public_id):
            return False
        record("run_retried", project=project, actor=actor, row=run.public_id)
    return True


def judge_again(run: Run, judges: Sequence[str], project: Project, actor: Membership | None = None) -> list[Run]:
    """Let other models judge a debate that is over; each costs the judge's call alone.

    Judges that have it before them at the moment are passed over. Raises BadChoice, also for a method without a judge
    and a run that is still going on.
    """
    known = _known(run.method)
    if known.judge is None:
        raise BadChoice(_("%(method)s has no judge.") % {"method": run.method})
    made = []
    for name in judges:
        _check(known.judge, name)
        try:
            forked = forking.fork(
                run,
                {known.judge: name},
                variant=judged_variant(run, name),
                started_by=actor.public_id if actor else None,
            )
        except forking.CannotFork as fault:
            raise BadChoice(str(fault)) from None
        if forked is not None:
            made.append(forked)
            record(
                "judged_again", project=project, actor=actor, row=run.public_id, run=str(forked.public_id), judge=name
            )
    return made


def judged_variant(run: Run, judge: str) -> str:
    """The variant of the run that this judge's verdict on the run's debate is or would be."""
    return variant_of(run.options, {**run.model_plan, str(_known(run.method).judge): judge})


def runs_of(project: Project, items: QuerySet[Item], wish: Wish) -> QuerySet[Run]:
    """The runs on these items that answer the wish, those of its further judges too, oldest first. Raises BadChoice."""
    known, options = _known(wish.method), options_for(project, wish)
    judged = [{str(known.judge): name} for name in wish.judges[1:]]
    plans = [{**plan, **other} for plan, _items in _planned(project, items, wish) for other in ({}, *judged)]
    return Run.objects.filter(
        project=project.public_id,
        method=wish.method,
        variant__in=[variant_of(options, each) for each in plans],
        repeat__lt=wish.repeats,
        subject__in=items.values("public_id"),
    ).order_by("id")


def _answered(like: starting.Wanted, variants: Sequence[str]) -> QuerySet[Run, Any]:
    """The subjects of runs like this one, with or without somebody who describes, that are answered or under way."""
    done = (*OPEN, RunState.SUCCEEDED, RunState.REFUSED, RunState.UNREADABLE)
    same = Run.objects.filter(project=like.project, method=like.method, variant__in=variants, repeat=like.repeat)
    return same.filter(state__in=done).values("subject")


def options_for(project: Project, wish: Wish) -> dict[str, Any]:
    """The options of the wish as a run of this project keeps them: perspectives stand in them as they are now.

    A run goes on with the rules and examples that it began with, and one that was asked by other rules does not answer
    the wish. Raises BadChoice.
    """
    options = checked_options(wish.method, wish.options)
    if "glossary" in options and "glossary" not in wish.options:
        options["glossary"] = project.glossary_for_models
    if wish.method != predict.NAME:
        return options
    chosen = perspectives.values_of(project)
    if not chosen:
        raise BadChoice(_("All perspectives of the project are switched off."))
    left = [each for each in chosen if each.code != options["without"]]
    if options["without"] and len(left) == len(chosen):
        known = ", ".join(each.code for each in chosen)
        raise BadChoice(
            _("There is no perspective %(code)s to leave out; there are %(known)s.")
            % {"code": options["without"], "known": known}
        )
    if not left:
        raise BadChoice(_("Without %(code)s no perspective is left.") % {"code": options["without"]})
    return options | {"perspectives": [each.model_dump(mode="json") for each in chosen]}


def checked_options(method: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with their defaults, as the run's row keeps them. Raises BadChoice."""
    shape = _known(method).options
    try:
        return shape.model_validate(dict(options)).model_dump(mode="json")
    except ValidationError as fault:
        error = fault.errors(include_url=False)[0]
        name = ".".join(str(part) for part in error["loc"])
        known = ", ".join(shape.model_fields)
        said = _("The option %(name)s: %(why)s. There are %(known)s.")
        raise BadChoice(said % {"name": name or "?", "why": error["msg"], "known": known}) from None


def variant_of(options: Mapping[str, Any], plan: Mapping[str, str]) -> str:
    """A short name for these options and models: runs of one item that differ in either are told apart by it."""
    written = json.dumps([dict(options), dict(plan)], sort_keys=True)
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def _known(method: str) -> Known:
    if method not in METHODS:
        raise BadChoice(
            _("There is no method %(name)s; there are %(known)s.") % {"name": method, "known": ", ".join(METHODS)}
        )
    return METHODS[method]


def _planned(project: Project, items: QuerySet[Item], wish: Wish) -> list[tuple[dict[str, str], QuerySet[Item]]]:
    """Who speaks, and about which of the items: those without a picture need nobody who describes it.

    So they are asked in the same way before and after the site has such a model.
    """
    without = plan_of(project, wish, describes=False)
    wordy = items.filter(picture=None)
    try:
        plan = plan_of(project, wish)
    except NobodyDescribes:
        if not wordy.exists() and items.exists():
            raise
        return [(without, wordy)]
    return [(plan, items)] if plan == without else [(without, wordy), (plan, items.exclude(picture=None))]


def plan_of(project: Project | None, wish: Wish, *, describes: bool = True) -> dict[str, str]:
    """The model of each role: the wish's, else the project's, else the site's; a describer only where one is wanted.

    Raises BadChoice, and NobodyDescribes where nothing but the describer is missing.
    """
    known, chosen = _known(wish.method), dict(wish.models)
    if unknown := sorted(set(chosen) - set(known.roles)):
        raise BadChoice(
            _("%(method)s has no role %(role)s; it has %(known)s.")
            % {"method": known.name, "role": unknown[0], "known": ", ".join(known.roles)}
        )
    if wish.judges:
        if known.judge is None:
            raise BadChoice(_("%(method)s has no judge.") % {"method": known.name})
        chosen[known.judge] = wish.judges[0]
    overrides = {**(project.model_plan if project else {}), **chosen}
    speakers = [role for role in _speakers(known, wish) if role is not ModelRole.DESCRIBER]
    plan = {str(role): _check(role, overrides.get(role, "")) for role in speakers} | _searcher(project, known, wish)
    if describes and ModelRole.DESCRIBER in _speakers(known, wish):
        try:
            plan[ModelRole.DESCRIBER] = _check(ModelRole.DESCRIBER, overrides.get(ModelRole.DESCRIBER, ""))
        except BadChoice as fault:
            raise NobodyDescribes(str(fault)) from None
    return plan


def _speakers(known: Known, wish: Wish) -> list[ModelRole]:
    """Who is asked: nobody describes a picture where that is switched off, so no model that sees any is needed."""
    chosen = {name: value for name, value in wish.options.items() if name == "describe"}
    if checked_options(known.name, chosen).get("describe", True):
        return list(known.roles)
    return [role for role in known.roles if role is not ModelRole.DESCRIBER]


def _searcher(project: Project | None, known: Known, wish: Wish) -> dict[str, str]:
    """What an investigation searches with. Raises BadChoice where nothing could be found."""
    if known.name != antihateagent.NAME:
        return {}
    options = InvestigationOptions.model_validate(checked_options(known.name, wish.options))
    if options.retrieval is not Retrieval.SEARCH:
        return {}
    engine: str = options.engine or next(
        (each for each in wiring_web.engines() if each != LOCAL or _has_documents(project)), LOCAL
    )
    if engine not in wiring_web.engines():
        raise BadChoice(_("The search engine %(name)s is not set up on this site.") % {"name": engine})
    if engine == LOCAL and not _has_documents(project):
        raise BadChoice(
            _("There is nothing to search: no search engine is set up on this site, and the project has no documents.")
            if wiring_web.engines() == [LOCAL]
            else _("There is nothing to search: the project has no documents.")
        )
    return {SEARCHER: f"{engine}:{'documents' if engine == LOCAL else 'web'}"}


def _has_documents(project: Project | None) -> bool:
    return project is not None and not documents.is_empty(project.public_id)


def _limits(wish: Wish) -> Limits:
    """What each run may use. Raises BadChoice for more than the method's own limits, which are there for a reason."""
    own = method_named(wish.method).limits
    for name, value in wish.limits.items():
        if name not in _LIMITS:
            said = _("There is no limit %(name)s; there are %(known)s.")
            raise BadChoice(said % {"name": name, "known": ", ".join(_LIMITS)})
        most = getattr(own, name)
        if not 1 <= value <= most:
            raise BadChoice(_("%(name)s of a run: from 1 to %(most)s.") % {"name": name.capitalize(), "most": most})
    return replace(own, **wish.limits)


def _check(role: ModelRole, name: str) -> str:
    """The full name of the model for this role. Raises BadChoice where it cannot be asked."""
    try:
        binding = wiring.bind(role, {role: name} if name else None)
    except wiring.NotConfigured as fault:
        raise BadChoice(str(fault)) from None
    if binding.problem:
        raise BadChoice(binding.problem)
    return binding.name
