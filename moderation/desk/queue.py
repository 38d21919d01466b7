"""The queue of the desk: disputed items in their order, narrowed by a reviewer's filters."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    Count,
    Exists,
    F,
    FloatField,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Now
from django.db.models.lookups import GreaterThanOrEqual

from annotation.domain.choices import Difficulty, Level, Reason
from annotation.models import Dispute, Item, Label, Membership, Project
from annotation.review.queue import disputed_items
from moderation.domain.disagreement import KEY, Inner
from moderation.methods.registry import METHODS
from moderation.models import Appeal, Lease, Proposal, Score, SetAside
from moderation.models.scores import ScoreState
from runs.domain.states import OPEN, RunState
from runs.models import Run

YES, NO = "yes", "no"
_BITS = re.compile(r"0|1|0?\.\d{1,6}|1\.0{1,6}", re.ASCII)
_HALF_A_DIGIT = 0.005
"""Pages show two digits: 0.92 finds what they show as 0.92."""


@dataclass(frozen=True)
class QueueFilters:
    """The filters of the queue; an empty field filters nothing.

    `run` and `score`: yes or no. `who`: free (the viewer may take it), mine (leased to them), to_me (assigned to them),
    assigned (to anybody) or parked. `order`: urgent, age or disagreement. `disagreement`: the least entropy of the
    perspectives' votes, 0 to 1 bits.
    """

    reason: str = ""
    batch: str = ""
    difficulty: str = ""
    level: str = ""
    run: str = ""
    score: str = ""
    who: str = ""
    disagreement: str = ""
    order: str = ""

    @property
    def query(self) -> dict[str, str]:
        """The filters as parameters of an address."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name))}

    @property
    def is_filtered(self) -> bool:
        """Whether anything beside the reason was chosen: a filter, or the order."""
        return bool(replace(self, reason="").query)

    @property
    def narrowed(self) -> bool:
        """Whether a filter leaves items out."""
        return bool(replace(self, order="").query)


CLOSED_SETS: Mapping[str, tuple[str, ...]] = {
    "reason": tuple(Reason),
    "difficulty": tuple(Difficulty),
    "level": tuple(Level),
    "run": (YES, NO),
    "score": (YES, NO),
    "who": ("free", "mine", "to_me", "assigned", "parked"),
    "order": ("urgent", "age", "disagreement"),
}


class UnknownFilter(ValueError):
    """The value of a filter does not exist; the message lists the known values, as far as there are any."""

    code = "unknown_filter"

    def __init__(self, name: str, value: str, values: tuple[str, ...]) -> None:
        there_are = f"; there are {', '.join(values)}" if values else ""
        super().__init__(f"There is no {name} {value[:40]!r}{there_are}.")


def read(values: Mapping[str, Any], *, strict_in: Project | None = None) -> QueueFilters:
    """Return the filters of an address. Unknown values are ignored unless `strict_in` names the project.

    Raises UnknownFilter if it does and a value is unknown.
    """
    filters: dict[str, str] = {}
    for field in fields(QueueFilters):
        value = str(values.get(field.name) or "")[:100]
        closed_set = CLOSED_SETS.get(field.name)
        if field.name == "batch" and value and strict_in is not None:
            closed_set = tuple(strict_in.batch_rows.exclude(name="").values_list("name", flat=True))
        if closed_set is not None and value and value not in closed_set:
            if strict_in is not None:
                raise UnknownFilter(field.name, value, closed_set)
            continue
        if field.name == "disagreement" and value and not _BITS.fullmatch(value):
            if strict_in is not None:
                raise UnknownFilter(field.name, value, ("numbers from 0 to 1",))
            continue
        if "\x00" not in value:
            filters[field.name] = value
    return QueueFilters(**filters)


def queue(viewer: Membership, filters: QueueFilters) -> QuerySet[Item]:
    """Return the disputed items that pass the filters: appeals first, then by priority, then the longest waiting.

    Each with `waits`, whether it waits for somebody or something else than this viewer; those come last. Each has
    `at_work`, whether a model is, and without another query an item its `set_aside_rows`: at most one, in force.
    """
    items = disputed_items(viewer.project, Reason(filters.reason) if filters.reason else None)
    items = items.annotate(vote_entropy=Subquery(_entropies(), output_field=FloatField()))
    items = items.annotate(at_work=Exists(_open_runs()), waits=_waits_for_others(viewer)).prefetch_related(
        Prefetch("set_asides", set_aside_rows().select_related("reviewer", "by"), to_attr="set_aside_rows")
    )
    for name in ("batch", "difficulty", "level"):
        if value := getattr(filters, name):
            items = items.filter(**{name: value})
    items = _narrowed_by(items, filters.run, Exists(finished_runs()))
    scored = Score.objects.filter(item=OuterRef("pk"), state=ScoreState.SCORED)
    items = _narrowed_by(items, filters.score, Exists(scored))
    if filters.disagreement:
        items = items.filter(GreaterThanOrEqual(F("vote_entropy"), float(filters.disagreement) - _HALF_A_DIGIT))
    if filters.who:
        items = items.filter(_for_whom(filters.who, viewer))
    if filters.order == "age":
        return items.order_by(F("waits").asc(), F("open_since").asc(), "pk")
    if filters.order == "disagreement":
        return items.order_by(F("waits").asc(), F("vote_entropy").desc(nulls_last=True), F("open_since").asc(), "pk")
    appealed = Dispute.objects.filter(item=OuterRef("pk"), settled_at__isnull=True, reason=Reason.APPEAL)
    urgent = Case(When(Exists(appealed), then=Value(True)), default=Value(False), output_field=BooleanField())
    order = (F("waits").asc(), F("urgent").desc(), F("priority").desc(), F("open_since").asc(), "pk")
    return items.annotate(urgent=urgent).order_by(*order)


def candidates(reviewer: Membership, filters: QueueFilters) -> QuerySet[Item]:
    """Return the items of the queue that this reviewer may take now."""
    return queue(reviewer, _open_to_all(filters)).filter(_free_for(reviewer))


def ready(viewer: Membership, filters: QueueFilters) -> QuerySet[Item]:
    """Return the items of the queue that wait for nobody and nothing else: *Next* opens these."""
    return queue(viewer, _open_to_all(filters)).filter(Q(waits=False))


def counts(items: QuerySet[Item]) -> tuple[int, int]:
    """Return the number of these items of the queue, and of those among them that wait for nobody else."""
    found = items.order_by().aggregate(all=Count("pk"), ready=Count("pk", filter=Q(waits=False)))
    return found["all"], found["ready"]


def _open_to_all(filters: QueueFilters) -> QueueFilters:
    """Return the filters without who has a post: only *assigned to me* goes on to a next post."""
    return filters if filters.who == "to_me" else replace(filters, who="")


def set_aside_rows() -> QuerySet[SetAside]:
    """Return the rows that set a post aside now: not ended, of its present round, and their time is not over."""
    rows = SetAside.objects.filter(ended_at__isnull=True, round=F("item__round"))
    return rows.filter(Q(until__isnull=True) | Q(until__gt=Now()))


def kept_from(viewer: Membership) -> QuerySet[SetAside]:
    """Return the rows in force that keep a post from this viewer: parked posts, and those assigned to somebody else."""
    return set_aside_rows().filter(Q(reviewer__isnull=True) | ~Q(reviewer=viewer))


def finished_runs() -> QuerySet[Run]:
    """Return the runs with a verdict about the item of the outer query."""
    return Run.objects.filter(subject=OuterRef("public_id"), method__in=list(METHODS), state=RunState.SUCCEEDED)


def _open_runs() -> QuerySet[Run]:
    """Return the runs about the item of the outer query that are queued or at work."""
    return Run.objects.filter(subject=OuterRef("public_id"), method__in=list(METHODS), state__in=OPEN)


def _entropies() -> QuerySet[Run, float]:
    """Return the entropy of the votes in the newest debate of perspectives about the item of the outer query."""
    entropy = Cast(KT(f"outcome__{KEY}__{Inner.VOTES}__value"), FloatField())
    debates = finished_runs().annotate(entropy=entropy).filter(entropy__isnull=False)
    return debates.order_by("-id").values_list("entropy", flat=True)[:1]


def _narrowed_by(items: QuerySet[Item], choice: str, condition: Exists) -> QuerySet[Item]:
    return items.filter(condition if choice == YES else ~condition) if choice else items


def _for_whom(who: str, viewer: Membership) -> Q | Exists:
    rows = set_aside_rows().filter(item=OuterRef("pk"))
    match who:
        case "mine":
            return Q(desk_lease__reviewer=viewer, desk_lease__expires_at__gt=Now())
        case "to_me":
            return Exists(rows.filter(reviewer=viewer))
        case "assigned":
            return Exists(rows.filter(reviewer__isnull=False))
        case "parked":
            return Exists(rows.filter(reviewer__isnull=True))
        case _:
            return _free_for(viewer)


def _waits_for_others(viewer: Membership) -> Case | Value:
    """Return whether an item waits for another person, or for a method at work. False for who does not review."""
    if not viewer.reviews:
        return Value(False, output_field=BooleanField())
    ready_now = _free_for(viewer) & ~Exists(_open_runs())
    return Case(When(ready_now, then=Value(False)), default=Value(True), output_field=BooleanField())


def _free_for(reviewer: Membership) -> Q:
    """Return the condition that the reviewer may take an item now.

    They may not if it is leased to or set aside for somebody else, proposed or decided by them, or labelled by them
    where that is forbidden.
    """
    item = OuterRef("pk")
    others = Lease.objects.filter(item=item, expires_at__gt=Now()).exclude(reviewer=reviewer)
    proposed = Proposal.objects.filter(item=item, item_version=OuterRef("version"), reviewer=reviewer)
    decided = Appeal.objects.filter(item=item, closed_at__isnull=True).filter(
        Q(against__reviewer=reviewer)
        | Q(item__desk_proposals__reviewer=reviewer, item__desk_proposals__item_version=F("against__item_version"))
    )
    kept = kept_from(reviewer).filter(item=item)
    free = Q(~Exists(others), ~Exists(kept), ~Exists(proposed), ~Exists(decided))
    if not reviewer.project.adjudicate_own:
        free &= Q(~Exists(Label.objects.filter(item=item, annotator=reviewer)))
    return free
