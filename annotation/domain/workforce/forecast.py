"""When a batch will be finished, from the pace of its last days: a range of dates, or nothing where little is known."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import fmean, stdev

ACTIVE_DAYS = 7
"""Days with labels that the pace is taken from, the last ones."""
FEWEST_DAYS, FEWEST_LABELS = 3, 30
"""With less of either nothing is estimated."""
LOOKED_BACK = 28
"""Days before today in which labels are looked for."""
_FARTHEST = 3650
_Z = 1.96


@dataclass(frozen=True)
class Pace:
    """Labels of the last active days: how many days, over how many calendar days, and how many labels a day."""

    days: int
    span: int
    """Calendar days from the first of them until today, both counted."""
    labels: int
    per_day: float
    """Labels on an active day, on average."""
    low: float
    high: float
    """The 95 % interval of that average; `low` is no less than a quarter of it."""


@dataclass(frozen=True)
class Estimate:
    """The first and the last day on which the work will be finished, if people go on as before."""

    first: date
    last: date
    pace: Pace


@dataclass(frozen=True)
class TooLittle:
    """Nothing is estimated: fewer than three days with labels, or fewer than thirty labels."""

    pace: Pace | None


def pace(labels: Mapping[date, int], today: date) -> Pace | None:
    """The pace of the last active days up to today; None where there were none."""
    active = sorted((day for day, count in labels.items() if count > 0 and day <= today), reverse=True)[:ACTIVE_DAYS]
    if not active:
        return None
    counts = [labels[day] for day in active]
    mean = fmean(counts)
    half = _Z * stdev(counts) / math.sqrt(len(counts)) if len(counts) > 1 else 0.0
    span = (today - active[-1]).days + 1
    return Pace(len(active), span, sum(counts), mean, max(mean - half, mean / 4), mean + half)


def estimate(labels: Mapping[date, int], left: int, today: date) -> Estimate | TooLittle:
    """When `left` labels will have been given, at the pace and with the free days of the last active days."""
    found = pace(labels, today)
    if found is None or found.days < FEWEST_DAYS or found.labels < FEWEST_LABELS:
        return TooLittle(found)
    share = found.days / found.span
    first, last = (_day(today, left / (a_day * share)) for a_day in (found.high, found.low))
    return Estimate(first, last, found)


def _day(today: date, days: float) -> date:
    return today + timedelta(days=min(math.ceil(days), _FARTHEST))
