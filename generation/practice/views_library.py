"""The library's page: replies are looked for, checked again, and taken up for another post."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.models import Project
from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page
from generation.counterspeech.access import desk_member, exchange_for
from generation.models import Exemplar
from generation.practice import library
from generation.practice.forms import LibraryForm
from providers.messages import ProviderError
from vocabulary.refusals import Refused


@require_GET
def show(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the replies that somebody looks for. With `exchange` they can be taken up for that post."""
    member = desk_member(request, slug)
    form, entries, fault = LibraryForm(request.GET), [], ""
    exchange = exchange_for(member, _id(request.GET["exchange"])) if "exchange" in request.GET else None
    if form.is_valid():
        try:
            entries = library.find(member.project, form.wish)
        except (ProviderError, Refused) as failed:
            fault = _("The replies cannot be compared by meaning: %(why)s") % {"why": failed}
    context = {"form": form, "entries": entries, "fault": fault, "exchange": exchange, "most": library.LOOKED_AT}
    return project_page(request, member, "generation/library.html", context, status=422 if form.errors else 200)


@require_POST
def check(request: PersonRequest, slug: str) -> HttpResponse:
    """Write down that a reply was checked."""
    member = desk_member(request, slug)
    library.check(_row(member.project, request), member)
    messages.success(request, _("Recorded: it was checked today."))
    return redirect("generation:library", slug)


@require_POST
def take_up(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Begin a reply to a post with the words of a row."""
    member = desk_member(request, slug)
    exchange = exchange_for(member, public_id)
    reply = library.take_up(_row(member.project, request), exchange, member)
    response = redirect("generation:exchange", slug, public_id)
    response["Location"] += f"?intent={reply.intent}&reply={reply.public_id}#editor"
    return response


def _row(project: Project, request: PersonRequest) -> Exemplar:
    row = library.row_of(project, request.POST.get("entry", "")[:200])
    if row is None:
        raise Http404
    return row


def _id(value: str) -> UUID:
    try:
        return UUID(value)
    except ValueError:
        raise Http404 from None
