"""Request priors of one item or a whole project, show their progress, request them again, cancel.

Each prior is a run (`annotation.priors.method`); requesting twice what is in progress changes nothing, so a batch that
was cut off is resumed by requesting the rest.
"""

import time
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

from django.core.cache import cache
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.core.transactions import short_transaction
from annotation.domain.choices import UNUSABLE_PRIORS, EventVerb, Modality, PriorState, Stage
from annotation.models import Item, Membership, Prior, Project, record
from annotation.priors import method, results
from runs.control import start
from runs.execution import budget as run_budget
from runs.models import Run
from runs.queue import progress as run_progress
from runs.queue import provider_pauses

KEY = "run_id"
"""The public id by which an unusable prior is found in its list: such a prior has a run."""
_SLOW, _KEPT_TIMES = 0.2, 10
"""Progress that took so many seconds to count is kept for so many times as long: a page asks every other second."""
_HAS_IT = {Modality.TEXT: ~Q(item__text=""), Modality.IMAGE: Q(item__picture__isnull=False)}


@dataclass(frozen=True)
class RequestedPriors:
    """How many priors are asked for now, and in sentences what stands in the way of others."""

    queued: int
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class PriorProgress:
    """Progress of a project's priors. `missing`: not requested, or cancelled."""

    done: int
    refused: int
    unreadable: int
    failed: int
    imported: int
    missing: int
    waits_for_failed: int
    progress: run_progress.MethodProgress
    spend: run_progress.RunSpending
    budget: run_progress.RunSpending
    pauses: tuple[provider_pauses.PauseInForce, ...]

    @property
    def settled(self) -> int:
        """Priors that models were asked for and are settled."""
        return self.done + self.refused + self.unreadable + self.failed

    @property
    def total(self) -> int:
        """All priors that can be had from models."""
        return self.settled + self.missing

    @property
    def share(self) -> float:
        """The settled part of the total, 0 to 100."""
        return 100 * self.settled / self.total if self.total else 100.0


def request_missing(project: Project, actor: Membership | None = None, *, ring: bool = True) -> RequestedPriors:
    """Request every prior that the project's items lack; without `ring` no message is sent to a worker."""
    return _request(project, actor, {modality: items_missing_prior(project, modality) for modality in Modality}, ring)


def request_again(
    project: Project, states: Collection[PriorState], actor: Membership | None = None, *, ring: bool = True
) -> RequestedPriors:
    """Request again the priors in these states (see UNUSABLE_PRIORS)."""
    states = [state for state in states if state in UNUSABLE_PRIORS]
    by_modality = {modality: _with_prior(project, modality, Q(state__in=states)) for modality in Modality}
    return _request(project, actor, by_modality, ring)


def request_missing_of(project: Project, items: QuerySet[Item], actor: Membership | None = None) -> int:
    """Request every prior that these items of the project lack; return how many of the items lack one.

    Only modalities that some model can be asked about are requested.
    """
    lacking = {
        modality: items_missing_prior(project, modality).filter(pk__in=items.order_by().values("pk"))
        for modality in _askable(project)
    }
    keys = {key for rows in lacking.values() for key in rows.values_list("pk", flat=True)}
    if keys:
        _request(project, actor, {modality: lacking.get(modality, Item.objects.none()) for modality in Modality})
    return len(keys)


def request_for_item(item: Item, actor: Membership | None = None) -> RequestedPriors:
    """Request the priors of one item, also where it has some."""
    this_item = _items(item.project).filter(pk=item.pk)
    return _request(item.project, actor, {modality: _with_content(this_item, modality) for modality in Modality})


def cancel_prior_requests(project: Project, actor: Membership | None = None) -> int:
    """Cancel the project's prior runs; return how many. Stored priors stay, and the rest can be requested later."""
    with transaction.atomic():
        ended = start.cancel_run_queryset(Run.objects.filter(project=project.public_id, method=method.NAME))
        if ended:
            record(EventVerb.PRIORS_CANCELLED, project=project, actor=actor, runs=ended)
            _count_anew(project)
    return ended


def release_items_without_failed_priors(project: Project, actor: Membership | None = None) -> int:
    """Release imported items whose priors failed; they stay without. Return how many were released."""
    waiting = _items(project).filter(stage=Stage.IMPORTED, priors__current=True, priors__state=PriorState.FAILED)
    moved = sum(
        results.release_item(item, without_failed=True) for item in waiting.select_related("project").distinct()
    )
    if moved:
        record(EventVerb.PRIORS_GIVEN_UP, project=project, actor=actor, items=moved)
        _count_anew(project)
    return moved


def release_waiting_items(project: Project, actor: Membership | None = None) -> int:
    """Release all imported items with the priors they have; return how many. The project requests none any more."""
    with transaction.atomic():
        waiting = Item.objects.filter(project=project, stage=Stage.IMPORTED)
        moved = waiting.update(stage=Stage.READY, version=F("version") + 1)
        if moved:
            record(EventVerb.PRIORS_GIVEN_UP, project=project, actor=actor, items=moved)
            _count_anew(project)
    return moved


def read_prior_progress(project: Project) -> PriorProgress:
    """Return the progress of the project's priors, their cost, and what holds them up."""
    priors = Prior.objects.filter(item__project=project, current=True).exclude(item__stage=Stage.EXCLUDED)
    counts = priors.aggregate(
        imported=Count("pk", filter=Q(run_id=None)),
        **{state: Count("pk", filter=Q(run_id__isnull=False, state=state)) for state in PriorState},
        **{f"with_{modality}": Count("pk", filter=Q(modality=modality) & _HAS_IT[modality]) for modality in Modality},
    )
    waiting = _items(project).filter(stage=Stage.IMPORTED, priors__current=True, priors__state=PriorState.FAILED)
    return PriorProgress(
        done=counts[PriorState.OK],
        refused=counts[PriorState.REFUSED],
        unreadable=counts[PriorState.UNREADABLE],
        failed=counts[PriorState.FAILED],
        imported=counts["imported"],
        # The difference, not a search for what is not there: this is asked every other second.
        missing=sum(
            _with_content(_items(project), modality).count() - counts[f"with_{modality}"]
            for modality in _askable(project)
        ),
        waits_for_failed=waiting.distinct().count(),
        progress=run_progress.method_progress(project.public_id, method.NAME),
        spend=run_progress.method_spending(project.public_id, method.NAME),
        budget=run_progress.project_spending(project.public_id),
        pauses=tuple(provider_pauses.pauses_in_force()),
    )


def recent_prior_progress(project: Project) -> PriorProgress:
    """Return the progress as it was counted last, where that took long and nobody has asked or cancelled since."""
    key = _kept_key(project)
    kept: PriorProgress | None = cache.get(key)
    if kept is not None:
        return kept
    began = time.monotonic()
    counted = read_prior_progress(project)
    took = time.monotonic() - began
    if took > _SLOW:
        cache.set(key, counted, timeout=_KEPT_TIMES * took)
    return counted


def _kept_key(project: Project) -> str:
    return f"prior-progress:{project.public_id}"


def _count_anew(project: Project) -> None:
    """Have the progress counted when somebody looks next: what was kept is not true any more."""
    transaction.on_commit(partial(cache.delete, _kept_key(project)), robust=True)


def unusable_priors(project: Project) -> QuerySet[Prior]:
    """Return the current priors that are refused, unreadable or failed; newest first."""
    return (
        Prior.objects.filter(item__project=project, current=True, state__in=UNUSABLE_PRIORS)
        .exclude(item__stage=Stage.EXCLUDED)
        .select_related("item")
        .order_by("-id")
    )


def request_problems(project: Project) -> tuple[str, ...]:
    """Return what hinders asking, in sentences: a model that cannot be asked, pictures that no model sees.

    Nothing is said about pictures in a project without any.
    """
    return tuple(
        sentence
        for modality in Modality
        if (sentence := _problem(project, modality))
        and (modality == Modality.TEXT or _with_content(_items(project), modality).exists())
    )


def items_missing_prior(project: Project, modality: Modality) -> QuerySet[Item]:
    """Return the items that have this modality and no current prior of it."""
    return _with_content(_items(project), modality).filter(~Exists(_current(modality)))


def _request(
    project: Project, actor: Membership | None, items: dict[Modality, QuerySet[Item]], ring: bool = True
) -> RequestedPriors:
    askable = _askable(project)
    queued = _queued(project, actor, {modality: items[modality] for modality in askable}, ring)
    hindered = tuple(
        sentence
        for modality in Modality
        if modality not in askable and items[modality].exists() and (sentence := _problem(project, modality))
    )
    return RequestedPriors(queued, hindered)


@short_transaction  # workers end runs of the same items meanwhile: one of two may have to be tried again
def _queued(project: Project, actor: Membership | None, items: dict[Modality, QuerySet[Item]], ring: bool) -> int:
    run_budget.set_project_limits(project.public_id, calls=project.call_budget, tokens=project.token_budget)
    queued = sum(
        start.queue_run_per_subject(rows.values(subject=F("public_id")), _run(project, actor, modality), enqueue=ring)
        for modality, rows in items.items()
    )
    if queued:
        record(EventVerb.PRIORS_REQUESTED, project=project, actor=actor, runs=queued)
        _count_anew(project)
    return queued


def _run(project: Project, actor: Membership | None, modality: Modality) -> start.RunRequest:
    return start.RunRequest(
        method=method.NAME,
        project=project.public_id,
        subject=project.public_id,
        model_plan={str(results.ROLES[modality]): results.prior_model(project, modality).name},
        variant=modality,
        started_by=actor.public_id if actor else None,
    )


def _askable(project: Project) -> tuple[Modality, ...]:
    return tuple(modality for modality in Modality if _can_be_asked(project, modality))


def _can_be_asked(project: Project, modality: Modality) -> bool:
    binding = results.prior_model(project, modality)
    if not binding.is_language_model:
        return modality == Modality.TEXT
    return not binding.problem


def _problem(project: Project, modality: Modality) -> str:
    """Why this modality cannot be asked about, or is asked of the built-in baseline against somebody's wish."""
    binding = results.prior_model(project, modality)
    if binding.problem:
        return binding.problem
    if not binding.is_language_model and modality == Modality.IMAGE:
        return _("No model is set up that sees pictures: set MODEL_VISION. Priors are computed for texts only.")
    return ""


def _items(project: Project) -> QuerySet[Item]:
    return Item.objects.filter(project=project).exclude(stage=Stage.EXCLUDED)


def _with_content(items: QuerySet[Item], modality: Modality) -> QuerySet[Item]:
    return items.exclude(text="") if modality == Modality.TEXT else items.filter(picture__isnull=False)


def _with_prior(project: Project, modality: Modality, which: Q) -> QuerySet[Item]:
    return _with_content(_items(project), modality).filter(Exists(_current(modality).filter(which)))


def _current(modality: Modality) -> QuerySet[Prior]:
    return Prior.objects.filter(item=OuterRef("pk"), modality=modality, current=True)
