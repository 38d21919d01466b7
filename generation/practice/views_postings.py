"""What people write down of a posted reply on its page: where and when, and what became of it."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.text_rules import BadText
from annotation.models import Membership
from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page
from generation.counterspeech.access import desk_member, reply_for
from generation.counterspeech.replies import CannotDo
from generation.models import Posting, Reply
from generation.practice import postings
from generation.practice.forms import PostingCheckForm, PostingForm


@require_GET
def show(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show where a reply was posted and what became of it."""
    member = desk_member(request, slug)
    return _page(request, member, reply_for(member, public_id))


@require_POST
def add(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Write down that a reply was posted."""
    member = desk_member(request, slug)
    reply, form = reply_for(member, public_id), PostingForm(request.POST)
    if not form.is_valid():
        return _page(request, member, reply, form=form, status=422)
    said = form.cleaned_data
    try:
        postings.add(reply, member, form.chosen, said["address"], said["posted_at"])
    except (CannotDo, BadText) as refused:
        form.add_error(None, _sentence(refused))
        return _page(request, member, reply, form=form, status=409 if isinstance(refused, CannotDo) else 422)
    messages.success(request, _("Recorded. Look again after a day and after a week."))
    return redirect("generation:postings", slug, public_id)


@require_POST
def check(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Write down what became of a posting."""
    member = desk_member(request, slug)
    posting = posting_for(member, public_id)
    form = PostingCheckForm(request.POST)
    if not form.is_valid():
        return _page(request, member, posting.reply, checked=(posting, form), status=422)
    try:
        postings.check(posting, member, form.seen)
    except (CannotDo, BadText) as refused:
        form.add_error(None, _sentence(refused))
        status = 409 if isinstance(refused, CannotDo) else 422
        return _page(request, member, posting.reply, checked=(posting, form), status=status)
    messages.success(request, _("Recorded."))
    return redirect("generation:postings", slug, posting.reply.public_id)


def posting_for(member: Membership, public_id: UUID) -> Posting:
    """Return a posting of a reply that the viewer may read. Raises Http404 if there is none."""
    posting = Posting.objects.filter(public_id=public_id, reply__exchange__project=member.project_id).first()
    if posting is None:
        raise Http404
    posting.reply = reply_for(member, posting.reply.public_id)
    return posting


def _sentence(refused: CannotDo | BadText) -> str:
    return refused.sentence if isinstance(refused, BadText) else str(refused)


def _page(
    request: PersonRequest,
    member: Membership,
    reply: Reply,
    *,
    form: PostingForm | None = None,
    checked: tuple[Posting, PostingCheckForm] | None = None,
    status: int = 200,
) -> HttpResponse:
    rows = reply.postings.select_related("member").prefetch_related("checks__member")
    refused = {checked[0].pk: checked[1]} if checked else {}
    context: dict[str, Any] = {
        "reply": reply,
        "exchange": reply.exchange,
        "item": reply.exchange.item,
        "can_post": postings.can_post(reply),
        "form": form or PostingForm(),
        "postings": [(row, refused.get(row.pk) or PostingCheckForm(auto_id=f"id_{row.pk}_%s")) for row in rows],
    }
    return project_page(request, member, "generation/postings.html", context, status)
