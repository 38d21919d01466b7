"""Rules for the care of annotators: which items an opt-out covers, and which figures about people may be shown.

Nothing about a single person is ever shown. Figures about people need five of them. Weeks of check-ins are shown only
after they ended, so that two visits to the same page never reveal one person's answer.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import fmean, median

FEWEST_PEOPLE = 5
"""The minimum number of people for a figure about people."""
WEEK = timedelta(days=7)


@dataclass(frozen=True)
class Unwanted:
    """One opt-out of one person: a category (its key), a target group, or a minimum severity."""

    member: int
    category: int | None = None
    group: str = ""
    severity: int | None = None


@dataclass(frozen=True)
class Content:
    """Properties of an item before it is labelled: categories of its priors or its intent, group, severity."""

    categories: frozenset[int] = frozenset()
    group: str = ""
    severity: int | None = None


def falls_under(content: Content, unwanted: Unwanted) -> bool:
    """Return whether the opt-out covers the item; group names are compared without case."""
    if unwanted.category is not None:
        return unwanted.category in content.categories
    if unwanted.group:
        return bool(content.group) and same_group(content.group) == same_group(unwanted.group)
    return unwanted.severity is not None and content.severity is not None and content.severity >= unwanted.severity


def same_group(name: str) -> str:
    """Return the comparison form of a group's name."""
    return name.strip().casefold()


def people_barred(content: Content, opt_outs: Iterable[Unwanted]) -> int:
    """Return how many different people do not get the item because of their opt-outs."""
    return len({opt_out.member for opt_out in opt_outs if falls_under(content, opt_out)})


# ── Figures about many people ─────────────────────────────────────────────────


@dataclass(frozen=True)
class Spread:
    """The median and the highest of a figure over the days of people."""

    median: float
    most: int


def spread(days: Sequence[tuple[int, int]]) -> Spread | None:
    """Return median and maximum over person-days, given as (person, figure).

    Returns None for fewer than five people.
    """
    if len({person for person, _figure in days}) < FEWEST_PEOPLE:
        return None
    figures = [figure for _person, figure in days]
    return Spread(median(figures), max(figures))


@dataclass(frozen=True)
class Mood:
    """A person's answer on a day: 1 (hard) to 5 (fine)."""

    member: int
    day: date
    mood: int


@dataclass(frozen=True)
class WeekOfMoods:
    """A week of check-ins from `monday` on; `mood`, to the nearest half, and `people` are null for fewer than five."""

    monday: date
    people: int | None = None
    mood: float | None = None


def weeks_of_moods(answers: Iterable[Mood], today: date, weeks: int) -> tuple[WeekOfMoods, ...]:
    """Return the last weeks that ended, newest first; each person counts once, by the mean of their answers."""
    moods_by_week: dict[date, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for answer in answers:
        moods_by_week[monday_of(answer.day)][answer.member].append(answer.mood)
    this_monday = monday_of(today)
    return tuple(
        _week(this_monday - WEEK * back, moods_by_week.get(this_monday - WEEK * back, {}))
        for back in range(1, weeks + 1)
    )


def monday_of(day: date) -> date:
    """Return the Monday of the day's week."""
    return day - timedelta(days=day.weekday())


def _week(monday: date, people: dict[int, list[int]]) -> WeekOfMoods:
    if len(people) < FEWEST_PEOPLE:
        return WeekOfMoods(monday)
    mean = fmean(fmean(moods) for moods in people.values())
    return WeekOfMoods(monday, len(people), math.floor(mean * 2 + 0.5) / 2)
