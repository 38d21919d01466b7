"""What is said once between two posts, on a calm page of its own: a break, a limit that is reached, the day's goal."""

from enum import StrEnum
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.outcomes import HeldSeat
from annotation.domain.wellbeing.breaks import Limit
from annotation.labelling.workspace import swaps_post
from annotation.models import Membership
from annotation.pages.access import PersonRequest


class Interlude(StrEnum):
    """What the page says; the next post waits behind it."""

    BREAK = "break"
    SEVERE_DAY = Limit.SEVERE_DAY
    SEVERE_SESSION = Limit.SEVERE_SESSION
    GOAL = "goal"


def interlude_before(request: PersonRequest, member: Membership, held: HeldSeat) -> Interlude | None:
    """Return what is said before the seat's post is shown. The goal is said once a day in a browser."""
    if held.offers_break:
        return Interlude.BREAK
    if held.reached is not None:
        return Interlude(held.reached)
    goal, today = member.project.daily_goal, f"{member.public_id} {timezone.localdate()}"
    if goal and held.labels_today >= goal and request.session.get("goal_said") != today:
        request.session["goal_said"] = today
        return Interlude.GOAL
    return None


def go_to_interlude(request: PersonRequest, slug: str, interlude: Interlude) -> HttpResponse:
    """Lead to the calm page; a script that would swap the post in is told to go there."""
    address = f"{reverse('annotation:pause', args=[slug])}?{urlencode({'said': interlude})}"
    return HttpResponse(headers={"HX-Redirect": address}) if swaps_post(request) else redirect(address)
