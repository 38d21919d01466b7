"""Hours and days go by in a project: every time of its rows moves back, as the clock itself cannot be moved."""

from datetime import timedelta

from django.db.models import F

from annotation.models import Membership, Project, Seat, WorkDay


def let_pass(project: Project, time: timedelta) -> None:
    """Let so much time pass for seats, working days and what is remembered; whole days give new working days."""
    held = Seat.objects.filter(item__project=project, expires_at__isnull=False)
    held.update(expires_at=F("expires_at") - time, held_at=F("held_at") - time)
    held.filter(shown_at__isnull=False).update(shown_at=F("shown_at") - time)
    days = WorkDay.objects.filter(member__project=project)
    days.filter(session_since__isnull=False).update(session_since=F("session_since") - time)
    days.filter(last_act_at__isnull=False).update(last_act_at=F("last_act_at") - time)
    for day in days.order_by("day") if time.days else ():
        WorkDay.objects.filter(pk=day.pk).update(day=day.day - timedelta(days=time.days))
    Membership.objects.filter(project=project, idle_until__isnull=False).update(idle_until=F("idle_until") - time)
