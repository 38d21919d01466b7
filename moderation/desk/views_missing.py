"""The category that a *not sure* vote left open: a reviewer gives it, without having seen the votes."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation.assignment.prior_display import priors_for_people
from annotation.domain.choices import Role
from annotation.models import Item, Project
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from annotation.review import expert_replacement
from annotation.review.forms import MissingCategoryForm
from annotation.review.queue import disputed_items, wants_category_of
from moderation.desk import leases, queue, set_aside
from moderation.desk.case_view import Desk
from moderation.desk.error_messages import leased_sentence, refusal_of
from moderation.desk.leases import Leased
from moderation.desk.set_aside import KeptForAnother
from moderation.desk.views import address, item_of, next_address, query_of, take_lease
from moderation.desk.way_back import way_back


@require_http_methods(["GET", "POST"])
def missing(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Store the category that a *not sure* vote left open; the reviewer sees no votes, as the annotators did not."""
    member = member_of(request, slug, Role.REVIEWER)
    item = item_of(member.project, public_id)
    desk_page = Desk(member, item, queue.read(request.GET))
    form = MissingCategoryForm(request.POST or None, categories=desk_page.offered, choose=member.project.choose)
    if request.method == "GET":
        if not wants_category_of(item, member):
            return redirect(address("moderation:desk-item", desk_page, item))
        take_lease(item, member)
        return _show_missing(request, desk_page, form)
    category = form.category_row() if form.is_valid() else None
    if category is None:
        return _show_missing(request, desk_page, form, status=422)
    try:
        leases.refuse_others(item, member)
        set_aside.refuse_others(item, member)
        expert_replacement.replace_not_sure(item, member, category, form.cleaned_data["note"], form.stored_codes())
    except Leased as leased:
        form.add_error(None, leased_sentence(leased.lease))
        return _show_missing(request, desk_page, form, status=409)
    except KeptForAnother as kept:
        form.add_error(None, refusal_of(kept))
        return _show_missing(request, desk_page, form, status=409)
    except expert_replacement.NotAnExpert:
        form.add_error(None, _("You have labelled this post, given a category for it, or seen its votes before."))
        return _show_missing(request, desk_page, form, status=403)
    except expert_replacement.NothingToReplace:
        form.add_error(None, _("Somebody else gave the category first. Nothing is missing here any more."))
        return _show_missing(request, desk_page, form, status=409)
    leases.give_back(item, member)
    set_aside.end_all(item)
    messages.success(request, _("Saved in place of the “not sure”."))
    return redirect(next_address(desk_page, leases.take_next(member, desk_page.filters, beside=item)))


@require_POST
def look_at_votes(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the reviewer the votes of a *not sure* item; they can no longer replace its missing category."""
    member = member_of(request, slug, Role.REVIEWER)
    item = item_of(member.project, public_id)
    if wants_category_of(item, member):
        expert_replacement.look_at_votes(item, member)
    return redirect("moderation:desk-item", slug, item.public_id)


def _show_missing(request: PersonRequest, desk: Desk, form: MissingCategoryForm, status: int = 200) -> HttpResponse:
    others = queue.ready(desk.member, desk.filters) if desk.member.reviews else disputed_items(desk.project)
    context: dict[str, Any] = {
        "item": desk.item,
        "desk": desk,
        "form": form,
        "query": query_of(desk.filters),
        "way_back": way_back(desk.member, beside=desk.item),
        "following": others.exclude(pk=desk.item.pk).first(),
        "bench": {"step": "answer", "item": desk.item, "priors": _shown_priors(desk.project, desk.item)},
    }
    response = project_page(request, desk.member, "moderation/desk_missing.html", context, status)
    response["Cache-Control"] = "no-store"
    return response


def _shown_priors(project: Project, item: Item) -> list[Any]:
    """Return the priors that an annotator sees first: none if the project wants an answer without priors first."""
    if project.prior_display == "after_first_answer":
        return []
    return list(priors_for_people(project).filter(item=item, current=True).order_by("-modality"))
