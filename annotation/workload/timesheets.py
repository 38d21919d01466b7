"""Timesheets for pay: working time and labels of a person and day, long pauses left out.

Rows are in the order of pseudonyms, never of figures: nobody is compared. Time is rounded once, that of a person and
day to a tenth of a minute; every sum is of rounded rows, so page and file add up.
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
class TimesheetRow:
    """What somebody did on a day or, if `day` is None, on all days of a period."""

    pseudonym: str
    day: date | None
    tenths: int
    """Active tenths of a minute."""
    labels: int
    days: int = 1

    @property
    def minutes(self) -> float:
        """Active minutes with one decimal."""
        return self.tenths / 10


def hours_of_project(project: Project, first: date, last: date) -> list[TimesheetRow]:
    """Return every person's days from `first` to `last`, both included, by pseudonym and day."""
    return _hours(WorkDay.objects.filter(member__project=project), first, last)


def hours_of_member(member: Membership, first: date, last: date) -> list[TimesheetRow]:
    """Return the member's own days from `first` to `last`, both included."""
    return _hours(WorkDay.objects.filter(member=member), first, last)


def totals_by_member(days: Iterable[TimesheetRow]) -> list[TimesheetRow]:
    """Return one row a person for rows that are sorted by pseudonym."""
    return [_total(name, list(rows)) for name, rows in groupby(days, key=lambda each: each.pseudonym)]


def total_of_days(days: list[TimesheetRow]) -> TimesheetRow:
    """Return all days as one row."""
    return _total("", days)


def default_period(today: date) -> tuple[date, date]:
    """Return the period for a request without one: this month so far, and at least the last two weeks."""
    return min(today.replace(day=1), today - timedelta(days=13)), today


def timesheet_csv_rows(days: Iterable[TimesheetRow]) -> Iterator[tuple[str | int | float, ...]]:
    """Yield header and rows for a CSV writer, before cells are made safe."""
    yield "annotator", "date", "active_minutes", "labels"
    for each in days:
        yield each.pseudonym, each.day.isoformat() if each.day else "", each.minutes, each.labels


def _hours(rows: QuerySet[WorkDay], first: date, last: date) -> list[TimesheetRow]:
    worked = rows.filter(day__gte=first, day__lte=last).filter(Q(active_seconds__gt=0) | Q(labels__gt=0))
    found = worked.order_by("member__pseudonym", "member", "day")
    values = found.values_list("member__pseudonym", "day", "active_seconds", "labels")
    return [TimesheetRow(name, day, _tenths(seconds), labels) for name, day, seconds, labels in values]


def _tenths(seconds: int) -> int:
    """Return whole seconds as tenths of a minute, halves up."""
    return (seconds + 3) // 6


def _total(pseudonym: str, days: list[TimesheetRow]) -> TimesheetRow:
    return TimesheetRow(
        pseudonym,
        None,
        sum(each.tenths for each in days),
        sum(each.labels for each in days),
        len({each.day for each in days}),
    )
