"""The coverage of patterns and categories in a project, and the yield of each strategy."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict
from uuid import UUID

from django.db.models import Count, F, Q

from annotation.consensus.case_from_rows import priors_of, vote_of
from annotation.domain.choices import Modality, Stage
from annotation.domain.item_decision import Case, findings
from annotation.domain.patterns import corrected
from annotation.domain.votes import Vote
from annotation.models import Item, Prior, Project, Seat
from generation.domain.injection.coverage import Cell, Square, coverage
from generation.domain.injection.picture_fit import Misfit
from generation.domain.injection.states import SampleCounts, SampleState, Tally
from generation.domain.injection.strategies import Strategy
from generation.domain.injection.yields import AllYields, Read, StrategyYield, StrategyYieldJson, in_all, rate_json
from generation.injection import batches, settings
from generation.models import InjectionBatch, Sample
from providers.roles import ModelRole


class BatchStanding(SampleCounts):
    """A batch and how far it is; `under_way` are the model calls that are not over.

    `misfits` counts the samples that were not written because of their picture, by reason.
    """

    batch: UUID
    number: int
    seed: int
    models: dict[ModelRole, str]
    misfits: dict[Misfit, int]
    under_way: int


class YieldReport(TypedDict):
    """The yield of each strategy, and of all together."""

    strategies: list[StrategyYieldJson]
    all: AllYields


_ON_THE_WAY = (SampleState.ASKED, SampleState.WAITING)
_NOT_YET_GOLD = (Stage.IMPORTED, Stage.READY, Stage.LABELLING, Stage.DISPUTED)
_AT_ONCE = 500


def coverage_of(project: Project) -> dict[str, list[Cell | None]]:
    """Return for each pattern one cell per category of the project: wanted, gold, in work, missing."""
    gold = Item.objects.filter(project=project, stage=Stage.GOLD, pattern__isnull=False, category__isnull=False)
    going = Q(state__in=_ON_THE_WAY) | Q(state=SampleState.ACCEPTED, item__stage__in=_NOT_YET_GOLD)
    samples = Sample.objects.filter(going, project=project)
    return coverage(
        project.offered_categories(),
        settings.targets_of(project),
        _counts(gold.values_list("pattern", "category__code")),
        _counts(samples.values_list("pattern", "intended__code")),
    )


def yields_of(project: Project) -> list[StrategyYield]:
    """Return the yield of each strategy that was ever asked for, with what its labelled samples became."""
    counts: dict[str, dict[SampleState, int]] = defaultdict(dict)
    rows = Sample.objects.filter(project=project).order_by().values_list("strategy", "state")
    for strategy, state, count in rows.annotate(count=Count("pk")):
        counts[strategy][SampleState(state)] = count
    reads = _reads(project)
    return [
        StrategyYield(strategy, Tally(counts[strategy]), tuple(reads.get(strategy, ())))
        for strategy in Strategy
        if strategy in counts
    ]


def report_of(project: Project) -> YieldReport:
    """Return the yields as JSON: `strategies`, and `all` of them together."""
    rows = yields_of(project)
    tally, aligned = in_all(rows)
    whole: AllYields = {**tally.as_json(), "aligned": rate_json(aligned)}
    return {"strategies": [row.as_json() for row in rows], "all": whole}


def standing_of(batch: InjectionBatch) -> BatchStanding:
    """Return a batch as JSON: what was asked for, and the number of samples in each state."""
    samples = batch.samples.all()
    return {
        "batch": batch.public_id,
        "number": batch.number,
        "seed": batch.seed,
        "models": batch.model_plan,
        **batches.tally(samples).as_json(),
        "misfits": {**batches.misfit_counts(samples)},
        "under_way": batches.under_way(batch),
    }


def _counts(squares: Any) -> dict[Square, int]:
    rows = squares.order_by().annotate(count=Count("pk"))
    return {(pattern, code): count for pattern, code, count in rows}


def _reads(project: Project) -> Mapping[str, list[Read]]:
    """Return by strategy what the labels say of every accepted sample whose seats are all filled."""
    reads_of_strategy: dict[str, list[Read]] = defaultdict(list)
    closed = Sample.objects.filter(project=project, state=SampleState.ACCEPTED, item__closed_at__isnull=False)
    rows = list(
        closed.exclude(item__stage=Stage.LABELLING)
        .order_by("pk")
        .values_list("item_id", "strategy", "pattern", "intended__code")
    )
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        cases = _cases([item for item, *_more in some if item is not None])
        for item, strategy, pattern, intended in some:
            if item in cases:
                reads_of_strategy[strategy].append(_read(cases[item], pattern, intended))
    return reads_of_strategy


def _read(case: Case, pattern: str, intended: int) -> Read:
    finding = findings(case)
    pattern_known = len(corrected(case.priors, case.votes)) == len(Modality)
    # Labels that name several categories are not what was meant: one was. The whole sets are compared.
    category = finding.category.code if finding.category and not finding.further else None
    return Read(intended, pattern, category, finding.pattern.code if finding.pattern else None, pattern_known)


def _cases(items: Sequence[int]) -> dict[int, Case]:
    """Return the votes and priors of these items, read in two queries. The intent is left out: votes do not need it."""
    votes: dict[int, list[Vote]] = defaultdict(list)
    seats = Seat.objects.filter(item__in=items, round=F("item__round"), label__isnull=False)
    for seat in seats.select_related("label__category", "label__replacement__category").order_by("item_id", "number"):
        if seat.label is not None:
            votes[seat.item_id].append(vote_of(seat.label))
    priors: dict[int, list[Prior]] = defaultdict(list)
    for prior in Prior.objects.filter(item__in=items, current=True).select_related("category"):
        priors[prior.item_id].append(prior)
    return {item: Case(tuple(cast), None, priors_of(priors[item])) for item, cast in votes.items() if len(cast) > 1}
