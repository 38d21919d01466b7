"""Why there is no post in front of a person, in plain words, and what they can do next."""

from dataclasses import dataclass
from typing import Any, assert_never

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from annotation.domain.pace import Limit
from annotation.guiding import news_for
from annotation.models import Membership
from annotation.outcomes import (
    BreakDue,
    DoneForToday,
    GuidelinesChanged,
    NothingLeft,
    NotOpen,
    QuotaReached,
    TrainingNeeded,
)
from annotation.views.bench import Notice, done_today
from annotation.views.scope import PersonRequest

NoPost = NothingLeft | NotOpen | TrainingNeeded | GuidelinesChanged | QuotaReached | DoneForToday | BreakDue


@dataclass(frozen=True)
class Rest:
    """A page that says: enough for now. `again`: looking again later makes sense today."""

    title: str
    text: str
    again: bool = False


def no_post(
    request: PersonRequest, member: Membership, why: NoPost, notice: Notice | None = None, status: int = 200
) -> HttpResponse:
    """The page for an outcome of a claim without a seat. Nobody else's: no cache may keep it."""
    context: dict[str, Any] = {"notice": notice}
    match why:
        case NothingLeft(until):
            page = "nothing_left"
            context["until"] = until
        case NotOpen():
            page = "nothing_left"
            context["closed"] = True
        case TrainingNeeded():
            page = "training_needed"
            context["training"] = _training(member)
        case GuidelinesChanged():
            page = "guidelines_changed"
            context["news"] = news_for(member)
            if context["news"] is None:  # read in another tab just now
                return redirect("annotation:label", member.project.slug)
        case QuotaReached() | DoneForToday() | BreakDue():
            page = "done_for_today"
            context["rest"] = _rest(why)
        case unforeseen:
            assert_never(unforeseen)
    context |= {"project": member.project, "membership": member, "done_today": done_today(member)}
    answer = render(request, f"annotation/{page}.html", context, status=status)
    answer["Cache-Control"] = "no-store"
    return answer


def _rest(why: QuotaReached | DoneForToday | BreakDue) -> Rest:
    match why:
        case QuotaReached():
            text = _("You have given as many labels as this project takes from one person. Thank you.")
            return Rest(_("Your share is done"), text)
        case BreakDue():
            text = _(
                "The last posts were strong ones, and only strong ones are left at the moment. Rest your eyes for "
                "about ten minutes before the next; nobody waits for you."
            )
            return Rest(_("Time for a short break"), text, again=True)
        case DoneForToday(Limit.MINUTES):
            text = _("You have worked as long as you, or this project, decided on for one day.")
            return Rest(_("Done for today"), text)
        case DoneForToday(Limit.SEVERE_SESSION):
            text = _(
                "You have seen as many strong posts in one go as this project allows, and only strong ones are left. "
                "Come back after a long break, half an hour at least, or another day."
            )
            return Rest(_("Enough for now"), text, again=True)
        case DoneForToday():
            text = _(
                "You have seen as many strong posts as you, or this project, decided on for one day, and only strong "
                "ones are left. Tomorrow there are others."
            )
            return Rest(_("Done for today"), text)


def _training(member: Membership) -> str:
    """The address of the training, or nothing where this installation has no such page."""
    try:
        return reverse("annotation:training", args=[member.project.slug])
    except NoReverseMatch:
        return ""
