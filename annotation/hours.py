"""Time and labels a person and day, for pay: from what was counted while they worked, long pauses left out.

In the order of pseudonyms, never of figures: nobody is compared.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from django.db.models import Q, QuerySet

from annotation.models import Membership, Project, WorkDay

MOST_DAYS = 366
"""How many days may be asked for at once."""


@dataclass(frozen=True)
class Hours:
    """What somebody did on a day, or (`day` is None) on all days asked for; time in whole seconds."""

    pseudonym: str
    day: date | None
    seconds: int
    labels: int
    days: int = 1

    @property
    def minutes(self) -> float:
        """Active minutes with one decimal."""
        return round(self.seconds / 60, 1)


def hours_of_project(project: Project, first: date, last: date) -> list[Hours]:
    """Every person's days from `first` to `last`, both included, by pseudonym and day."""
    return _hours(WorkDay.objects.filter(member__project=project), first, last)


def hours_of_member(member: Membership, first: date, last: date) -> list[Hours]:
    """The person's own days."""
    return _hours(WorkDay.objects.filter(member=member), first, last)


def totals(days: Iterable[Hours]) -> list[Hours]:
    """One row a person for rows that stand by pseudonym."""
    return [_total(name, list(rows)) for name, rows in groupby(days, key=lambda each: each.pseudonym)]


def total(days: list[Hours]) -> Hours:
    """All of it as one row."""
    return _total("", days)


def usual_days(today: date) -> tuple[date, date]:
    """What is asked for where nothing else is: this month so far, and at least the last two weeks."""
    return min(today.replace(day=1), today - timedelta(days=13)), today


def csv_rows(days: Iterable[Hours]) -> Iterator[tuple[str | int | float, ...]]:
    """Header and rows for a CSV writer, before cells are made safe."""
    yield "annotator", "date", "active_minutes", "labels"
    for each in days:
        yield each.pseudonym, each.day.isoformat() if each.day else "", each.minutes, each.labels


def _hours(rows: QuerySet[WorkDay], first: date, last: date) -> list[Hours]:
    worked = rows.filter(day__gte=first, day__lte=last).filter(Q(active_seconds__gt=0) | Q(labels__gt=0))
    found = worked.order_by("member__pseudonym", "member", "day")
    return [Hours(*each) for each in found.values_list("member__pseudonym", "day", "active_seconds", "labels")]


def _total(pseudonym: str, days: list[Hours]) -> Hours:
    return Hours(
        pseudonym,
        None,
        sum(each.seconds for each in days),
        sum(each.labels for each in days),
        len({each.day for each in days}),
    )
