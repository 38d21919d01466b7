"""The queue of the desk: what is disputed, in what order, narrowed by what a reviewer asks for."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from django.db.models import BooleanField, Case, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone

from annotation.domain.choices import Difficulty, Level, Reason
from annotation.models import Dispute, Item, Label, Membership
from annotation.review.queue import disputed_items
from moderation.methods.registry import METHODS
from moderation.models import Appeal, Lease, Proposal, Score
from moderation.models.scores import ScoreState
from runs.domain.states import RunState
from runs.models import Run

YES, NO = "yes", "no"


@dataclass(frozen=True)
class Asked:
    """How the queue is narrowed; an empty field narrows nothing.

    `run` and `score`: yes or no; `who`: free (may be taken), mine (leased to the viewer); `order`: urgent or age.
    """

    reason: str = ""
    batch: str = ""
    difficulty: str = ""
    level: str = ""
    run: str = ""
    score: str = ""
    who: str = ""
    order: str = ""

    @property
    def query(self) -> dict[str, str]:
        """What an address has to say to ask for the same."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name))}

    @property
    def narrowed(self) -> bool:
        """Whether anything is left out."""
        return bool(replace(self, order="").query)


CLOSED_SETS: Mapping[str, tuple[str, ...]] = {
    "reason": tuple(Reason),
    "difficulty": tuple(Difficulty),
    "level": tuple(Level),
    "run": (YES, NO),
    "score": (YES, NO),
    "who": ("free", "mine"),
    "order": ("urgent", "age"),
}


class UnknownFilter(ValueError):
    """The queue cannot be asked for this; `known` can."""

    code = "unknown_filter"

    def __init__(self, name: str, value: str, known: tuple[str, ...]) -> None:
        super().__init__(f"There is no {name} {value[:40]!r}; there are {', '.join(known)}.")


def read(values: Mapping[str, Any], *, strict: bool = False) -> Asked:
    """What an address asks for; values that do not exist narrow nothing, or raise UnknownFilter where `strict`."""
    found: dict[str, str] = {}
    for field in fields(Asked):
        value = str(values.get(field.name) or "")[:100]
        known = CLOSED_SETS.get(field.name)
        if known is not None and value and value not in known:
            if strict:
                raise UnknownFilter(field.name, value, known)
            continue
        if "\x00" not in value:
            found[field.name] = value
    return Asked(**found)


def queue(viewer: Membership, asked: Asked) -> QuerySet[Item]:
    """The disputed items that the viewer asks for: appeals first, then by priority, longest waiting first."""
    found = disputed_items(viewer.project, Reason(asked.reason) if asked.reason else None)
    for name in ("batch", "difficulty", "level"):
        if value := getattr(asked, name):
            found = found.filter(**{name: value})
    found = _narrowed_by(found, asked.run, Exists(finished_runs()))
    scored = Score.objects.filter(item=OuterRef("pk"), state=ScoreState.SCORED)
    found = _narrowed_by(found, asked.score, Exists(scored))
    if asked.who == "mine":
        found = found.filter(desk_lease__reviewer=viewer, desk_lease__expires_at__gt=timezone.now())
    elif asked.who == "free":
        found = _free_for(found, viewer)
    if asked.order == "age":
        return found
    appealed = Dispute.objects.filter(item=OuterRef("pk"), settled_at__isnull=True, reason=Reason.APPEAL)
    urgent = Case(When(Exists(appealed), then=Value(True)), default=Value(False), output_field=BooleanField())
    return found.annotate(urgent=urgent).order_by(F("urgent").desc(), F("priority").desc(), F("open_since").asc(), "pk")


def candidates(reviewer: Membership, asked: Asked) -> QuerySet[Item]:
    """The items of the queue that may be put in front of this reviewer now."""
    return queue(reviewer, replace(asked, who="free"))


def finished_runs() -> QuerySet[Run]:
    """The runs with a verdict of the item that the outer query looks at."""
    return Run.objects.filter(subject=OuterRef("public_id"), method__in=list(METHODS), state=RunState.SUCCEEDED)


def _narrowed_by(found: QuerySet[Item], wanted: str, there: Exists) -> QuerySet[Item]:
    return found.filter(there if wanted == YES else ~there) if wanted else found


def _free_for(found: QuerySet[Item], reviewer: Membership) -> QuerySet[Item]:
    """Without what others have before them, what is the reviewer's own, and what somebody else has to answer."""
    item = OuterRef("pk")
    others = Lease.objects.filter(item=item, expires_at__gt=timezone.now()).exclude(reviewer=reviewer)
    proposed = Proposal.objects.filter(item=item, item_version=OuterRef("version"), reviewer=reviewer)
    decided = Appeal.objects.filter(item=item, closed_at__isnull=True).filter(
        Q(against__reviewer=reviewer)
        | Q(item__desk_proposals__reviewer=reviewer, item__desk_proposals__item_version=F("against__item_version"))
    )
    found = found.filter(~Exists(others), ~Exists(proposed), ~Exists(decided))
    if not reviewer.project.adjudicate_own:
        found = found.filter(~Exists(Label.objects.filter(item=item, annotator=reviewer)))
    return found
