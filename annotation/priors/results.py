"""Store the outcome of a prior's run: its row, the item's severity and pattern, and the item's next stage."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce, Greatest

from annotation.consensus.case_from_rows import priors_of, seats_of, vote_of
from annotation.domain.choices import EventVerb, Modality, PriorState, Stage
from annotation.domain.patterns import corrected, pattern
from annotation.models import Category, Item, Prior, Project, record
from annotation.priors.informativeness import informativeness_of, priors_in_order
from providers.bindings import Binding, NotConfigured, bind_role
from providers.roles import ModelRole
from runs.domain.states import Flag, RunState
from runs.methods.method import Outcome
from runs.models import Run
from runs.sql.compiled_queries import Changes, CompiledQuery, CompiledUpdate, slot

ROLES = {Modality.TEXT: ModelRole.PRIOR_TEXT, Modality.IMAGE: ModelRole.PRIOR_IMAGE}
LED_ASTRAY = "injection_suspected"
"""The reason of a prior whose answer repeated our instructions: kept for admins, not shown as a judgement."""

_STATE = {
    RunState.SUCCEEDED: PriorState.OK,
    RunState.REFUSED: PriorState.REFUSED,
    RunState.UNREADABLE: PriorState.UNREADABLE,
    RunState.FAILED: PriorState.FAILED,
}
SETTLED = (PriorState.OK, PriorState.REFUSED, PriorState.UNREADABLE)
"""States for which an item goes on. A failed prior can be asked for again, so the item waits for a person's word."""


def items_of_run() -> QuerySet[Item]:
    """Return the queryset, to be compiled, of the item that a run is about; none if it is gone or excluded."""
    subject = slot("subject", Item._meta.get_field("public_id"))
    project = slot("project", Project._meta.get_field("public_id"))
    return Item.objects.filter(public_id=subject, project__public_id=project).exclude(stage=Stage.EXCLUDED)


# The work around one call: what is short and asked for each prior is compiled once.
_LOCKED_ITEM = CompiledQuery(items_of_run().select_for_update(of=("self",)).select_related("project"))
_CATEGORY = CompiledQuery(Category.objects.filter(project=slot("project"), code=slot("code")))
_UPDATE_ITEM = CompiledUpdate(
    Item.objects.filter(pk=slot("item")),
    # The greater of both, where each may be unknown: SQLite's MAX is unknown as soon as one is.
    severity=Greatest(
        *(Coalesce(F("severity"), slot("severity")), Coalesce(slot("severity"), F("severity"))),
        output_field=Item._meta.get_field("severity"),
    ),
    informativeness=slot("informativeness"),
)


def store_prior(run: Run, outcome: Outcome) -> bool:
    """Store a run's prior within the caller's transaction, and release the item if it waits for no other.

    A usable current prior is replaced only by a usable one, and one that came with a file by none.

    Returns False, and stores nothing, if the item is gone or excluded.
    """
    item = _LOCKED_ITEM.first(subject=run.subject, project=run.project)
    if item is None:
        return False
    prior = Prior(item=item, modality=run.variant, run_id=run.public_id, **_fields(run, item, outcome))
    priors = priors_in_order(item)
    earlier = next((old for old in priors if old.current and old.modality == run.variant), None)
    if earlier is not None and _stays(earlier, prior):
        prior.current = False
    elif earlier is not None:
        Prior.objects.filter(pk=earlier.pk).update(current=False)
    changes = Changes()
    changes.insert(prior)
    if prior.state == PriorState.OK:
        value = informativeness_of([*priors, prior])
        severity = prior.severity if prior.current else None
        changes.run(*_UPDATE_ITEM.statement(item=item.pk, severity=severity, informativeness=value))
    changes.send()
    if prior.current and prior.state == PriorState.OK:
        _name_pattern(item)
    release_item(item)
    return True


def release_item(item: Item, *, without_failed: bool = False) -> bool:
    """Move an imported item to ready once every wanted prior is there, in any state but failed.

    `without_failed` releases it without those that failed.
    """
    if item.stage != Stage.IMPORTED:
        return False
    settled = (*SETTLED, PriorState.FAILED) if without_failed else SETTLED
    modalities = set(item.priors.filter(current=True, state__in=settled).values_list("modality", flat=True))
    if wanted_modalities(item) <= modalities and item.move(Stage.IMPORTED, Stage.READY):
        record(EventVerb.READY, project=item.project, item=item)
        return True
    return False


def wanted_modalities(item: Item) -> set[str]:
    """Return the modalities that can have a prior.

    A missing picture has none until it is there, and none can be had while no configured model sees pictures.
    """
    present = {Modality.TEXT: bool(item.text), Modality.IMAGE: item.picture_id is not None}
    if present[Modality.IMAGE] and not prior_model(item.project, Modality.IMAGE).is_language_model:
        present[Modality.IMAGE] = item.priors.filter(modality=Modality.IMAGE, current=True).exists()
    return {modality for modality, is_present in present.items() if is_present}


def prior_model(project: Project, modality: Modality) -> Binding:
    """Return the model that the project calls for this modality, with what is wrong with it, if anything."""
    try:
        return bind_role(ROLES[modality], project.model_plan)
    except NotConfigured as fault:
        return replace(bind_role(ROLES[modality]), problem=str(fault))


def _fields(run: Run, item: Item, outcome: Outcome) -> Mapping[str, Any]:
    origin = {"model": next(iter(run.model_plan.values()), ""), "prompt_digest": outcome.value.get("prompt_digest", "")}
    if outcome.state != RunState.SUCCEEDED:
        return {**origin, "state": _STATE[outcome.state], "reason": outcome.reason or ""}
    value = outcome.value
    category = _CATEGORY.first(project=item.project_id, code=value["category"])
    if Flag.LED_ASTRAY in value["flags"]:
        return {**origin, "state": PriorState.UNREADABLE, "reason": LED_ASTRAY}
    if category is None:  # removed since the question was asked
        return {**origin, "state": PriorState.UNREADABLE, "reason": "invalid_label"}
    return {
        **origin,
        "state": PriorState.OK,
        "category": category,
        "hateful": category.hateful,
        "explanation": value["explanation"],
        "severity": value["severity"],
    }


def _stays(earlier: Prior, new: Prior) -> bool:
    return earlier.state == PriorState.OK and (earlier.run_id is None or new.state != PriorState.OK)


def _name_pattern(item: Item) -> None:
    """Store the pattern of gold that had none, now that it has another prior."""
    if item.stage != Stage.GOLD or item.pattern is not None:
        return
    votes = [vote_of(seat.label) for seat in seats_of(item) if seat.label is not None]
    priors = priors_of(item.priors.filter(current=True).select_related("category"))
    if bits := pattern(corrected(priors, votes), item.hateful):
        Item.objects.filter(pk=item.pk).update(pattern=bits.code, difficulty=bits.difficulty)
