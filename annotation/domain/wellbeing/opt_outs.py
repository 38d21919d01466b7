"""Care for the people who label, as rules: what falls under an opt-out, and what may be told about many people.

Nothing about a person is ever told: figures of people need five of them, and weeks of check-ins are told only once
they are over, so that nobody's answer shows as the difference between two looks at the same page.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import fmean, median

FEWEST_PEOPLE = 5
"""How many people a figure about people needs."""
WEEK = timedelta(days=7)


@dataclass(frozen=True)
class Unwanted:
    """One thing that one person opted out of: a category (its key), a target group, or a severity and above."""

    member: int
    category: int | None = None
    group: str = ""
    severity: int | None = None


@dataclass(frozen=True)
class Content:
    """What is known of an item before it is labelled: categories of its priors or its intent, group, severity."""

    categories: frozenset[int] = frozenset()
    group: str = ""
    severity: int | None = None


def falls_under(content: Content, unwanted: Unwanted) -> bool:
    """Whether the item is one that the person opted out of; groups are compared without case."""
    if unwanted.category is not None:
        return unwanted.category in content.categories
    if unwanted.group:
        return bool(content.group) and same_group(content.group) == same_group(unwanted.group)
    return unwanted.severity is not None and content.severity is not None and content.severity >= unwanted.severity


def same_group(name: str) -> str:
    """A group's name as it is compared."""
    return name.strip().casefold()


def people_barred(content: Content, opt_outs: Iterable[Unwanted]) -> int:
    """How many different people the item is kept from by what they opted out of."""
    return len({each.member for each in opt_outs if falls_under(content, each)})


# ── Figures about many people ─────────────────────────────────────────────────


@dataclass(frozen=True)
class Spread:
    """The middle and the most of a figure over person-days."""

    median: float
    most: int


def spread(days: Sequence[tuple[int, int]]) -> Spread | None:
    """Median and maximum over person-days, given as (person, figure); None for fewer than five people."""
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
    """A week from its Monday on. `mood` to the nearest half and `people` are None where fewer than five answered."""

    monday: date
    people: int | None = None
    mood: float | None = None


def weeks_of_moods(answers: Iterable[Mood], today: date, weeks: int) -> tuple[WeekOfMoods, ...]:
    """The last weeks that are over, newest first; each person counts once, by the mean of their answers."""
    found: dict[date, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for each in answers:
        found[monday_of(each.day)][each.member].append(each.mood)
    this = monday_of(today)
    return tuple(_week(this - WEEK * back, found.get(this - WEEK * back, {})) for back in range(1, weeks + 1))


def monday_of(day: date) -> date:
    """The Monday of the day's week."""
    return day - timedelta(days=day.weekday())


def _week(monday: date, people: dict[int, list[int]]) -> WeekOfMoods:
    if len(people) < FEWEST_PEOPLE:
        return WeekOfMoods(monday)
    mean = fmean(fmean(moods) for moods in people.values())
    return WeekOfMoods(monday, len(people), math.floor(mean * 2 + 0.5) / 2)
