"""What the people who made a data set were exposed to, for its card: figures about many people, never about one."""

from typing import Any

from django.db.models import Count, Q, Sum

from annotation.domain.care import FEWEST_PEOPLE, spread
from annotation.models import OptOut, Project, WorkDay


def exposure(project: Project) -> dict[str, Any]:
    """Days of work, posts a person and day, skips and opt-outs as JSON, in three queries.

    Null where fewer than five people worked, and `opted_out` where fewer than five opted out of anything.
    """
    days = WorkDay.objects.filter(member__project=project)
    shown = list(days.filter(shown__gt=0).values_list("member_id", "shown"))
    sums = days.aggregate(skips=Sum("skips"), people=Count("member", distinct=True, filter=Q(shown__gt=0)))
    opted_out = OptOut.objects.filter(member__project=project).aggregate(n=Count("member", distinct=True))["n"]
    told = spread(shown)
    return {
        "person_days": len(shown) if told else None,
        "median_shown": told.median if told else None,
        "skips": sums["skips"] if told else None,
        "opted_out": opted_out if told and opted_out >= FEWEST_PEOPLE else None,
    }
