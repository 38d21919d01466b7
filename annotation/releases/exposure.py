"""Exposure of the annotators of a data set to its content, for the card: figures about many people, never about one."""

from typing import Any

from django.db.models import Count, Q, Sum

from annotation.domain.wellbeing.opt_outs import FEWEST_PEOPLE, spread
from annotation.models import OptOut, Project, WorkDay


def exposure(project: Project) -> dict[str, Any]:
    """Return days of work, posts per person and day, skips and opt-outs as JSON, in three queries.

    Figures are null if fewer than five people worked; `opted_out` is null if fewer than five opted out of anything.
    """
    days = WorkDay.objects.filter(member__project=project)
    shown = list(days.filter(shown__gt=0).values_list("member_id", "shown"))
    sums = days.aggregate(skips=Sum("skips"), people=Count("member", distinct=True, filter=Q(shown__gt=0)))
    opted_out = OptOut.objects.filter(member__project=project).aggregate(n=Count("member", distinct=True))["n"]
    figures = spread(shown)
    return {
        "person_days": len(shown) if figures else None,
        "median_shown": figures.median if figures else None,
        "skips": sums["skips"] if figures else None,
        "opted_out": opted_out if figures and opted_out >= FEWEST_PEOPLE else None,
    }
