"""A post, a candidate or a reply is translated beside its text, for a reader who does not know its language."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from annotation.models import Membership
from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page
from generation.counterspeech import request as counterspeech_request
from generation.counterspeech.access import box_named, desk_member, exchange_for
from generation.counterspeech.translations import POST, TranslationBox
from generation.counterspeech.views import to_desk


@require_http_methods(["GET", "POST"])
def translation(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the translation of a text of this post as it stands, or ask a model for one."""
    member = desk_member(request, slug)
    exchange = exchange_for(member, public_id)
    named = (request.GET if request.method == "GET" else request.POST).get("of", POST)
    box = box_named(member, exchange, named)
    if request.method == "GET":
        return project_page(request, member, "generation/_translation.html", {"exchange": exchange, "box": box})
    fault = _ask(box, member, again="again" in request.POST)
    if request.headers.get("HX-Request"):
        context = {"exchange": exchange, "box": box_named(member, exchange, named, fault=fault)}
        return project_page(request, member, "generation/_translation.html", context, 422 if fault else 200)
    if fault:
        messages.error(request, fault)
    reply = exchange.replies.filter(public_id=named).first() if named != POST else None
    return redirect("generation:reply", slug, reply.public_id) if reply else to_desk(exchange)


def _ask(box: TranslationBox, member: Membership, *, again: bool) -> str:
    """Ask for the translation of the box. Return why nobody can be asked; empty if a model was."""
    try:
        counterspeech_request.translate(box.exchange, box.text, box.language, member, again=again)
    except counterspeech_request.BadChoice as bad:
        return str(bad)
    return ""
