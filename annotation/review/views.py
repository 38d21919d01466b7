"""Views that exclude and reopen items. Disputes are decided at the desk, which is the moderation app's."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.consensus import exclude, report_notices
from annotation.core.found import one
from annotation.domain.choices import Role, Stage
from annotation.models import Item, Membership, Project
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from annotation.review import adjudicate
from annotation.review.adjudicate import NotAllowed, StaleVersion
from annotation.review.forms import ReasonForm, ReportForm
from annotation.training import control_items


def reviewer(request: PersonRequest, slug: str) -> Membership:
    """Return the viewer's membership as a reviewer or admin of the project.

    Raises Http404 if they are neither.
    """
    return member_of(request, slug, Role.REVIEWER, Role.ADMIN)


# ── Taking out and reopening ──────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
def reopen(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Send a settled item back to labelling, with a reason; admins only."""
    member = member_of(request, slug, Role.ADMIN)
    item = _item(member.project, public_id)
    if item.stage not in (Stage.GOLD, Stage.EXCLUDED) and request.method == "GET":
        return redirect("annotation:item", slug, item.public_id)
    if control_items.known_answer_of(item) is not None:
        messages.error(request, _("This post has a known answer, so it gets no votes any more."))
        return redirect("annotation:item", slug, item.public_id)
    form = ReasonForm(request.POST or None)
    if not form.is_valid():
        return _ask(request, member, item, form, "reopen")
    try:
        adjudicate.reopen_closed_item(item, member, form.cleaned_data["version"], form.cleaned_data["reason"])
    except (StaleVersion, NotAllowed):
        form.add_error(None, _("Somebody changed this post in the meantime. Look at it again before you reopen it."))
        return _ask(request, member, _item(member.project, public_id), form, "reopen", status=409)
    messages.success(request, _("Reopened: the post is being labelled again."))
    return redirect("annotation:item", slug, item.public_id)


@require_http_methods(["GET", "POST"])
def withdraw_item(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Take an item out on request, with a reason; admins only."""
    member = member_of(request, slug, Role.ADMIN)
    item = _item(member.project, public_id)
    form = ReasonForm(request.POST or None)
    if not form.is_valid():
        return _ask(request, member, item, form, "withdraw")
    if not exclude.withdraw_item(item, member, form.cleaned_data["reason"]):
        form.add_error(None, _("The post has already been taken out."))
        return _ask(request, member, _item(member.project, public_id), form, "withdraw", status=409)
    messages.success(request, _("Taken out: the post is in no queue and no later release."))
    return redirect("annotation:item", slug, item.public_id)


@require_http_methods(["GET", "POST"])
def report_item(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Report illegal content that a reviewer or admin came across; it is gone at once."""
    member = reviewer(request, slug)
    item = _item(member.project, public_id)
    form = ReportForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _ask(request, member, item, form, "report")
    told = report_notices.report_post(item, member, form.cleaned_data["reason"])
    return project_page(request, member, "annotation/review_reported.html", told=told)


def _ask(
    request: PersonRequest, member: Membership, item: Item, form: Any, act: str, status: int | None = None
) -> HttpResponse:
    """Show the page that asks for a reason before something is taken out or reopened."""
    context = {"item": item, "form": form, "act": act}
    if act == "report":
        context["told"] = report_notices.who_is_told(member.project)
    return project_page(
        request, member, "annotation/review_act.html", context, status=status or (422 if form.is_bound else 200)
    )


# ── Shared ────────────────────────────────────────────────────────────────────


def _item(project: Project, public_id: UUID) -> Item:
    """Return an item of the project with what its page shows, or 404."""
    return one(Item.objects.select_related("picture", "category", "intended", "project"), project, public_id)
