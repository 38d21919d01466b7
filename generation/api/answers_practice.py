"""What the API answers about first steps, postings, the library and the figures of the collection, as types.

Every key is always there, and a key that is not named is never there.
"""

from datetime import datetime
from typing import TypedDict
from uuid import UUID

from generation.domain.counterspeech.first_step import FirstChoice, StepReason
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.platforms import Platform
from generation.domain.counterspeech.postings import CheckedAfter
from generation.domain.counterspeech.registers import Register


class FirstStepJson(TypedDict):
    """What was decided about a post, and why; `item` is null for a pasted text.

    `advised` is what the reasons speak for, null without one. People decide.
    """

    id: UUID
    exchange: UUID
    item: str | None
    choice: FirstChoice
    reasons: list[StepReason]
    advised: FirstChoice | None
    note: str | None
    by: str
    at: datetime
    injected: bool


class PostingCheckJson(TypedDict):
    """What somebody saw of a posting; `reactions` is null where nobody counted them."""

    after: CheckedAfter
    deleted: bool
    answered: bool
    harassed: bool
    reactions: int | None
    note: str | None
    by: str
    at: datetime


class PostingJson(TypedDict):
    """Where and when a reply was posted, as somebody wrote it down; `platform` is null for another place."""

    id: UUID
    reply: UUID
    intent: Intent
    registers: list[Register]
    platform: Platform | None
    address: str | None
    posted_at: datetime
    by: str
    checks: list[PostingCheckJson]
    injected: bool


class IntervalOfPostings(TypedDict):
    """An interval of 95 %."""

    low: float
    high: float


class ShareOfPostings(TypedDict):
    """How many postings, of those that somebody looked at, with Wilson's interval; null where nobody has looked."""

    part: int
    of: int
    share: float | None
    interval: IntervalOfPostings | None


class MeanOfPostings(TypedDict):
    """The mean of counted reactions with its interval; of one number there is no interval."""

    of: int
    mean: float | None
    interval: IntervalOfPostings | None


class PostedFigures(TypedDict):
    """What became of the postings of a kind: an intent, a register, or `all`."""

    kind: str
    postings: int
    deleted: ShareOfPostings
    answered: ShareOfPostings
    harassed: ShareOfPostings
    after_day: MeanOfPostings
    after_week: MeanOfPostings


class CollectionFiguresJson(TypedDict):
    """Figures of the approved replies of a kind: an intent, a register, or `all`.

    `novelty`, `repetition_rate`, `post_edit_rate` and `diversity` go from 0; `minutes` is the median of the time that
    writing took. Null: nothing to count.
    """

    kind: str
    replies: int
    novelty: float | None
    repetition_rate: float | None
    post_edit_rate: float | None
    minutes: float | None
    diversity: float | None
    runs: int


class ReplyFigures(TypedDict):
    """The figures of approved replies, and of posted ones."""

    collection: list[CollectionFiguresJson]
    posted: list[PostedFigures]


class LibraryEntry(TypedDict):
    """A reply of the library. `is_old`: nobody has checked it for a year. `intent` is null where a file named none."""

    id: str
    post: str
    text: str
    intent: Intent | None
    registers: list[Register]
    target_group: str | None
    theme: str | None
    language: str | None
    nearness: float | None
    imported: bool
    injected: bool
    source: str | None
    checked_at: datetime
    checked_by: str | None
    is_old: bool
    used_at: datetime | None
