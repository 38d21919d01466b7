"""Ask models about a post: for the seven explanations, candidates, or scores of a text that a person wrote.

What is asked is fixed here: the version of the explanations, the exemplars, the weights, the models. So a run that is
resumed, or repeated elsewhere, asks the same.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from annotation.domain.choices import EventVerb, Stage
from annotation.domain.masking.mask import Mask, mask
from annotation.domain.text_rules import read_text
from annotation.models import Item, Membership, Project, record
from generation.counterspeech.orders import ask_reader
from generation.domain.counterspeech.exemplars import Nearest, Store
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.options import CounterOptions, ExplainOptions, ScoreOptions, TranslateOptions
from generation.domain.counterspeech.registers import Register
from generation.domain.counterspeech.writers import WriterMode
from generation.methods.counterspeech import candidates
from generation.methods.counterspeech import explain as counterspeech_explain
from generation.methods.counterspeech import score as counterspeech_score
from generation.methods.counterspeech import translate as translate_method
from generation.models import CounterRules, Exchange, Exemplar
from providers import bindings, wiring
from providers.profiles import ModelProfile
from providers.roles import ModelRole
from runs.control import start
from runs.domain.states import OPEN, RunState
from runs.execution import budget
from runs.models import Run

MOST_PASTED = 20_000
_DONE = (*OPEN, RunState.SUCCEEDED)
_ROLES = {
    counterspeech_explain.NAME: counterspeech_explain.ROLES,
    candidates.NAME: candidates.ROLES,
    counterspeech_score.NAME: counterspeech_score.ROLES,
    translate_method.NAME: translate_method.ROLES,
}
METHODS = tuple(_ROLES)


class BadChoice(ValueError):
    """An option, a model or a text that cannot be used; the message says what can."""


@dataclass(frozen=True)
class Asked:
    """The run that answers the request; `new` if it was queued just now."""

    run: Run
    new: bool


def open_on_item(item: Item, actor: Membership | None = None) -> Exchange:
    """Return the item's exchange; it is created if nobody has answered the item yet."""
    exchange, _new = Exchange.objects.get_or_create(item=item, defaults={"project": item.project, "opened_by": actor})
    return exchange


def open_on_text(
    project: Project, text: str, actor: Membership | None = None, masks: Collection[Mask] = ()
) -> Exchange:
    """Return the exchange about a pasted text, masked as imports are; the same text gives the same exchange.

    Raises BadText.
    """
    cleaned = mask(read_text(text, MOST_PASTED), masks, project.telephone_regions())[0]
    exchange = Exchange.objects.filter(project=project, item=None, pasted=cleaned).first()
    return exchange or Exchange.objects.create(project=project, pasted=cleaned, opened_by=actor)


def explain(
    exchange: Exchange,
    actor: Membership | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    again: bool = False,
    ring: bool = True,
) -> Asked:
    """Ask for the seven explanations. Raises BadChoice, also for a model that only answers plainly; BudgetExceeded."""
    named = _model(exchange.project, ModelRole.COUNTER_EXPLAINER)
    if wiring.profile_of(named).plain:
        sentence = _("%(model)s writes replies and explains nothing: name another model in MODEL_COUNTER_EXPLAINER.")
        raise BadChoice(sentence % {"model": named})
    ask_reader(exchange)
    return _ask(
        exchange, counterspeech_explain.NAME, checked(ExplainOptions, options or {}), actor, again=again, ring=ring
    )


def write(
    exchange: Exchange,
    actor: Membership | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    again: bool = False,
    ring: bool = True,
) -> Asked:
    """Ask for candidates. The explanations in force, the exemplars and the project's weights are fixed now.

    How the writer is asked is fixed too: as the option `mode` says, or else as its model's profile does.

    Raises BadChoice, BudgetExceeded.
    """
    wished = dict(options or {})
    wished.setdefault("terms", terms_of(exchange.project))
    profile = wiring.profile_of(_model(exchange.project, ModelRole.COUNTERSPEAKER))
    wished["mode"] = wished.get("mode") or mode_of(profile)
    wished["trained"] = profile.trained
    chosen = CounterOptions.model_validate(checked(CounterOptions, wished))
    ask_reader(exchange)
    if chosen.mode is WriterMode.PLAIN:
        bare = _bare(chosen) | {"at_once": profile.takes_n}
        return _ask(exchange, candidates.NAME, _asked_for(checked(CounterOptions, bare)), actor, again=again, ring=ring)
    newest = exchange.explanations.first()
    if chosen.explanations and chosen.version is None and newest is not None:
        chosen = chosen.model_copy(update={"version": newest.number})
    if chosen.shots and not chosen.exemplars:
        exemplars = {
            intent: exemplars_for(exchange, intent, chosen.shots, chosen.registers) for intent in chosen.intents
        }
        keys = {intent: [row.pk for row, _near in rows] for intent, rows in exemplars.items()}
        chosen = chosen.model_copy(update={"exemplars": keys})
    options_of_run = _asked_for(chosen.model_dump(mode="json"))
    return _ask(exchange, candidates.NAME, options_of_run, actor, again=again, ring=ring)


def mode_of(profile: ModelProfile) -> WriterMode:
    """Return how a model with this profile is asked for candidates unless somebody chooses otherwise."""
    return WriterMode.PLAIN if profile.plain else WriterMode.LIST


def writer_profile(project: Project) -> ModelProfile:
    """Return what the project's writing model takes; the usual profile if no model can be asked."""
    try:
        return wiring.profile_of(_model(project, ModelRole.COUNTERSPEAKER))
    except BadChoice:
        return ModelProfile()


def score(
    exchange: Exchange, text: str, actor: Membership | None = None, *, again: bool = False, ring: bool = True
) -> Asked:
    """Ask the critics about a text; what they said of it before is taken again. Raises BadChoice, BudgetExceeded."""
    options = checked(ScoreOptions, {"text": text, "terms": terms_of(exchange.project)})
    asked = _ask(exchange, counterspeech_score.NAME, options, actor, again=again, ring=ring)
    if asked.run.state == RunState.SUCCEEDED:
        counterspeech_score.keep_scores(exchange, options["text"], asked.run.outcome or {})
    return asked


def translate(
    exchange: Exchange,
    text: str,
    language: str,
    actor: Membership | None = None,
    *,
    again: bool = False,
    ring: bool = True,
) -> Asked:
    """Ask for a post or a reply to it in the reader's language; who has it already is not asked again.

    Raises BadChoice, also where only the built-in baseline or a plain writer could be asked.
    """
    if not translator_of(exchange.project):
        raise BadChoice(_("No model translates here: name one in MODEL_TRANSLATOR."))
    options = checked(TranslateOptions, {"text": text, "language": language})
    return _ask(exchange, translate_method.NAME, options, actor, again=again, ring=ring)


def translator_of(project: Project) -> str:
    """Return the model that can be asked to translate; empty if there is none."""
    try:
        named = _model(project, ModelRole.TRANSLATOR)
    except BadChoice:
        return ""
    can_translate = not named.startswith(f"{bindings.KEYWORD}:") and not wiring.profile_of(named).plain
    return named if can_translate else ""


def translation_run(exchange: Exchange, text: str, language: str) -> Run | None:
    """Return the newest run that translates exactly this text, in any state. Returns None if there is none."""
    runs = Run.objects.filter(method=translate_method.NAME, subject=exchange.public_id)
    return runs.filter(options__language=language, options__text=text).order_by("id").last()


def cancel(exchange: Exchange, actor: Membership) -> int:
    """Stop the models' work on this post after the calls that are already made. Return how many runs were open."""
    runs = Run.objects.filter(project=exchange.project.public_id, subject=exchange.public_id, method__in=METHODS)
    ended = start.cancel_run_queryset(runs)
    if ended:
        record(
            EventVerb.RUN_CANCELLED, project=exchange.project, actor=actor, item=exchange.item, row=exchange.public_id
        )
    return ended


def score_run(exchange: Exchange, text: str) -> Run | None:
    """Return the newest run that scores exactly this text, in any state. Returns None if there is none."""
    if not text:
        return None
    runs = Run.objects.filter(method=counterspeech_score.NAME, subject=exchange.public_id)
    return next((run for run in runs.order_by("-id")[:20] if run.options.get("text") == text), None)


def terms_of(project: Project) -> dict[str, float]:
    """Return the project's weights of the reward; all are 1 if nobody changed them."""
    rules = CounterRules.objects.filter(project=project).first()
    return {"pc": rules.weight_pc, "aq": rules.weight_aq, "t": rules.weight_t} if rules else {"pc": 1, "aq": 1, "t": 1}


def exemplars_for(
    exchange: Exchange, intent: Intent, most: int, registers: Collection[Register] = ()
) -> list[tuple[Exemplar, Nearest]]:
    """Return the rows of the store nearest to this post among those of the intent, best first.

    Where registers are wished and rows of the intent, or of none, have one of them, only those are looked at. Replies
    to this post itself, and to items that were excluded, are left out.
    """
    rows = Exemplar.objects.filter(project=exchange.project).exclude(reply__exchange=exchange)
    kept = rows.exclude(reply__exchange__item__stage=Stage.EXCLUDED).order_by("pk")
    keys = _with_register(kept.filter(intent__in=(intent, "")), registers)
    keys = keys or tuple(kept.filter(intent=intent).values_list("pk", flat=True))
    near = _store(keys).nearest(exchange.hate or exchange.description, most) if keys else []
    exemplars = Exemplar.objects.in_bulk([keys[neighbour.place] for neighbour in near])
    return [(exemplars[keys[neighbour.place]], neighbour) for neighbour in near if keys[neighbour.place] in exemplars]


def _with_register(rows: QuerySet[Exemplar], registers: Collection[Register]) -> tuple[int, ...]:
    """Return the keys of the rows that have one of the registers."""
    if not registers:
        return ()
    wished = set(map(str, registers))
    return tuple(key for key, own in rows.values_list("pk", "registers") if wished.intersection(own))


def models_for(project: Project, method: str) -> dict[str, str]:
    """Return the model for each role of the method in this project, without an optional role that nobody has.

    Raises BadChoice if one cannot be asked.
    """
    named = {str(role): _model(project, role) for role in _ROLES[method]}
    return {role: model for role, model in named.items() if model}


def checked(shape: type[BaseModel], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with their defaults, as the run's row stores them. Raises BadChoice."""
    try:
        return shape.model_validate(dict(options)).model_dump(mode="json")
    except ValidationError as fault:
        error = fault.errors(include_url=False)[0]
        name = ".".join(str(part) for part in error["loc"]) or "?"
        sentence = _("The option %(name)s: %(why)s. There are %(known)s.")
        names = ", ".join(shape.model_fields)
        raise BadChoice(sentence % {"name": name, "why": error["msg"], "known": names}) from None


def _asked_for(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options without registers and platform where nobody chose any: such a question was asked before."""
    return {name: value for name, value in options.items() if value or name not in ("registers", "platform")}


def _bare(chosen: CounterOptions) -> dict[str, Any]:
    """Return the options of a plain writer: it is told neither explanations nor examples, tone, length and language.

    What is not sent is not stored, so that the same question is not asked twice under other names.
    """
    kept = chosen.model_dump(mode="json", include={"intents", "candidates", "temperature", "terms", "mode", "trained"})
    return {**kept, "explanations": False, "shots": 0} | ({"platform": chosen.platform} if chosen.platform else {})


def _ask(
    exchange: Exchange, method: str, options: dict[str, Any], actor: Membership | None, *, again: bool, ring: bool
) -> Asked:
    project, plan = exchange.project, models_for(exchange.project, method)
    written = json.dumps([options, plan], sort_keys=True)
    variant = hashlib.sha256(written.encode()).hexdigest()[:16]
    same = Run.objects.filter(method=method, subject=exchange.public_id, variant=variant).order_by("-id")
    with transaction.atomic():
        existing = same.filter(state__in=OPEN if again else _DONE).first()
        if existing is not None:
            return Asked(existing, new=False)
        budget.set_project_limits(project.public_id, calls=project.call_budget, tokens=project.token_budget)
        request = start.RunRequest(
            method=method,
            project=project.public_id,
            subject=exchange.public_id,
            model_plan=plan,
            variant=variant,
            options=options,
            started_by=actor.public_id if actor else None,
        )
        queued = start.queue_runs([request], enqueue=ring)
        if queued and method != counterspeech_score.NAME:  # scores for the editor are not recorded as an event
            record(EventVerb.RUNS_STARTED, project=project, actor=actor, item=exchange.item, method=method, runs=queued)
        return Asked(same.filter(state__in=OPEN).latest("id"), new=bool(queued))


def _model(project: Project, role: ModelRole) -> str:
    named = project.model_plan.get(role, "")
    if role is ModelRole.COUNTER_EXPLAINER and not (named or settings.MODEL_BINDINGS.get(role.setting)):
        named = project.model_plan.get(ModelRole.COUNTERSPEAKER, "")
    try:
        binding = bindings.bind_role(role, {role: named} if named else None)
    except bindings.NotConfigured as fault:
        raise BadChoice(str(fault)) from None
    if binding.problem:
        raise BadChoice(binding.problem)
    return binding.name


@lru_cache(maxsize=16)
def _store(keys: tuple[int, ...]) -> Store:
    """Return the index over the posts of these rows, which never change."""
    rows = Exemplar.objects.only("hate").in_bulk(keys)
    return Store([rows[key].hate if key in rows else "" for key in keys])
