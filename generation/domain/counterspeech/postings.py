"""What became of a reply that somebody posted, as people write it down. The site posts nothing and looks nothing up."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from annotation.domain.statistics.intervals import Interval, student_quantile, wilson_interval
from vocabulary.display_names import NamedEnum, pgettext

MOST_ADDRESS = 500
MOST_NOTE = 500
MOST_REACTIONS = 1_000_000_000


class CheckedAfter(NamedEnum):
    """When somebody looked what became of a posted reply."""

    DAY = "after_a_day", pgettext("stored word", "after a day")
    WEEK = "after_a_week", pgettext("stored word", "after a week")
    LATER = "later", pgettext("stored word", "later")


@dataclass(frozen=True)
class Fate:
    """What is known of one posting: seen at any time; reactions as they were after a day and a week.

    `deleted`, `answered` and `harassed` are None where nobody has looked.
    """

    intent: str
    registers: tuple[str, ...]
    deleted: bool | None = None
    answered: bool | None = None
    harassed: bool | None = None
    after_day: int | None = None
    after_week: int | None = None


@dataclass(frozen=True)
class ShareOf:
    """How many postings, of those that somebody looked at, with Wilson's interval; null where nobody has looked."""

    part: int
    of: int
    share: float | None
    interval: Interval | None


@dataclass(frozen=True)
class MeanOf:
    """The mean of counted reactions, with its t interval of 95 %; of one number there is no interval."""

    of: int
    mean: float | None
    interval: Interval | None


def share_of(values: Sequence[bool | None]) -> ShareOf:
    """Return the share of what is true among what is known. Without a known value it has no share."""
    known = [value for value in values if value is not None]
    if not known:
        return ShareOf(0, 0, None, None)
    share = sum(known) / len(known)
    return ShareOf(sum(known), len(known), share, wilson_interval(share, len(known)))


def mean_of(values: Sequence[int | None]) -> MeanOf:
    """Return the mean of the known numbers. One number alone has no interval; below 0 no interval goes."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return MeanOf(len(known), fmean(known) if known else None, None)
    mean, half = fmean(known), student_quantile(len(known) - 1) * stdev(known) / sqrt(len(known))
    return MeanOf(len(known), mean, Interval(max(mean - half, 0), mean + half))
