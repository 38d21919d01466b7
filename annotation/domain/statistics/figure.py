"""A figure of a statistic: a value with its interval, or the reason why it is not defined, never 0 or NaN instead."""

from dataclasses import dataclass
from enum import StrEnum

from annotation.domain.statistics.intervals import Interval


class Why(StrEnum):
    """The reason why a figure or its interval is undefined."""

    NO_ITEMS = "no_items"
    ONE_CATEGORY = "one_category"
    TOO_FEW_RATINGS = "too_few_ratings"
    FREE_TEXT = "free_text"
    NO_ANSWERS = "no_answers"
    NOT_TOGETHER = "not_together"
    """Each side has answers, but never in the same period: no draw decided between them."""
    TOO_FEW_ANSWERS = "too_few_answers"
    ONE_PERSON = "one_person"
    ONE_ITEM = "one_item"
    NO_SPREAD = "no_spread"
    NO_LABELS = "no_labels"
    NO_OTHERS = "no_others"
    NO_FINAL = "no_final"
    NO_KNOWN = "no_known"
    NO_TIMES = "no_times"
    TOO_FEW_LABELS = "too_few_labels"
    TOO_FEW_WEEKS = "too_few_weeks"
    ALWAYS_ALIKE = "always_alike"


@dataclass(frozen=True)
class Measured:
    """A figure; where it has no interval, `why` is the reason if one is known."""

    value: float
    interval: Interval | None = None
    why: Why | None = None


@dataclass(frozen=True)
class Undefined:
    """The figure is not defined; `why` is the reason."""

    why: Why


Figure = Measured | Undefined
