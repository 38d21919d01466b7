"""Staffing: annotators still available against seats still open, and items that no annotator is left for.

Items are counted in groups. Only those that may lack annotators are examined one by one: somebody skipped them or saw
their votes, or their batch has hardly more people than an item has seats; at most `MAX_EXAMINED_ITEMS` of them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, F, QuerySet

from annotation.domain.choices import Stage
from annotation.domain.wellbeing.opt_outs import Content, Unwanted, falls_under
from annotation.domain.workforce.staffing import Staffing, Work, staffing
from annotation.models import (
    Adjudication,
    Batch,
    Item,
    Membership,
    OptOut,
    Prior,
    Project,
    Replacement,
    Seat,
    Skip,
    seat_count,
)

MAX_EXAMINED_ITEMS = 5_000
"""Items whose people are looked at one by one, at most."""

_LOOKED_AT_FOR = (
    *("pk", "batch", "seats", "taken", "public_id", "external_id"),
    *("intended_id", "intended_categories", "target_group", "severity"),
)
STAGES_WITH_FREE_SEATS = (Stage.IMPORTED, Stage.READY, Stage.LABELLING)


@dataclass(frozen=True)
class AnnotatorQuota:
    """An active annotator with their quota."""

    key: int
    public_id: UUID
    name: str
    labels: int
    """Labels in force."""
    held: int
    """Seats held: posts that were handed out and wait for their label."""
    own_quota: int | None
    quota: int | None
    """Their own, else the project's."""

    @property
    def left(self) -> int | None:
        """How many labels they may still give. None: as many as they like."""
        return None if self.quota is None else max(0, self.quota - self.labels)

    @property
    def free(self) -> int | None:
        """How many posts more they may get: those that they hold are theirs already."""
        return None if self.left is None else max(0, self.left - self.held)


@dataclass(frozen=True)
class StuckItem:
    """An item that no annotator is left for: everybody who may see it has labelled or skipped it."""

    public_id: UUID
    external_id: str
    batch: str


@dataclass(frozen=True)
class ItemGroup:
    """Items that are equal in everything that is counted."""

    stage: Stage
    blind: bool
    seats: int
    taken: int
    items: int
    priorities: tuple[int, int]


def read_annotator_quotas(project: Project) -> list[AnnotatorQuota]:
    """Return the active annotators, each with the numbers of seats that they have filled and hold."""
    rows = (
        Membership.objects.filter(project=project, active=True, annotates=True)
        .annotate(given=seat_count(filled_at__isnull=False), held=seat_count(expires_at__isnull=False))
        .order_by("pseudonym")
    )
    return [
        AnnotatorQuota(key, public_id, name, given, held, quota, project.quota if quota is None else quota)
        for key, public_id, name, given, held, quota in rows.values_list(
            "pk", "public_id", "pseudonym", "given", "held", "quota"
        )
    ]


def audience_of(row: Batch | None, people: Sequence[AnnotatorQuota]) -> frozenset[int]:
    """Return who may label a batch: its members, or everybody."""
    active = frozenset(person.key for person in people)
    if row is None or not row.limited:
        return active
    return active & {member.pk for member in row.members.all()}


@dataclass(frozen=True)
class _Open:
    """An item in labelling with free seats, and who could still take one."""

    batch: str
    seats: int
    taken: int
    able: frozenset[int]
    skipped: bool
    stuck: StuckItem


class Workforce:
    """The annotators of a project and the work that is left for them."""

    def __init__(
        self,
        project: Project,
        people: Sequence[AnnotatorQuota],
        audience: Mapping[str, frozenset[int]],
        groups: Mapping[str, Sequence[ItemGroup]],
    ) -> None:
        self.audience, self.labels_left = audience, {person.key: person.free for person in people}
        self._unwanted = _opt_outs(project)
        choosy = {opt_out.member for opt_out in self._unwanted}
        self._work = {
            name: [group for group in groups[name] if group.stage in STAGES_WITH_FREE_SEATS] for name in audience
        }
        used_up = {person for person, labels in self.labels_left.items() if labels == 0}
        # How many people of a batch may be barred from an item before it can lack any.
        self._spare = {
            name: len(audience[name] - choosy - used_up) - max((group.seats for group in its), default=0)
            for name, its in self._work.items()
        }
        self._choosy_unopened = {
            name
            for name, spare in self._spare.items()
            if spare < 0
            and audience[name] & choosy
            and any(group.stage is not Stage.LABELLING for group in self._work[name])
        }
        self._items, self.looked_at_all = self._look(project)

    def staffing(self, names: Iterable[str]) -> Staffing:
        """Return whether the annotators can do what is left of these batches."""
        names = set(names)
        whole = self.looked_at_all and not names & self._choosy_unopened
        return staffing([work for name in sorted(names) for work in self._of(name)], self.labels_left, whole=whole)

    def nobody_left(self) -> list[StuckItem]:
        """Return items that were skipped and that nobody below their quota can label."""
        willing = {person for person, labels in self.labels_left.items() if labels is None or labels > 0}
        stuck = [item.stuck for item in self._items if item.skipped and not item.able & willing]
        return sorted(stuck, key=lambda item: item.external_id)

    def _of(self, name: str) -> list[Work]:
        """Return the batch's work: examined items as they are, all others as if everybody in it were able."""
        examined = Counter((item.seats, item.taken) for item in self._items if item.batch == name)
        one_by_one = Counter((item.seats - item.taken, item.able) for item in self._items if item.batch == name)
        work = [Work(places, able, items) for (places, able), items in one_by_one.items()]
        for group in self._work[name]:
            taken = group.taken if group.stage is Stage.LABELLING else 0
            others = group.items
            if group.stage is Stage.LABELLING:
                group_examined = min(others, examined[group.seats, taken])
                examined[group.seats, taken] -= group_examined
                others -= group_examined
            work.append(Work(group.seats - taken, self.audience[name], others))
        return work

    def _look(self, project: Project) -> tuple[list[_Open], bool]:
        rows: list[Any] = []
        for items in self._may_lack(project):
            rows += items.order_by("pk").values_list(*_LOOKED_AT_FOR)[: MAX_EXAMINED_ITEMS + 1 - len(rows)]
        rows.sort()
        whole, rows = len(rows) <= MAX_EXAMINED_ITEMS, rows[:MAX_EXAMINED_ITEMS]
        keys = [row[0] for row in rows]
        done, skipped = _barred(keys)
        contents = self._contents(project, rows) if self._unwanted else {}
        examined = []
        for key, batch, seats, taken, public_id, external_id, *_ in rows:
            unwilling = {
                opt_out.member for opt_out in self._unwanted if key in contents and falls_under(contents[key], opt_out)
            }
            able = self.audience[batch] - done[key] - unwilling
            examined.append(_Open(batch, seats, taken, able, key in skipped, StuckItem(public_id, external_id, batch)))
        return examined, whole

    def _may_lack(self, project: Project) -> Iterator[QuerySet[Item]]:
        """Yield which open items to examine: those with many marks; where people are few, those with any.

        Whom an item without marks lacks, its group tells, unless people have opted out of what it may hold.

        One question for batches that have equally many people to spare: asked together PostgreSQL would read all posts.
        """
        by_spare: dict[int, list[str]] = defaultdict(list)
        for name, spare in self._spare.items():
            if self._work[name]:
                by_spare[max(spare, -1)].append(name)
        for spare, names in sorted(by_spare.items()):
            items = Item.objects.open().filter(project=project, batch__in=names)
            if spare < 0 and self._unwanted:
                yield items
                continue
            begun = items.none()
            if spare < 0 and any(group.taken for name in names for group in self._work[name]):
                begun = items.filter(taken__gt=0)
                items = items.filter(taken=0)
            yield from (begun, items.filter(pk__in=_much_marked(project, spare)))

    def _contents(self, project: Project, rows: Sequence[Sequence[Any]]) -> dict[int, Content]:
        """Return what is known of these items before anybody labels them."""
        priors: dict[int, list[tuple[int | None, int | None]]] = defaultdict(list)
        prior_rows = Prior.objects.filter(item__in=[row[0] for row in rows], current=True)
        for item, category, severity in prior_rows.values_list("item_id", "category_id", "severity"):
            priors[item].append((category, severity))
        contents = {}
        for key, _batch, _seats, _taken, _public, _external, intended, several, group, severity in rows:
            named = {category for category, _ in priors[key] if category is not None}
            categories = named | project.category_keys(intended, several)
            severities = [band for band in (severity, *(band for _, band in priors[key])) if band is not None]
            contents[key] = Content(frozenset(categories), group, max(severities, default=None))
        return contents


def _much_marked(project: Project, spare: int) -> QuerySet[Any]:
    """Return the keys of items with more than `spare` skips, replacements and decisions, and perhaps a few more.

    Of so many marks at least a third is of one kind. Grouped by kind, so that no count is made for each item.
    """
    marks: tuple[QuerySet[Any], ...] = (
        Skip.objects.filter(annotator__project=project),
        Replacement.objects.filter(reviewer__project=project),
        Adjudication.objects.filter(reviewer__project=project),
    )
    least = spare // 3 + 1
    kinds: list[QuerySet[Any]] = [
        rows.order_by().values("item").annotate(n=Count("pk")).filter(n__gte=least).values_list("item", flat=True)
        for rows in marks
    ]
    return kinds[0].union(*kinds[1:])


def _barred(items: Sequence[int]) -> tuple[Mapping[int, set[int]], set[int]]:
    """Return by item who has a seat in its round, skipped it or saw its votes; and which items were skipped."""
    done: dict[int, set[int]] = defaultdict(set)
    seats = Seat.objects.filter(item__in=items, round=F("item__round"), annotator__isnull=False)
    for item, person in seats.values_list("item_id", "annotator_id"):
        done[item].add(person)
    skips = list(Skip.objects.filter(item__in=items).values_list("item_id", "annotator_id"))
    reviews = Replacement.objects.filter(item__in=items).values_list("item_id", "reviewer_id")
    reviews = reviews.union(Adjudication.objects.filter(item__in=items).values_list("item_id", "reviewer_id"))
    for item, person in (*skips, *reviews):
        done[item].add(person)
    return done, {item for item, _ in skips}


def _opt_outs(project: Project) -> tuple[Unwanted, ...]:
    rows = OptOut.objects.filter(member__project=project, member__active=True, ended_at__isnull=True)
    return tuple(Unwanted(*row) for row in rows.values_list("member_id", "category_id", "target_group", "severity"))
