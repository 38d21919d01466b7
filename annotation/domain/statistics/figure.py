"""A figure of a statistic: a value with its interval, or the reason why it is not defined, never 0 or NaN instead."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from annotation.domain.statistics.intervals import Interval
from vocabulary.refusals import gettext_noop as _


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
    TOO_FEW_VOTES = "too_few_votes"
    ONE_ROUND = "one_round"
    NO_CUES = "no_cues"
    NO_VOTES = "no_votes"
    TOO_FEW_ITEMS = "too_few_items"
    ONE_VALUE = "one_value"


SENTENCES: Mapping[Why, str] = {
    Why.NO_ITEMS: _("There is no such item yet."),
    Why.ONE_CATEGORY: _("Only one category was used, so agreement beyond chance is not defined."),
    Why.TOO_FEW_RATINGS: _("No item has two ratings that could be compared."),
    Why.FREE_TEXT: _("Texts in people's own words have no figure of agreement."),
    Why.NO_ANSWERS: _("There is no such answer yet."),
    Why.NOT_TOGETHER: _("Both were never handed out at the same time, so chance did not choose between them."),
    Why.TOO_FEW_ANSWERS: _("There are fewer than ten answers on one side."),
    Why.ONE_PERSON: _("One person alone tells nothing about others."),
    Why.ONE_ITEM: _("One post alone tells nothing about others."),
    Why.NO_SPREAD: _("All answers are alike, so nothing tells how far they might differ."),
    Why.NO_LABELS: _("There is no such label yet."),
    Why.NO_OTHERS: _("On none of these items have the others a majority yet."),
    Why.NO_FINAL: _("None of these items is gold yet."),
    Why.NO_KNOWN: _("No item with a known answer was mixed in yet."),
    Why.NO_TIMES: _("No label says how long it took."),
    Why.TOO_FEW_LABELS: _("Fewer than 30 labels can be compared, too few for a trend."),
    Why.TOO_FEW_WEEKS: _("The labels lie in fewer than three weeks (or blocks), too few for a trend."),
    Why.ALWAYS_ALIKE: _("They always agreed, or never did, so there is no change to measure."),
    Why.TOO_FEW_VOTES: _("Fewer than two took a side."),
    Why.ONE_ROUND: _("There was one round only, so nobody could change sides."),
    Why.NO_CUES: _("No cue was argued."),
    Why.NO_VOTES: _("No item has the votes of two people or more."),
    Why.TOO_FEW_ITEMS: _("Fewer than ten items have both figures."),
    Why.ONE_VALUE: _("One of the two figures is the same on all or nearly all of these items."),
}
"""The reason in a sentence; `annotation.analytics.figure_words` translates it."""


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
