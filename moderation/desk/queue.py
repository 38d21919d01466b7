"""The queue of the desk: disputed items in their order, narrowed by a reviewer's filters."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from django.db.models import BooleanField, Case, Exists, F, FloatField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Now
from django.db.models.lookups import GreaterThanOrEqual

from annotation.domain.choices import Difficulty, Level, Reason
from annotation.models import Dispute, Item, Label, Membership, Project
from annotation.review.queue import disputed_items
from moderation.domain.disagreement import KEY, Inner
from moderation.methods.registry import METHODS
from moderation.models import Appeal, Lease, Proposal, Score
from moderation.models.scores import ScoreState
from runs.domain.states import RunState
from runs.models import Run

YES, NO = "yes", "no"
_BITS = re.compile(r"0|1|0?\.\d{1,6}|1\.0{1,6}", re.ASCII)
_HALF_A_DIGIT = 0.005
"""Pages show two digits: 0.92 finds what they show as 0.92."""


@dataclass(frozen=True)
class QueueFilters:
    """The filters of the queue; an empty field filters nothing.

    `run` and `score`: yes or no; `who`: free (the viewer may take it) or mine (leased to them); `order`: urgent, age or
    disagreement. `disagreement`: the least entropy of the perspectives' votes, 0 to 1 bits.
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
    "who": ("free", "mine"),
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
    """Return the disputed items that pass the filters: appeals first, then by priority, then the longest waiting."""
    items = disputed_items(viewer.project, Reason(filters.reason) if filters.reason else None)
    items = items.annotate(vote_entropy=Subquery(_entropies(), output_field=FloatField()))
    for name in ("batch", "difficulty", "level"):
        if value := getattr(filters, name):
            items = items.filter(**{name: value})
    items = _narrowed_by(items, filters.run, Exists(finished_runs()))
    scored = Score.objects.filter(item=OuterRef("pk"), state=ScoreState.SCORED)
    items = _narrowed_by(items, filters.score, Exists(scored))
    if filters.disagreement:
        items = items.filter(GreaterThanOrEqual(F("vote_entropy"), float(filters.disagreement) - _HALF_A_DIGIT))
    if filters.who == "mine":
        items = items.filter(desk_lease__reviewer=viewer, desk_lease__expires_at__gt=Now())
    elif filters.who == "free":
        items = _free_for(items, viewer)
    if filters.order == "age":
        return items
    if filters.order == "disagreement":
        return items.order_by(F("vote_entropy").desc(nulls_last=True), F("open_since").asc(), "pk")
    appealed = Dispute.objects.filter(item=OuterRef("pk"), settled_at__isnull=True, reason=Reason.APPEAL)
    urgent = Case(When(Exists(appealed), then=Value(True)), default=Value(False), output_field=BooleanField())
    return items.annotate(urgent=urgent).order_by(F("urgent").desc(), F("priority").desc(), F("open_since").asc(), "pk")


def candidates(reviewer: Membership, filters: QueueFilters) -> QuerySet[Item]:
    """Return the items of the queue that this reviewer may take now."""
    return queue(reviewer, replace(filters, who="free"))


def finished_runs() -> QuerySet[Run]:
    """Return the runs with a verdict about the item of the outer query."""
    return Run.objects.filter(subject=OuterRef("public_id"), method__in=list(METHODS), state=RunState.SUCCEEDED)


def _entropies() -> QuerySet[Run, float]:
    """Return the entropy of the votes in the newest debate of perspectives about the item of the outer query."""
    entropy = Cast(KT(f"outcome__{KEY}__{Inner.VOTES}__value"), FloatField())
    debates = finished_runs().annotate(entropy=entropy).filter(entropy__isnull=False)
    return debates.order_by("-id").values_list("entropy", flat=True)[:1]


def _narrowed_by(items: QuerySet[Item], choice: str, condition: Exists) -> QuerySet[Item]:
    return items.filter(condition if choice == YES else ~condition) if choice else items


def _free_for(items: QuerySet[Item], reviewer: Membership) -> QuerySet[Item]:
    """Leave out the items that this reviewer may not take now.

    Those are leased to somebody else, proposed or decided by the reviewer, or labelled by them where that is forbidden.
    """
    item = OuterRef("pk")
    others = Lease.objects.filter(item=item, expires_at__gt=Now()).exclude(reviewer=reviewer)
    proposed = Proposal.objects.filter(item=item, item_version=OuterRef("version"), reviewer=reviewer)
    decided = Appeal.objects.filter(item=item, closed_at__isnull=True).filter(
        Q(against__reviewer=reviewer)
        | Q(item__desk_proposals__reviewer=reviewer, item__desk_proposals__item_version=F("against__item_version"))
    )
    items = items.filter(~Exists(others), ~Exists(proposed), ~Exists(decided))
    if not reviewer.project.adjudicate_own:
        items = items.filter(~Exists(Label.objects.filter(item=item, annotator=reviewer)))
    return items
