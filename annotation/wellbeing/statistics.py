"""Wellbeing figures for a project's admins: about many people, never about one."""

from dataclasses import dataclass
from datetime import date, timedelta

from annotation.domain.wellbeing.opt_outs import (
    FEWEST_PEOPLE,
    WEEK,
    Mood,
    Spread,
    WeekOfMoods,
    monday_of,
    spread,
    weeks_of_moods,
)
from annotation.models import CheckIn, OptOut, Project, Skip, WorkDay

DAYS = 28
"""Over how many days up to today exposure is told."""
WEEKS = 6
"""How many weeks of check-ins are told."""


@dataclass(frozen=True)
class CareFigures:
    """How people fare, of the last 28 days; null where fewer than five people would stand behind a figure.

    Skips are all there are, opt-outs those in force (`opted_out` counts people), check-ins those of six weeks. `shown`,
    `severe_shown`, `breaks` and `skips` need five people who were shown a post: so no page tells who skipped or paused.
    """

    person_days: int
    shown: int | None
    severe_shown: int | None
    severe: Spread | None
    active_minutes: Spread | None
    breaks: int | None
    skips: int | None
    opted_out: int | None
    weeks: tuple[WeekOfMoods, ...]


def enough_people(project: Project) -> bool:
    """Return whether so many people were shown a post that a sum over them tells nobody's part."""
    shown = WorkDay.objects.filter(member__project=project, shown__gt=0).values("member").distinct()
    return shown.count() >= FEWEST_PEOPLE


def care_figures(project: Project, today: date) -> CareFigures:
    """Count, in a fixed number of queries."""
    since = today - timedelta(days=DAYS - 1)
    days = list(WorkDay.objects.filter(member__project=project, day__gte=since, day__lte=today))
    answers = CheckIn.objects.filter(
        member__project=project, mood__isnull=False, day__gte=monday_of(today) - WEEK * WEEKS
    )
    opted_out = OptOut.objects.filter(member__project=project, member__active=True, ended_at__isnull=True)
    people = opted_out.values("member").distinct().count()
    enough = enough_people(project)
    skips = Skip.objects.filter(item__project=project).count()
    return CareFigures(
        person_days=len(days),
        shown=sum(day.shown for day in days) if enough else None,
        severe_shown=sum(day.severe for day in days) if enough else None,
        severe=spread([(day.member_id, day.severe) for day in days]),
        active_minutes=spread([(day.member_id, round(day.active_seconds / 60)) for day in days]),
        breaks=sum(day.breaks for day in days) if enough else None,
        skips=skips if enough else None,
        opted_out=people if people >= FEWEST_PEOPLE else None,
        weeks=weeks_of_moods(
            [Mood(answer.member_id, answer.day, answer.mood) for answer in answers if answer.mood is not None],
            today,
            WEEKS,
        ),
    )
