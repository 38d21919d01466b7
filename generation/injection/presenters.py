"""What the pages of sample injection show, and to whom: whoever is to label an item never learns that it was made."""

from dataclasses import dataclass
from functools import cached_property

from django.db.models import Count, Q, QuerySet

from annotation.domain.choices import Reason
from annotation.domain.patterns import Pattern
from annotation.domain.statistics.annotator_quality import Rate
from annotation.models import Membership, Project
from annotation.review.queue import CLOSED_STAGES, may_see_votes
from generation.domain.injection.coverage import Cell
from generation.domain.injection.placeholder import INSULT
from generation.domain.injection.states import SampleState, Tally
from generation.domain.injection.strategies import strategies_for
from generation.domain.injection.yields import StrategyYield
from generation.injection import batches
from generation.injection.material import words_for
from generation.injection.report import coverage_of
from generation.models import InjectionBatch, InjectionConsent, PicturePool, Sample, Trigger
from runs.queue import progress, provider_pauses

_WITH = ("intended", "pool_picture__picture", "pool_picture__pool", "batch", "decided_by", "item")


@dataclass(frozen=True)
class PatternRow:
    """A row of the plan page: a pattern, and a cell for each category."""

    pattern: Pattern
    cells: list[Cell | None]

    @property
    def strategies(self) -> list[str]:
        """What makes samples of it."""
        return [strategy.value for strategy in strategies_for(self.pattern.code)]


@dataclass(frozen=True)
class Standing:
    """How far a batch is."""

    batch: InjectionBatch

    @cached_property
    def tally(self) -> Tally:
        """Its samples."""
        return batches.tally(self.batch.samples.all())

    @cached_property
    def under_way(self) -> int:
        """Samples that models are asked for now."""
        return batches.under_way(self.batch)

    @property
    def left(self) -> int:
        """Samples that nobody is at and that can be asked for: cancelled, or failed."""
        return self.tally.of(SampleState.ASKED, SampleState.FAILED) - self.under_way

    @property
    def ended(self) -> int:
        """Samples that need no model any more."""
        return self.tally.total - self.under_way - self.left

    @property
    def rows(self) -> list[tuple[str, int]]:
        """Where its samples are, without what is not there."""
        named = [("asked", self.tally.of(SampleState.ASKED)), ("made", self.tally.made)]
        others = [(state.value, self.tally.of(state)) for state in SampleState if state is not SampleState.ASKED]
        return [(name, count) for name, count in (*named, *others) if count]

    @property
    def minutes_left(self) -> int | None:
        """About how long it takes at the rate of the last two minutes."""
        going = progress.method_progress(self.batch.project.public_id, "injection")
        seconds = going.seconds_left
        return None if not self.under_way or seconds is None else max(1, round(seconds / 60))

    @property
    def pauses(self) -> list[provider_pauses.PauseInForce]:
        """Providers that serve nobody for now."""
        return provider_pauses.pauses_in_force()


@dataclass(frozen=True)
class Look:
    """A sample in front of a person."""

    row: Sample

    @property
    def pattern(self) -> Pattern:
        """What it is meant to be."""
        return pattern_of(self.row.pattern)

    @property
    def decidable(self) -> bool:
        """Whether it waits for a decision."""
        return self.row.state in (SampleState.WAITING, SampleState.HELD)

    @property
    def places(self) -> int:
        """Places that are left for an insult."""
        return self.row.text.count(INSULT)

    @cached_property
    def words(self) -> int:
        """How many words of the lexicon could stand there; which ones is not shown."""
        return len(words_for(self.row.project, self.row.target_group))


@dataclass(frozen=True)
class YieldRow:
    """A strategy's line of the report, as the page draws it."""

    found: StrategyYield

    @property
    def aligned(self) -> "Share | None":
        """How often it came out as meant."""
        return None if self.found.aligned is None else Share(self.found.aligned)

    @property
    def by_category(self) -> "Share | None":
        """How often the category came out as meant."""
        return None if self.found.category_aligned is None else Share(self.found.category_aligned)

    @property
    def counts(self) -> list[int]:
        """The states in the order of the table's head."""
        return [self.found.tally.made, *(self.found.tally.of(state) for state in REPORTED)]


REPORTED = (
    *(SampleState.DUPLICATE, SampleState.HELD, SampleState.REFUSED, SampleState.UNREADABLE),
    *(SampleState.REJECTED, SampleState.ACCEPTED),
)
"""The columns of the report, beside what was made."""


@dataclass(frozen=True)
class Share:
    """A rate in percent, with its interval."""

    rate: Rate

    @property
    def percent(self) -> int:
        """The share."""
        return round(100 * self.rate.value)

    @property
    def low(self) -> int:
        """The lower end."""
        return round(100 * self.rate.interval.low)

    @property
    def high(self) -> int:
        """The upper end."""
        return round(100 * self.rate.interval.high)

    @property
    def width(self) -> str:
        """For the bar."""
        return f"{100 * self.rate.value:.1f}%"


def pattern_rows(project: Project) -> list[PatternRow]:
    """The plan page's table."""
    return [PatternRow(pattern_of(bits), cells) for bits, cells in coverage_of(project).items()]


def pattern_of(bits: str) -> Pattern:
    """Three bits as a pattern."""
    return Pattern(*(bit == "1" for bit in bits))


def pools_of(project: Project) -> QuerySet[PicturePool]:
    """The pools with their counts: `hateful`, `harmless`, `unknown`."""
    hateful = Q(pictures__category__hateful=True)
    harmless = Q(pictures__category__hateful=False)
    unknown = Q(pictures__isnull=False, pictures__category=None)
    return PicturePool.objects.filter(project=project).annotate(
        hateful=Count("pictures", filter=hateful),
        harmless=Count("pictures", filter=harmless),
        unknown=Count("pictures", filter=unknown),
    )


def trigger_counts(project: Project) -> dict[str, int]:
    """How many trigger texts there are about each group."""
    rows = Trigger.objects.filter(project=project).order_by("target_group").values_list("target_group")
    return dict(rows.annotate(count=Count("pk")))


def consents_of(project: Project) -> QuerySet[InjectionConsent]:
    """Who accepted which terms when, newest first."""
    return InjectionConsent.objects.filter(project=project).select_related("member")


def visible_samples(member: Membership) -> QuerySet[Sample]:
    """The samples that the member may look at: all but those of reported items.

    Whoever also annotates sees none whose item they may still be asked about.
    """
    rows = Sample.objects.filter(project=member.project_id).select_related(*_WITH)
    rows = rows.exclude(item__excluded_for=Reason.REPORTED)
    if not member.annotates:
        return rows
    return rows.filter(Q(item=None) | Q(item__stage__in=CLOSED_STAGES))


def may_look_at(sample: Sample, member: Membership) -> bool:
    """Whether the member may see what this sample says and was meant to be."""
    return sample.item is None or not member.annotates or may_see_votes(sample.item, member)


def waiting_samples(member: Membership) -> QuerySet[Sample]:
    """The samples that a person is to decide about, in the order of their writing."""
    return visible_samples(member).filter(state=SampleState.WAITING).order_by("order", "pk")
