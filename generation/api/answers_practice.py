"""What the API answers about first steps, postings, the library and the figures of the collection, as types.

Every key is always there, and a key that is not named is never there.
"""

from typing import TypedDict


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
