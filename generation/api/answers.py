"""What the API of counterspeech and injection answers, as types: its description is generated from them.

Every key is always there, and a key that is not named is never there.
"""

from datetime import datetime
from typing import TypedDict
from uuid import UUID

from annotation.api.problems import Problem
from generation.domain.counterspeech.claim_states import ClaimState
from generation.domain.injection.picture_fit import Misfit
from generation.domain.injection.readings import Mismatch
from generation.domain.injection.states import SampleState
from generation.domain.injection.strategies import Strategy
from generation.injection.report import BatchStanding
from generation.practice.collection import CollectionFigures
from generation.practice.postings import PostingFigures

# ── Counterspeech ─────────────────────────────────────────────────────────────


class CandidatesQueued(TypedDict):
    """The run that writes candidates for a post; `new` is false if it was there already."""

    item: str | None
    exchange: UUID
    run: UUID
    new: bool


class ClaimSource(TypedDict):
    """A page that a claim rests on: what it states of itself, null where it says nothing, and when it was read.

    `url` is null for a document of the project.
    """

    id: UUID
    title: str
    publisher: str | None
    published: str | None
    read_at: datetime
    url: str | None


class ClaimJson(TypedDict):
    """A sentence that states something to check, its state, and what that rests on.

    `checked_by`: the run of the agent that set the state; `decided_by`: the person who did. Both are null while nobody
    has. `reason`: why it has no source. `asks`: its words as a check takes them (`POST …/texts/ID/evidence/`).
    """

    id: UUID
    sentence: str
    asks: str
    state: ClaimState
    source: ClaimSource | None
    reason: str | None
    checked_by: UUID | None
    decided_by: str | None
    decided_at: datetime | None


class ReplyFigures(TypedDict):
    """The figures of approved replies, and of posted ones."""

    collection: list[CollectionFigures]
    posted: list[PostingFigures]


# ── Injection ─────────────────────────────────────────────────────────────────


class Switched(TypedDict):
    """Whether injection is on, and the version of its terms."""

    on: bool
    terms_version: int


class TermsRefused(Problem, total=False):
    """Why injection was not switched on, and the version of the terms to accept."""

    terms_version: int


class PlanRefused(Problem, total=False):
    """Why a plan is not carried out; `entry` is the entry at fault, counted from 1."""

    entry: int | None


class Square(TypedDict):
    """One pattern and category: items wanted, gold, on their way, missing."""

    pattern: str
    category: int
    wanted: int
    gold: int
    in_work: int
    missing: int


class InjectionJson(Switched):
    """Whether injection is on, what each pattern and category has and lacks, and the newest batches."""

    coverage: list[Square]
    batches: list[BatchStanding]


class Look(TypedDict):
    """What a model saw in the picture alone, and whom a post with it would be about; null is none of the groups."""

    description: str
    category: int
    target_group: str | None
    model: str
    prompt_digest: str


class Readings(TypedDict):
    """How the writer reads its text alone and with the picture, and whom the two are about."""

    text_label: int
    final_label: int
    target_group: str


class SampleJson(TypedDict):
    """A sample with how it was made.

    `planned_group` differs from `target_group` where the picture moved the sample to another group. `mismatches` are
    where a reading differs from the plan; `misfit` is why nothing was written for the picture.
    """

    id: UUID
    state: SampleState
    text: str | None
    pattern: str
    category: int
    strategy: Strategy
    target_group: str
    planned_group: str
    look: Look | None
    readings: Readings | None
    mismatches: list[Mismatch]
    misfit: Misfit | None
    pool: str
    picture: UUID
    licence: str
    model: str | None
    prompt_digest: str | None
    seed: int
    batch: UUID
    run: UUID | None
    holds: list[str]
    detail: str | None
    reason: str | None
    decided_at: datetime | None
    item: str | None
