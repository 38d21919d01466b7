"""Progress of each batch, its pace, and whether its annotators suffice, in a fixed number of queries.

Items are counted in groups; `workforce` finds the items that lack annotators.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property

from django.core.cache import cache
from django.db.models import CharField, Count, F, Max, Min
from django.db.models.functions import Cast, Substr
from django.utils import timezone

from annotation.batches.workforce import (
    STAGES_WITH_FREE_SEATS,
    AnnotatorQuota,
    ItemGroup,
    StuckItem,
    Workforce,
    audience_of,
    read_annotator_quotas,
)
from annotation.consensus.close import count_waiting_items
from annotation.domain.choices import BatchState, Stage
from annotation.domain.workforce.forecast import LOOKED_BACK, Estimate, TooLittle, estimate
from annotation.domain.workforce.staffing import Staffing, Verdict
from annotation.models import Batch, Item, Membership, Project, Seat

COUNTED_ONCE_FROM = 20_000
"""From so many labels on, the labels of a day that is over are counted once a week."""
COUNTED_FOR = 7 * 24 * 60 * 60
"""Seconds for which such a count is kept."""
_WITH_VOTES = (Stage.LABELLING, Stage.DISPUTED, Stage.GOLD)


@dataclass(frozen=True)
class BatchFigures:
    """The figures of a batch, or of all together."""

    name: str
    row: Batch | None
    """None: all batches, or one that nobody has given a row yet."""
    state: BatchState
    stages: Mapping[str, int]
    ready: int
    missing_pictures: int
    waiting_for_priors: int
    filled: int
    held: int
    free: int
    """Seats of items in labelling that nobody sits at."""
    unopened: int
    """Seats of items that have not been opened."""
    most_seats: int
    """The most seats that an item of the batch asks for."""
    priorities: tuple[int, int]
    members: Sequence[AnnotatorQuota] = ()
    """Whom a limited batch is for; active annotators only."""
    waits_for: str | None = None
    """The name of the pilot that is not closed yet, where this batch waits for it."""
    available: int = 0
    """How many people can be asked about it now: for them, active, below their quota."""
    staffing: Staffing = field(default_factory=lambda: Staffing(Verdict.NOTHING_LEFT))
    days: Mapping[date, int] = field(default_factory=dict)
    finish: Estimate | TooLittle = field(default_factory=lambda: TooLittle(None))

    @property
    def items(self) -> int:
        return sum(self.stages.values())

    @property
    def seats(self) -> int:
        return self.filled + self.left

    @property
    def left(self) -> int:
        return self.held + self.free + self.unopened

    @property
    def limited(self) -> bool:
        return self.row is not None and self.row.limited

    @property
    def members_short(self) -> int:
        """How many people a limited batch lacks before any of its items can be finished."""
        return max(0, self.most_seats - len(self.members)) if self.limited and self.left else 0


@dataclass(frozen=True)
class BatchOverview:
    """A project's batches by name, the nameless one first; all together; annotators; items without annotators."""

    batches: Sequence[BatchFigures]
    whole: BatchFigures
    people: Sequence[AnnotatorQuota]
    nobody_left: Sequence[StuckItem]
    looked_at_all: bool
    waiting: int = 0
    """Items that have all their labels and stay open until none of these can be changed any more."""

    @cached_property
    def ready(self) -> int:
        """Items that opening everything would open."""
        return sum(batch.ready for batch in self.batches if batch.state is not BatchState.CLOSED)

    def named(self, name: str) -> BatchFigures | None:
        return next((batch for batch in self.batches if batch.name == name), None)


def read_batch_overview(project: Project) -> BatchOverview:
    """Read the batches of a project as they are now."""
    rows = {row.name: row for row in Batch.objects.filter(project=project).prefetch_related("members")}
    people = read_annotator_quotas(project)
    counted, held_seats = _groups(project, rows), _held_seats(project)
    days = _days(project, sum(group.taken * group.items for groups in counted.values() for group in groups))
    audience = {name: audience_of(rows.get(name), people) for name in counted}
    open_ones = [name for name in counted if not (name in rows and rows[name].state == BatchState.CLOSED)]
    crew = Workforce(project, people, {name: audience[name] for name in open_ones}, counted)
    pilot = next((row for row in rows.values() if row.pilot and row.state != BatchState.CLOSED), None)
    today = timezone.localdate()
    batches = [
        _figures(
            name,
            rows.get(name),
            groups,
            held=held_seats[name],
            days=days[name],
            today=today,
            waits_for=pilot.name if pilot and pilot.name != name else None,
            people=[person for person in people if person.key in audience[name]],
            staffing=crew.staffing([name]) if name in crew.audience else Staffing(Verdict.NOTHING_LEFT),
        )
        for name, groups in sorted(counted.items())
    ]
    total = _together(batches, crew.staffing(open_ones), people, today)
    nobody_left, waiting = crew.nobody_left(), count_waiting_items(project)
    return BatchOverview(batches, total, people, nobody_left, crew.looked_at_all, waiting)


# ── Counting in groups ────────────────────────────────────────────────────────


def _groups(project: Project, rows: Mapping[str, Batch]) -> dict[str, list[ItemGroup]]:
    alike = Item.objects.filter(project=project).exclude(stage=Stage.KNOWN).order_by()
    counts = (
        alike.values_list("batch", "stage", "picture_missing", "seats", "taken")
        .annotate(n=Count("*"), low=Min("priority"), high=Max("priority"))
        .order_by()
    )
    groups: dict[str, list[ItemGroup]] = {name: [] for name in rows if name}
    for batch, stage, blind, seats, taken, items, low, high in counts:
        if stage == Stage.IMPORTED and not project.priors_wanted:
            stage = Stage.READY
        groups.setdefault(batch, []).append(ItemGroup(Stage(stage), blind, seats, taken, items, (low, high)))
    return groups


def _held_seats(project: Project) -> Mapping[str, int]:
    seats = Seat.objects.filter(expires_at__isnull=False, item__project=project, item__stage=Stage.LABELLING)
    return defaultdict(int, seats.order_by().values_list("item__batch").annotate(n=Count("pk")))


def _days(project: Project, labels: int) -> Mapping[str, Counter[date]]:
    """Return the labels of the last weeks by batch and day of the site's calendar.

    In a large project each day that is over is counted once a week. Posts that go to another batch meanwhile take their
    labels along a week later.
    """
    back = timedelta(days=LOOKED_BACK)
    if labels < COUNTED_ONCE_FROM:
        return _labels_by_day(project, filled_at__gte=timezone.now() - back)
    today = timezone.localdate()
    over = [today - timedelta(days=ago) for ago in range(LOOKED_BACK, 0, -1)]
    keys = {day: f"labels-of-day:{project.pk}:{day}" for day in over}
    known = cache.get_many(keys.values())
    first = next((day for day in over if keys[day] not in known), today)
    days = _labels_by_day(project, filled_at__gte=_midnight(first))
    counted = {day: {batch: n for batch, counts in days.items() if (n := counts[day])} for day in over if day >= first}
    cache.set_many({keys[day]: batches for day, batches in counted.items()}, timeout=COUNTED_FOR)
    for day in over[: len(over) - len(counted)]:
        for batch, count in known[keys[day]].items():
            days[batch][day] += count
    return days


def _midnight(day: date) -> datetime:
    """Return the beginning of a day in the site's time zone."""
    return timezone.make_aware(datetime.combine(day, time.min))


def _labels_by_day(project: Project, **moment: datetime) -> dict[str, Counter[date]]:
    """Count labels by batch and day. Those that an import dated itself are left out.

    Grouped by hour, as text: that costs neither database a function call for every row. By annotator, since an index
    has the labels of each in the order of time.
    """
    people = list(Membership.objects.filter(project=project).values_list("pk", flat=True))
    seats = Seat.objects.filter(annotator__in=people, **moment).exclude(filled_at=F("item__created_at"))
    hours = seats.annotate(hour=Substr(Cast("filled_at", CharField()), 1, 13)).order_by()
    counts: dict[str, Counter[date]] = defaultdict(Counter)
    for batch, hour, labels in hours.values_list("item__batch", "hour").annotate(n=Count("pk")):
        counts[batch][timezone.localdate(datetime.strptime(hour, "%Y-%m-%d %H").replace(tzinfo=UTC))] += labels
    return counts


def _figures(
    name: str,
    row: Batch | None,
    groups: Sequence[ItemGroup],
    *,
    held: int,
    days: Mapping[date, int],
    today: date,
    waits_for: str | None,
    people: Sequence[AnnotatorQuota],
    staffing: Staffing,
) -> BatchFigures:
    stages: Counter[str] = Counter()
    for group in groups:
        stages[group.stage] += group.items
    ready = [group for group in groups if group.stage is Stage.READY]
    filled = sum(group.taken * group.items for group in groups if group.stage in _WITH_VOTES) - held
    free = sum((group.seats - group.taken) * group.items for group in groups if group.stage is Stage.LABELLING)
    unopened = sum(group.seats * group.items for group in groups if group.stage in (Stage.IMPORTED, Stage.READY))
    return BatchFigures(
        name=name,
        row=row,
        state=BatchState(row.state) if row else BatchState.OPEN,
        stages=stages,
        ready=sum(group.items for group in ready if not group.blind),
        missing_pictures=sum(group.items for group in ready if group.blind),
        waiting_for_priors=stages[Stage.IMPORTED],
        filled=max(0, filled),
        held=held,
        free=max(0, free),
        unopened=unopened,
        most_seats=max((group.seats for group in groups if group.stage in STAGES_WITH_FREE_SEATS), default=0),
        priorities=(
            min((group.priorities[0] for group in groups), default=0),
            max((group.priorities[1] for group in groups), default=0),
        ),
        members=people if row is not None and row.limited else (),
        waits_for=waits_for,
        available=sum(person.free != 0 for person in people),
        staffing=staffing,
        days=days,
        finish=estimate(days, held + max(0, free) + unopened, today),
    )


def _together(
    batches: Sequence[BatchFigures], staffing: Staffing, people: Sequence[AnnotatorQuota], today: date
) -> BatchFigures:
    """All batches as one; what is left of closed ones is not counted as left."""
    stages: Counter[str] = Counter()
    days: Counter[date] = Counter()
    for batch in batches:
        stages.update(batch.stages)
        days.update(batch.days)
    going_on = [batch for batch in batches if batch.state is not BatchState.CLOSED]
    held, free = sum(batch.held for batch in batches), sum(batch.free for batch in going_on)
    unopened = sum(batch.unopened for batch in going_on)
    return BatchFigures(
        name="",
        row=None,
        state=BatchState.OPEN,
        stages=stages,
        ready=sum(batch.ready for batch in going_on),
        missing_pictures=sum(batch.missing_pictures for batch in batches),
        waiting_for_priors=sum(batch.waiting_for_priors for batch in batches),
        filled=sum(batch.filled for batch in batches),
        held=held,
        free=free,
        unopened=unopened,
        most_seats=max((batch.most_seats for batch in batches), default=0),
        priorities=(0, 0),
        available=sum(person.free != 0 for person in people),
        staffing=staffing,
        days=days,
        finish=estimate(days, held + free + unopened, today),
    )
