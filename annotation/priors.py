"""Asking for priors: of one item or a whole project, what became of it, again, and no further.

Each prior is a run (`annotation.prior_method`); asking twice for what is under way changes nothing, so a batch that
was cut off is resumed by asking for the rest.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation import prior_rows
from annotation.domain.words import Modality, PriorState, Stage
from annotation.models import Item, Membership, Prior, Project, record
from annotation.prior_method import NAME
from runs import pausing, queue, spending, starting
from runs.models import Run

AGAIN = (PriorState.FAILED, PriorState.UNREADABLE, PriorState.REFUSED)
"""The states that a person may ask for again."""


_HAS_IT = {Modality.TEXT: ~Q(item__text=""), Modality.IMAGE: Q(item__picture__isnull=False)}


@dataclass(frozen=True)
class Requested:
    """How many priors are newly under way; `problems` says in sentences what cannot be asked for."""

    queued: int
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Standing:
    """How far a project's priors are. `missing`: nobody has asked, or somebody cancelled."""

    done: int
    refused: int
    unreadable: int
    failed: int
    imported: int
    missing: int
    waits_for_failed: int
    progress: queue.Progress
    spend: queue.Spend
    budget: queue.Spend
    pauses: tuple[pausing.Paused, ...]

    @property
    def asked(self) -> int:
        """Priors that models were asked for and are settled."""
        return self.done + self.refused + self.unreadable + self.failed

    @property
    def total(self) -> int:
        """All priors that can be had from models."""
        return self.asked + self.missing

    @property
    def share(self) -> float:
        """The settled part of the total, 0 to 100."""
        return 100 * self.asked / self.total if self.total else 100.0


def request_missing(project: Project, actor: Membership | None = None, *, ring: bool = True) -> Requested:
    """Ask for every prior that the project's items do not have yet; without `ring` no worker is told."""
    return _request(project, actor, {modality: missing(project, modality) for modality in Modality}, ring)


def request_again(
    project: Project, states: Collection[PriorState], actor: Membership | None = None, *, ring: bool = True
) -> Requested:
    """Ask again for the priors in these states (see AGAIN)."""
    states = [state for state in states if state in AGAIN]
    held = {modality: _with_prior(project, modality, Q(state__in=states)) for modality in Modality}
    return _request(project, actor, held, ring)


def request_missing_of(project: Project, items: QuerySet[Item], actor: Membership | None = None) -> int:
    """Ask for every prior that these items of the project do not have yet; how many of the items lack one.

    Asked for are those of modalities that some model can be asked about.
    """
    lacking = {
        modality: missing(project, modality).filter(pk__in=items.order_by().values("pk"))
        for modality in _askable(project)
    }
    keys = {key for rows in lacking.values() for key in rows.values_list("pk", flat=True)}
    if keys:
        _request(project, actor, {modality: lacking.get(modality, Item.objects.none()) for modality in Modality})
    return len(keys)


def request_for_item(item: Item, actor: Membership | None = None) -> Requested:
    """Ask for the priors of one item, also where it has some."""
    one = _items(item.project).filter(pk=item.pk)
    return _request(item.project, actor, {modality: _with_content(one, modality) for modality in Modality})


def cancel(project: Project, actor: Membership | None = None) -> int:
    """Ask no further; answers how many runs that ends. What was answered stays, and the rest can be asked later."""
    with transaction.atomic():
        ended = starting.cancel_all(Run.objects.filter(project=project.public_id, method=NAME))
        if ended:
            record("priors_cancelled", project=project, actor=actor, runs=ended)
    return ended


def go_on_without_failed(project: Project, actor: Membership | None = None) -> int:
    """Let imported items go on whose priors failed; they stay without. Answers how many went on."""
    waiting = _items(project).filter(stage=Stage.IMPORTED, priors__current=True, priors__state=PriorState.FAILED)
    moved = sum(prior_rows.go_on(item, without_failed=True) for item in waiting.select_related("project").distinct())
    if moved:
        record("priors_given_up", project=project, actor=actor, items=moved)
    return moved


def wait_no_longer(project: Project, actor: Membership | None = None) -> int:
    """Let all imported items go on, with the priors they have; answers how many. The project wants none any more."""
    with transaction.atomic():
        waiting = Item.objects.filter(project=project, stage=Stage.IMPORTED)
        moved = waiting.update(stage=Stage.READY, version=F("version") + 1)
        if moved:
            record("priors_given_up", project=project, actor=actor, items=moved)
    return moved


def standing(project: Project) -> Standing:
    """How far the project's priors are, what they cost, what holds them up."""
    held = Prior.objects.filter(item__project=project, current=True).exclude(item__stage=Stage.EXCLUDED)
    counts = held.aggregate(
        imported=Count("pk", filter=Q(run_id=None)),
        **{state: Count("pk", filter=Q(run_id__isnull=False, state=state)) for state in PriorState},
        **{f"with_{modality}": Count("pk", filter=Q(modality=modality) & _HAS_IT[modality]) for modality in Modality},
    )
    waiting = _items(project).filter(stage=Stage.IMPORTED, priors__current=True, priors__state=PriorState.FAILED)
    return Standing(
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
        progress=queue.progress(project.public_id, NAME),
        spend=queue.spend_of(project.public_id, NAME),
        budget=queue.spend(project.public_id),
        pauses=tuple(pausing.in_force()),
    )


def troubled(project: Project) -> QuerySet[Prior]:
    """The priors in force that say nothing: refused, unreadable, failed; newest first."""
    return (
        Prior.objects.filter(item__project=project, current=True, state__in=AGAIN)
        .exclude(item__stage=Stage.EXCLUDED)
        .select_related("item")
        .order_by("-id")
    )


def problems(project: Project) -> tuple[str, ...]:
    """What hinders asking, in sentences: a model that cannot be asked, pictures that no model sees.

    Nothing is said about pictures in a project without any.
    """
    return tuple(
        sentence
        for modality in Modality
        if (sentence := _problem(project, modality))
        and (modality == Modality.TEXT or _with_content(_items(project), modality).exists())
    )


def missing(project: Project, modality: Modality) -> QuerySet[Item]:
    """The items that have this modality and no prior of it in force."""
    return _with_content(_items(project), modality).filter(~Exists(_current(modality)))


def _request(
    project: Project, actor: Membership | None, items: dict[Modality, QuerySet[Item]], ring: bool = True
) -> Requested:
    askable = _askable(project)
    with transaction.atomic():
        spending.allow(project.public_id, calls=project.call_budget, tokens=project.token_budget)
        queued = sum(
            starting.start_for_each(
                items[modality].values(subject=F("public_id")), _run(project, actor, modality), ring=ring
            )
            for modality in askable
        )
        if queued:
            record("priors_requested", project=project, actor=actor, runs=queued)
    hindered = tuple(
        sentence
        for modality in Modality
        if modality not in askable and items[modality].exists() and (sentence := _problem(project, modality))
    )
    return Requested(queued, hindered)


def _run(project: Project, actor: Membership | None, modality: Modality) -> starting.Wanted:
    return starting.Wanted(
        method=NAME,
        project=project.public_id,
        subject=project.public_id,
        model_plan={str(prior_rows.ROLES[modality]): prior_rows.model_of(project, modality).name},
        variant=modality,
        started_by=actor.public_id if actor else None,
    )


def _askable(project: Project) -> tuple[Modality, ...]:
    return tuple(modality for modality in Modality if _can_be_asked(project, modality))


def _can_be_asked(project: Project, modality: Modality) -> bool:
    binding = prior_rows.model_of(project, modality)
    if not binding.is_language_model:
        return modality == Modality.TEXT
    return not binding.problem


def _problem(project: Project, modality: Modality) -> str:
    """Why this modality cannot be asked about, or is asked of the built-in baseline against somebody's wish."""
    binding = prior_rows.model_of(project, modality)
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
