"""Forecast of the day on which a batch is finished, from the pace of its last days: a range of dates, or nothing."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import fmean, stdev

ACTIVE_DAYS = 7
"""The number of last days with labels from which the pace is computed."""
FEWEST_DAYS, FEWEST_LABELS = 3, 30
"""The minimum numbers of days and labels for an estimate."""
LOOKED_BACK = 28
"""The number of days before today in which labels are counted."""
_FARTHEST = 3650
_Z = 1.96


@dataclass(frozen=True)
class Pace:
    """Labels of the last active days: number of days, their calendar span, and labels a day."""

    days: int
    span: int
    """Calendar days from the first of these days to today, both included."""
    labels: int
    per_day: float
    """The mean number of labels on an active day."""
    low: float
    high: float
    """The 95 % interval of that mean; `low` is at least a quarter of the mean."""


@dataclass(frozen=True)
class Estimate:
    """The first and the last day on which the work may be finished if people go on at the same pace."""

    first: date
    last: date
    pace: Pace


@dataclass(frozen=True)
class TooLittle:
    """No estimate: fewer than three days with labels, or fewer than thirty labels."""

    pace: Pace | None


def pace(labels: Mapping[date, int], today: date) -> Pace | None:
    """Return the pace of the last active days up to today. Returns None if there were none."""
    active = sorted((day for day, count in labels.items() if count > 0 and day <= today), reverse=True)[:ACTIVE_DAYS]
    if not active:
        return None
    counts = [labels[day] for day in active]
    mean = fmean(counts)
    half = _Z * stdev(counts) / math.sqrt(len(counts)) if len(counts) > 1 else 0.0
    span = (today - active[-1]).days + 1
    return Pace(len(active), span, sum(counts), mean, max(mean - half, mean / 4), mean + half)


def estimate(labels: Mapping[date, int], labels_left: int, today: date) -> Estimate | TooLittle:
    """Return the days on which `labels_left` more labels may be finished, at the pace of the last active days."""
    recent = pace(labels, today)
    if recent is None or recent.days < FEWEST_DAYS or recent.labels < FEWEST_LABELS:
        return TooLittle(recent)
    share = recent.days / recent.span
    first, last = (_day(today, labels_left / (a_day * share)) for a_day in (recent.high, recent.low))
    return Estimate(first, last, recent)


def _day(today: date, days: float) -> date:
    return today + timedelta(days=min(math.ceil(days), _FARTHEST))
