"""What the API of the desk answers, as types: its description is generated from them.

Every key is always there unless it is `NotRequired`, and a key that is not named is never there.
"""

from datetime import datetime
from typing import NotRequired, TypedDict
from uuid import UUID

from annotation.api.answers import KeyedPage, Page
from annotation.api.problems import Problem
from annotation.domain.choices import Level, Modality, Reason, Stage
from annotation.models import Ruling
from moderation.domain.triage import Side
from moderation.models.appeals import AppealOutcome


class SetAsideJson(TypedDict):
    """That a disputed post is assigned to a reviewer, or parked: then `reviewer` is null. `until` null: till taken.

    `note` stands at the post alone, and is null for a caller whose own category is wanted first.
    """

    reviewer: str | None
    note: str | None
    by: str
    at: datetime
    until: datetime | None


class DisputeRow(TypedDict):
    """A disputed post of the queue.

    `vote_entropy` is that of the newest debate of perspectives, in bits; null where none has such a figure. `waits`
    says that it waits for another person or for a method at work, not for the caller.
    """

    id: UUID
    reasons: list[Reason]
    since: datetime | None
    level: Level | None
    vote_entropy: float | None
    round: int
    version: int
    batch: str
    waits: bool
    set_aside: SetAsideJson | None


class DisputePage(Page):
    """A page of disputed posts."""

    results: list[DisputeRow]


class VoteJson(TypedDict):
    """A vote without its annotator's name."""

    letter: str
    category: int | None
    categories: list[int]
    low_quality: bool
    note: str
    target_group: str
    replaced: bool


class Decision(TypedDict):
    """A decision about a post."""

    id: UUID
    item: UUID
    ruling: Ruling
    category: int | None
    categories: list[int]
    target_group: str
    rationale: str
    message: str
    drafted_from: UUID | None
    round: int
    reviewer: str | None
    at: datetime


class DecisionPage(KeyedPage):
    """A page of decisions."""

    results: list[Decision]


class TriageJson(TypedDict):
    """Whom the score of a differing verdict speaks for; both views are a category and whether it is hateful."""

    side: Side
    method: str
    run: UUID
    verdict: list[int | bool | None]
    people: list[int | bool | None]
    people_categories: list[int]
    score: float


class DisputeJson(TypedDict):
    """A disputed post. What others said is left out while the caller's own view is wanted."""

    id: UUID
    text: str
    picture: UUID | None
    version: int
    round: int
    reasons: list[Reason]
    wants_category: bool
    may_decide: bool
    second_look: bool
    proposal: UUID | None
    picture_text: str | None
    leased_to: str | None
    set_aside: SetAsideJson | None
    level: NotRequired[Level | None]
    votes: NotRequired[list[VoteJson]]
    contested: NotRequired[list[Modality]]
    decisions: NotRequired[list[Decision]]
    triage: NotRequired[TriageJson | None]


class ProposalKept(TypedDict):
    """A decision that waits for another reviewer, and its place among those of the post."""

    proposal: UUID
    place: int


class CategoryFilled(TypedDict):
    """Where the post stands after a category was given."""

    item: str
    stage: Stage


class LastChange(TypedDict):
    """Who was first, and what they did."""

    who: str | None
    what: str
    category: int | None
    categories: list[int]
    at: datetime


class Stale(Problem, total=False):
    """Why the decision is not possible now; after somebody else's change, the present version and that change."""

    version: int
    last: LastChange | None


class AppealJson(TypedDict):
    """An appeal and what became of it."""

    id: UUID
    item: UUID
    against: UUID | None
    category: int | None
    categories: list[int]
    appellant: str
    grounds: str
    opened_at: datetime
    outcome: AppealOutcome | None
    answer: UUID | None
    closed_at: datetime | None


class AppealPage(Page):
    """A page of appeals."""

    results: list[AppealJson]


class StatementJson(TypedDict):
    """A statement of reasons under the field names of the register; version 0 is a draft from the record."""

    version: int
    at: NotRequired[datetime]
    fields: dict[str, str | bool | list[str]]
