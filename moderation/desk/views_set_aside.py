"""Beside a decision: setting a post aside, taking it or a decision back, and reasons that were given before."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.choices import Stage
from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page
from annotation.review.adjudicate import NotAllowed
from annotation.review.queue import wants_category_of
from moderation.desk import decide, leases, queue, set_aside
from moderation.desk.case_view import Desk
from moderation.desk.decide import ProposalAnswered
from moderation.desk.error_messages import leased_sentence, refusal_of
from moderation.desk.forms import SetAsideForm
from moderation.desk.leases import Leased
from moderation.desk.reasons import used_reasons
from moderation.desk.set_aside import BadSetAside, KeptForAnother, reviewers_of
from moderation.desk.views import address, decision_form, item_of, next_address, query_of, reviewer, show_post


@require_POST
def set_post_aside(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Assign the post to a reviewer, or park it, and go on with the next one."""
    member = reviewer(request, slug)
    item = item_of(member.project, public_id)
    desk = Desk(member, item, queue.read(request.GET))
    form = SetAsideForm(request.POST, reviewers=reviewers_of(member.project))
    if not form.is_valid():
        return show_post(request, desk, decision_form(desk, request), status=422, aside=form)
    try:
        row = set_aside.set_aside(item, member, form.wish)
    except Leased as leased:
        return show_post(request, desk, decision_form(desk, request), 409, leased=leased.lease, aside=form)
    except (BadSetAside, KeptForAnother, NotAllowed) as refused:
        if item.stage != Stage.DISPUTED:
            messages.error(request, refusal_of(refused))
            return redirect("annotation:item", slug, item.public_id)
        form.add_error(None, refusal_of(refused))
        status = 422 if isinstance(refused, BadSetAside) else 403
        return show_post(request, desk, decision_form(desk, request), status, aside=form)
    done = _("The post is assigned to %(who)s.") % {"who": row.reviewer} if row.reviewer else _("The post is parked.")
    here = reverse("moderation:desk-item", args=[slug, item.public_id])
    messages.success(request, format_html('{} <a href="{}">{}</a>', done, here, _("See it, or take it back")))
    if row.reviewer == member:
        return redirect(address("moderation:desk-item", desk, item))
    return redirect(next_address(desk, leases.take_next(member, desk.filters, beside=item) if member.reviews else None))


@require_POST
def take(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """End what sets the post aside. A reviewer then has it."""
    member = reviewer(request, slug)
    item = item_of(member.project, public_id)
    desk = Desk(member, item, queue.read(request.GET))
    try:
        if set_aside.end(item, member):
            messages.success(request, _("The post is no longer set aside."))
    except Leased as leased:
        messages.error(request, leased_sentence(leased.lease))
    return redirect(address("moderation:desk-item", desk, item))


@require_POST
def take_back(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Take back the viewer's decision that waits for a second reviewer. The post is theirs to decide again."""
    member = reviewer(request, slug)
    item = item_of(member.project, public_id)
    try:
        decide.take_back(item, member)
        messages.success(request, _("Your decision is taken back. You can decide again, or leave it to others."))
    except ProposalAnswered as answered:
        messages.error(request, refusal_of(answered))
    return redirect(address("moderation:desk-item", Desk(member, item, queue.read(request.GET)), item))


@require_GET
def reasons(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show reasons that were given before and hold the words of `?q`, as a part of the post's page or alone."""
    member = reviewer(request, slug)
    item = item_of(member.project, public_id)
    if wants_category_of(item, member):
        raise Http404
    desk, words = Desk(member, item, queue.read(request.GET)), request.GET.get("q", "")[:100]
    anew = {"anew": request.GET.get("anew", "1")} if item.stage != Stage.DISPUTED or "anew" in request.GET else {}
    context = {
        "reasons": used_reasons(member, item, words),
        "words": words,
        "query": query_of(desk.filters, **anew),
        "post_page": address("moderation:desk-item", desk, item, **anew),
    }
    return project_page(request, member, "moderation/desk_reasons.html", context)
