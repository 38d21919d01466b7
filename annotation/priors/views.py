"""Views of the priors page for admins: progress, cost, failures, and what to do next."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from annotation.core.found import one
from annotation.domain.choices import UNUSABLE_PRIORS, Modality, PriorState, Role
from annotation.models import Item, Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.long_lists import BoundedPaginator, listed_page
from annotation.pages.project_page import project_page
from annotation.priors import requests, results

PAGE_LENGTH = 50


@require_GET
def show(request: PersonRequest, slug: str) -> HttpResponse:
    """How far the priors are, and those that say nothing, in pages of 50."""
    member = member_of(request, slug, Role.ADMIN)
    state = request.GET.get("state", "")
    troubled = among = requests.unusable_priors(member.project)
    if state in UNUSABLE_PRIORS:
        troubled = troubled.filter(state=state)
    context = _progress(member) | {
        "models": [(modality, results.prior_model(member.project, modality)) for modality in Modality],
        "problems": requests.request_problems(member.project),
        "states": UNUSABLE_PRIORS,
        "state": state,
        "again": troubled.count() if state else 0,
        "page": listed_page(BoundedPaginator(troubled, PAGE_LENGTH, key=requests.KEY), among, request.GET),
    }
    return project_page(request, member, "annotation/priors.html", context)


@require_GET
def progress(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the part of the page that follows a batch under way."""
    member = member_of(request, slug, Role.ADMIN)
    return project_page(request, member, "annotation/_priors_progress.html", _progress(member))


@require_POST
def compute(request: PersonRequest, slug: str) -> HttpResponse:
    """Ask for the priors that are missing, or again for those of the state that the form names."""
    member = member_of(request, slug, Role.ADMIN)
    state = request.POST.get("state", "")
    if state in UNUSABLE_PRIORS:
        requested = requests.request_again(member.project, [PriorState(state)], member)
    else:
        requested = requests.request_missing(member.project, member)
    return _redirect_with_messages(request, member, requested)


@require_POST
def compute_item(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Ask for the priors of one item, also where it has some."""
    member = member_of(request, slug, Role.ADMIN)
    item = one(Item.objects.select_related("project"), member.project, public_id)
    _tell(request, requests.request_for_item(item, member))
    return redirect("annotation:item", slug, public_id)


@require_POST
def cancel(request: PersonRequest, slug: str) -> HttpResponse:
    """Ask no further."""
    member = member_of(request, slug, Role.ADMIN)
    ended = requests.cancel_prior_requests(member.project, member)
    message = ngettext(
        "%(count)s question is cancelled. What was answered stays; the rest can be asked later.",
        "%(count)s questions are cancelled. What was answered stays; the rest can be asked later.",
        ended,
    )
    messages.success(request, message % {"count": ended})
    return redirect("annotation:priors", slug)


@require_POST
def go_on(request: PersonRequest, slug: str) -> HttpResponse:
    """Let items go on whose priors failed."""
    member = member_of(request, slug, Role.ADMIN)
    moved = requests.release_items_without_failed_priors(member.project, member)
    message = ngettext(
        "%(count)s item goes on without the prior that failed.",
        "%(count)s items go on without the priors that failed.",
        moved,
    )
    messages.success(request, message % {"count": moved})
    return redirect("annotation:priors", slug)


def _redirect_with_messages(
    request: PersonRequest, member: Membership, requested: requests.RequestedPriors
) -> HttpResponse:
    _tell(request, requested)
    return redirect("annotation:priors", member.project.slug)


def _tell(request: PersonRequest, requested: requests.RequestedPriors) -> None:
    for problem in requested.problems:
        messages.warning(request, problem)
    if requested.queued:
        message = ngettext("%(count)s prior is asked for.", "%(count)s priors are asked for.", requested.queued)
        messages.success(request, message % {"count": requested.queued})
    elif not requested.problems:
        messages.info(request, _("Nothing is left to ask for."))


def _progress(member: Membership) -> dict[str, object]:
    standing = requests.recent_prior_progress(member.project)
    return {
        "standing": standing,
        "left": _in_words(standing.progress.seconds_left) if standing.progress.open else "",
    }


def _in_words(seconds: float | None) -> str:
    """Return a rough time left: seconds below two minutes, minutes below two hours, then hours."""
    if seconds is None:
        return ""
    if seconds < 120:
        count = max(1, round(seconds))
        return ngettext("about %(count)s second", "about %(count)s seconds", count) % {"count": count}
    if seconds < 7200:
        count = round(seconds / 60)
        return ngettext("about %(count)s minute", "about %(count)s minutes", count) % {"count": count}
    count = round(seconds / 3600)
    return ngettext("about %(count)s hour", "about %(count)s hours", count) % {"count": count}
