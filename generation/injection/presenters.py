"""What the pages of sample injection show, and to whom.

A person who has still to label an item never learns that it is a sample.
"""

from dataclasses import dataclass
from functools import cached_property

from django.db.models import Count, Q, QuerySet

from annotation.domain.choices import Reason
from annotation.domain.patterns import Pattern, pattern_of
from annotation.domain.statistics.annotator_quality import Rate
from annotation.models import Category, Membership, Project
from annotation.review.queue import CLOSED_STAGES, may_see_votes
from generation.domain.injection.coverage import Cell
from generation.domain.injection.picture_fit import Misfit
from generation.domain.injection.placeholder import INSULT
from generation.domain.injection.states import SampleState, Tally
from generation.domain.injection.strategies import strategies_for
from generation.domain.injection.yields import StrategyYield
from generation.injection import batches
from generation.injection.material import words_for
from generation.injection.report import coverage_of
from generation.models import InjectionBatch, InjectionConsent, PicturePool, Sample, Trigger
from runs.queue import progress, provider_pauses

_WITH = (
    "intended",
    "pool_picture__picture",
    "pool_picture__pool",
    "pool_picture__category",
    "batch",
    "decided_by",
    "item",
)


@dataclass(frozen=True)
class PatternRow:
    """A row of the plan's table: a pattern, with a cell for each category."""

    pattern: Pattern
    cells: list[Cell | None]

    @property
    def strategies(self) -> list[str]:
        """The strategies that make samples of this pattern."""
        return [strategy.value for strategy in strategies_for(self.pattern.code)]


@dataclass(frozen=True)
class Standing:
    """The progress of a batch."""

    batch: InjectionBatch

    @cached_property
    def tally(self) -> Tally:
        """Its samples by state."""
        return batches.tally(self.batch.samples.all())

    @cached_property
    def misfits(self) -> list[tuple[Misfit, int]]:
        """The number of samples without a text by the reason for which their picture does not fit."""
        return list(batches.misfit_counts(self.batch.samples.all()).items())

    @cached_property
    def under_way(self) -> int:
        """The number of samples with a queued or running run."""
        return batches.under_way(self.batch)

    @property
    def left(self) -> int:
        """The number of samples without an open run that can be asked for: cancelled, or failed."""
        return self.tally.of(SampleState.ASKED, SampleState.FAILED) - self.under_way

    @property
    def ended(self) -> int:
        """The number of samples for which no model has to be asked any more."""
        return self.tally.total - self.under_way - self.left

    @property
    def rows(self) -> list[tuple[str, int]]:
        """The number of samples by state, without states that have none."""
        named = [("asked", self.tally.of(SampleState.ASKED)), ("made", self.tally.made)]
        others = [(state.value, self.tally.of(state)) for state in SampleState if state is not SampleState.ASKED]
        return [(name, count) for name, count in (*named, *others) if count]

    @property
    def minutes_left(self) -> int | None:
        """The estimated time in minutes, from the rate of the last two minutes; None if it is not known."""
        going = progress.method_progress(self.batch.project.public_id, "injection")
        seconds = going.seconds_left
        return None if not self.under_way or seconds is None else max(1, round(seconds / 60))

    @property
    def pauses(self) -> list[provider_pauses.PauseInForce]:
        """Providers that are paused now."""
        return provider_pauses.pauses_in_force()


@dataclass(frozen=True)
class Look:
    """A sample as a page shows it."""

    row: Sample

    @property
    def pattern(self) -> Pattern:
        """The pattern that the sample is meant to have."""
        return pattern_of(self.row.pattern)

    @property
    def decidable(self) -> bool:
        """Whether a person can still decide about it."""
        return self.row.state in (SampleState.WAITING, SampleState.HELD)

    @property
    def replanned(self) -> bool:
        """Whether the text is about another group than the planned one, because the picture shows that group."""
        return self.row.target_group != self.row.planned_group

    @property
    def picture_alone(self) -> Category | None:
        """How the model that looked reads the picture alone; None if none looked."""
        return self._category(self.row.look.get("category"))

    @property
    def text_alone(self) -> Category | None:
        """How the writing model reads its text alone; None if it was not asked."""
        return self._category(self.row.readings.get("text_label"))

    @property
    def together(self) -> Category | None:
        """How the writing model reads text and picture together; None if it was not asked."""
        return self._category(self.row.readings.get("final_label"))

    @cached_property
    def _categories(self) -> dict[int, Category]:
        return {row.code: row for row in Category.objects.filter(project=self.row.project_id)}

    def _category(self, code: int | None) -> Category | None:
        return None if code is None else self._categories.get(code)

    @property
    def places(self) -> int:
        """The number of placeholders for an insult in its text."""
        return self.row.text.count(INSULT)

    @cached_property
    def words(self) -> int:
        """The number of lexicon words that could replace them; the words themselves are not shown."""
        return len(words_for(self.row.project, self.row.target_group))


@dataclass(frozen=True)
class YieldRow:
    """The row of one strategy in the report's table."""

    found: StrategyYield

    @property
    def aligned(self) -> "YieldRate | None":
        """The share that came out as meant; None if it is not known."""
        return None if self.found.aligned is None else YieldRate(self.found.aligned)

    @property
    def by_category(self) -> "YieldRate | None":
        """The share with the intended category; None if it is not known."""
        return None if self.found.category_aligned is None else YieldRate(self.found.category_aligned)

    @property
    def counts(self) -> list[int]:
        """The counts in the order of the table's columns."""
        return [self.found.tally.made, *(self.found.tally.of(state) for state in REPORTED)]


REPORTED = (
    *(SampleState.DUPLICATE, SampleState.HELD, SampleState.MISFIT, SampleState.REFUSED, SampleState.UNREADABLE),
    *(SampleState.REJECTED, SampleState.ACCEPTED),
)
"""The columns of the report after `made`."""


@dataclass(frozen=True)
class YieldRate:
    """A rate in percent, with its interval."""

    rate: Rate

    @property
    def percent(self) -> int:
        """The share in percent."""
        return round(100 * self.rate.value)

    @property
    def low(self) -> int:
        """The lower end of the interval, in percent."""
        return round(100 * self.rate.interval.low)

    @property
    def high(self) -> int:
        """The upper end of the interval, in percent."""
        return round(100 * self.rate.interval.high)

    @property
    def width(self) -> str:
        """The width of the bar, as CSS."""
        return f"{100 * self.rate.value:.1f}%"


def pattern_rows(project: Project) -> list[PatternRow]:
    """Return the rows of the plan's table."""
    return [PatternRow(pattern_of(bits), cells) for bits, cells in coverage_of(project).items()]


def pools_of(project: Project) -> QuerySet[PicturePool]:
    """Return the pools with their numbers of pictures: `hateful`, `harmless`, `unknown`."""
    hateful = Q(pictures__category__hateful=True)
    harmless = Q(pictures__category__hateful=False)
    unknown = Q(pictures__isnull=False, pictures__category=None)
    return PicturePool.objects.filter(project=project).annotate(
        hateful=Count("pictures", filter=hateful),
        harmless=Count("pictures", filter=harmless),
        unknown=Count("pictures", filter=unknown),
    )


def trigger_counts(project: Project) -> list[tuple[str, int]]:
    """Return each group with the number of trigger texts about it.

    Pairs, since a template would take a group called "items" for the pairs of a dict.
    """
    rows = Trigger.objects.filter(project=project).order_by("target_group").values_list("target_group")
    return list(rows.annotate(count=Count("pk")))


def consents_of(project: Project) -> QuerySet[InjectionConsent]:
    """Return the consents to the terms, newest first."""
    return InjectionConsent.objects.filter(project=project).select_related("member")


def visible_samples(member: Membership) -> QuerySet[Sample]:
    """Return the samples that the member may look at: all but those of reported items.

    A member who also annotates sees no sample whose item they may still be asked to label.
    """
    rows = Sample.objects.filter(project=member.project_id).select_related(*_WITH)
    rows = rows.exclude(item__excluded_for=Reason.REPORTED)
    if not member.annotates:
        return rows
    return rows.filter(Q(item=None) | Q(item__stage__in=CLOSED_STAGES))


def may_look_at(sample: Sample, member: Membership) -> bool:
    """Return whether the member may see the text of this sample and what it was meant to be."""
    return sample.item is None or not member.annotates or may_see_votes(sample.item, member)


def waiting_samples(member: Membership) -> QuerySet[Sample]:
    """Return the samples that wait for a decision, in the order of their writing."""
    return visible_samples(member).filter(state=SampleState.WAITING).order_by("order", "pk")
