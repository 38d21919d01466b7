"""Let time pass in a project: all times of its rows are moved back, because the clock itself cannot be moved."""

from datetime import timedelta

from django.db.models import F
from django.db.models.functions import Now

from annotation.models import Membership, Project, Seat, WorkDay


def let_pass(project: Project, time: timedelta) -> None:
    """Let `time` pass for seats, answers that can be changed, working days and idle pauses.

    Whole days give new working days.
    """
    # What is past stays past. Most seats have a label that is final, and to move them takes most of the time.
    Seat.objects.filter(item__project=project, final_at__gt=Now()).update(final_at=F("final_at") - time)
    seats = Seat.objects.filter(item__project=project, expires_at__isnull=False)
    seats.update(expires_at=F("expires_at") - time, held_at=F("held_at") - time)
    seats.filter(shown_at__isnull=False).update(shown_at=F("shown_at") - time)
    days = WorkDay.objects.filter(member__project=project)
    days.filter(session_since__isnull=False).update(session_since=F("session_since") - time)
    days.filter(last_act_at__isnull=False).update(last_act_at=F("last_act_at") - time)
    for day in days.order_by("day") if time.days else ():
        WorkDay.objects.filter(pk=day.pk).update(day=day.day - timedelta(days=time.days))
    Membership.objects.filter(project=project, idle_until__isnull=False).update(idle_until=F("idle_until") - time)
