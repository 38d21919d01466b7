"""Values of a project's dashboard: counts, agreement and people, in a fixed number of queries."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from django.db.models import BooleanField, Count, ExpressionWrapper, F, Min, Q, QuerySet
from django.db.models.functions import TruncDate

from annotation.analytics.agreement.labels import Agreement, LabelFigures, RawLabels, read_labels
from annotation.analytics.closed_items import LabelsRead, no_progress
from annotation.analytics.influence.figures import Influence, read_answers
from annotation.core.extensions import gold_wanted
from annotation.core.snapshots import snapshot
from annotation.domain.category_sets import codes_of
from annotation.domain.choices import Level, Reason, Source, Stage
from annotation.domain.statistics.agreement import Alike, Pair, alike_by_category, alike_in_naming, cohen_kappas
from annotation.models import Dispute, Item, Label, Membership, Project

_DONE = (Stage.DISPUTED, Stage.GOLD, Stage.EXCLUDED)


@dataclass(frozen=True)
class ItemCounts:
    """Counts of a project's items. Items with a known answer are not included, at whatever stage they are."""

    items: int
    ready: int
    """Items that do not wait for priors."""
    closed: int
    gold: int
    disputed: int
    excluded: int
    levels: Mapping[Level, int]
    """The levels of closed items, at any later stage."""
    sources: Mapping[Source, int]
    """The sources of gold items."""
    gold_categories: Mapping[int, int]
    """Gold items by the code of their category; an item with several counts for each."""
    gold_patterns: Mapping[tuple[str, int], int]
    """The same by pattern and code; items without a pattern are not included."""
    open_reasons: Mapping[Reason, int]
    """The open reasons of disputed items; an item may have several."""
    excluded_reasons: Mapping[Reason, int]
    oldest_dispute: datetime | None
    known: int
    """Items with a known answer, which are not counted elsewhere."""


@dataclass(frozen=True)
class AnnotatorAgreement:
    """An annotator, by the project's pseudonym, with their agreement with the others' labels."""

    name: str
    labels: int
    by_category: Mapping[int, Alike]
    """By the index of a category that this person chose: whether the others chose it too."""

    others: int
    """Labels of others on the same items."""
    agreeing: int
    """Those among them that name the same category, or the same set of several."""


@dataclass(frozen=True)
class CampaignDay:
    """What happened on a day in the site's time zone."""

    day: date
    labels: int
    """Labels submitted."""
    disputed: int
    """Items that became disputed."""
    settled: int
    """Items with a dispute that was settled."""


@dataclass(frozen=True)
class Dashboard:
    """All values of the dashboard at one moment."""

    counts: ItemCounts
    agreement: Agreement
    labels: LabelFigures
    influence: Influence
    people: Sequence[AnnotatorAgreement]
    """The annotators, those with most labels first."""
    pairs: Mapping[tuple[str, str], Pair]
    """Pairs by the names of both, in both orders."""
    days: Sequence[CampaignDay]
    guideline_version: int | None
    gold_wanted: Mapping[tuple[str, int], int]
    """How many gold items the project wants, by pattern and code of the category."""


def read_dashboard(project: Project, tell: LabelsRead = no_progress) -> Dashboard:
    """Read a project's dashboard from one moment of the database, and compute its figures afterwards."""
    with snapshot():
        agreement_of_labels, influence_of_answers = read_labels(project, tell), read_answers(project)
        members, counts, days = list(_with_labels(project)), _counts(project), _days(project)
        guideline_version, gold_targets = _guideline_version(project), _gold_wanted(project)
    agreement, labels = agreement_of_labels()
    names = {member.pk: member.pseudonym for member in members}
    return Dashboard(
        counts=counts,
        agreement=agreement,
        labels=labels.figures,
        influence=influence_of_answers(),
        people=_people(members, labels),
        pairs=_named(cohen_kappas(labels.together), names),
        days=days,
        guideline_version=guideline_version,
        gold_wanted=gold_targets,
    )


def live_parts(project: Project, stored: Dashboard) -> Dashboard:
    """Return a stored dashboard with the parts as they are now that cost nothing to read."""
    return replace(stored, guideline_version=_guideline_version(project), gold_wanted=_gold_wanted(project))


def _guideline_version(project: Project) -> int | None:
    return project.guidelines.values_list("number", flat=True).first()


def _gold_wanted(project: Project) -> Mapping[tuple[str, int], int]:
    return where.read(project) if (where := gold_wanted()) else {}


def _counts(project: Project) -> ItemCounts:
    aside = ExpressionWrapper(Q(known_answer__isnull=False), BooleanField())
    groups = list(
        Item.objects.filter(project=project)
        .annotate(aside=aside)
        .values_list(
            "aside", "stage", "level", "category_source", "excluded_for", "category__code", "categories", "pattern"
        )
        .annotate(n=Count("pk"), closed=Count("closed_at"))
        .order_by()
    )
    by_stage, levels, sources = Counter[str](), Counter[str](), Counter[str]()
    gold, patterns = Counter[int](), Counter[tuple[str, int]]()
    excluded, closed, known_items = Counter[str](), 0, 0
    for is_aside, stage, level, source, excluded_for, code, several, pattern, n, n_closed in groups:
        if is_aside:
            known_items += n if stage == Stage.KNOWN else 0
            continue
        by_stage[stage] += n
        closed += n_closed
        if level and stage in _DONE:
            levels[level] += n
        if stage == Stage.GOLD:
            sources[source] += n
            gold.update(dict.fromkeys(codes_of(code, several), n))
            patterns.update({(pattern, gold_code): n for gold_code in codes_of(code, several) if pattern})
        if excluded_for:
            excluded[excluded_for] += n
    reasons, oldest = _open_reasons(project)
    return ItemCounts(
        items=by_stage.total(),
        ready=by_stage.total() - by_stage[Stage.IMPORTED],
        closed=closed,
        gold=by_stage[Stage.GOLD],
        disputed=by_stage[Stage.DISPUTED],
        excluded=by_stage[Stage.EXCLUDED],
        levels={level: levels[level] for level in Level},
        sources={source: sources[source] for source in Source},
        gold_categories=gold,
        gold_patterns=patterns,
        open_reasons=reasons,
        excluded_reasons={reason: excluded[reason] for reason in Reason if excluded[reason]},
        oldest_dispute=oldest,
        known=known_items,
    )


def _open_reasons(project: Project) -> tuple[dict[Reason, int], datetime | None]:
    rows = list(
        Dispute.objects.filter(item__project=project, item__stage=Stage.DISPUTED, settled_at__isnull=True)
        .values_list("reason")
        .annotate(n=Count("pk"), oldest=Min("opened_at"))
        .order_by()
    )
    counted = {reason: n for reason, n, _oldest in rows}
    oldest = min((oldest for _reason, _n, oldest in rows), default=None)
    return {reason: counted[reason] for reason in Reason if reason in counted}, oldest


def _with_labels(project: Project) -> Iterable[Membership]:
    filled = Count("seat_rows", filter=Q(seat_rows__label__isnull=False) & ~Q(seat_rows__item__stage=Stage.KNOWN))
    members = Membership.objects.filter(project=project).annotate(done=filled).filter(done__gt=0)
    return members.order_by("pseudonym")


def _people(members: Sequence[Membership], labels: RawLabels) -> list[AnnotatorAgreement]:
    by_annotator: dict[int, dict[int, Alike]] = {}
    for figure in alike_in_naming(labels.together, labels.members):
        by_annotator.setdefault(figure.annotator, {})[figure.category] = figure
    others, agreeing = Counter[int](), Counter[int]()
    for figure in alike_by_category(labels.together):
        others[figure.annotator] += figure.others
        agreeing[figure.annotator] += figure.agreeing
    # `done` is the annotation of `_with_labels`.
    return [
        AnnotatorAgreement(
            member.pseudonym,
            vars(member)["done"],
            by_annotator.get(member.pk, {}),
            others[member.pk],
            agreeing[member.pk],
        )
        for member in members
    ]


def _named(pairs: Iterable[Pair], names: Mapping[int, str]) -> dict[tuple[str, str], Pair]:
    named = {}
    for pair in pairs:
        first, second = names[pair.first], names[pair.second]
        named[first, second] = named[second, first] = pair
    return named


def _days(project: Project) -> list[CampaignDay]:
    """Return the days on which something happened, oldest first."""
    disputes = Dispute.objects.filter(item__project=project)
    items = Count("item", distinct=True)  # an item may be disputed for several reasons
    labels = _by_day(_dated_labels(project), "created_at", Count("pk"))
    disputed = _by_day(disputes, "opened_at", items)
    settled = _by_day(disputes.exclude(settled_at=None), "settled_at", items)
    days = sorted({*labels, *disputed, *settled})
    return [CampaignDay(day, labels.get(day, 0), disputed.get(day, 0), settled.get(day, 0)) for day in days]


def _dated_labels(project: Project) -> QuerySet[Label]:
    """Return the labels that count on a day; a correction is not another label.

    Imported labels count only if they are older than their item here, because only those have a time of their own.
    """
    dated = Q(imported=False) | Q(created_at__lt=F("item__created_at"))
    return Label.objects.filter(dated, item__project=project, revision=1).exclude(item__stage=Stage.KNOWN)


def _by_day(rows: QuerySet[Any], moment: str, counted: Count) -> dict[date, int]:
    """Return the counts by the day of `moment`."""
    return dict(rows.annotate(day=TruncDate(moment)).values_list("day").annotate(n=counted).order_by("day"))
