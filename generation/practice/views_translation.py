"""A post or a reply is translated beside its text, for a reader who does not know its language."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from annotation.models import Membership
from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page
from generation.counterspeech import request as counterspeech_request
from generation.counterspeech.access import desk_member, exchange_for, reply_for
from generation.counterspeech.translations import POST, TranslationBox, box_of
from generation.counterspeech.views import to_desk
from generation.models import Exchange, Reply


@require_http_methods(["GET", "POST"])
def translation(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the translation of a text of this post as it stands, or ask a model for one."""
    member = desk_member(request, slug)
    exchange = exchange_for(member, public_id)
    if request.method == "GET":
        box = _box(exchange, _reply(member, exchange, request.GET.get("of", POST)))
        return project_page(request, member, "generation/_translation.html", {"exchange": exchange, "box": box})
    reply = _reply(member, exchange, request.POST.get("of", POST))
    fault = _ask(_box(exchange, reply), member, again="again" in request.POST)
    if request.headers.get("HX-Request"):
        context = {"exchange": exchange, "box": _box(exchange, reply, fault)}
        return project_page(request, member, "generation/_translation.html", context, 422 if fault else 200)
    if fault:
        messages.error(request, fault)
    return redirect("generation:reply", slug, reply.public_id) if reply else to_desk(exchange)


def _ask(box: TranslationBox, member: Membership, *, again: bool) -> str:
    """Ask for the translation of the box. Return why nobody can be asked; empty if a model was."""
    try:
        counterspeech_request.translate(box.exchange, box.text, box.language, member, again=again)
    except counterspeech_request.BadChoice as bad:
        return str(bad)
    return ""


def _box(exchange: Exchange, reply: Reply | None, fault: str = "") -> TranslationBox:
    if reply is None:
        return box_of(exchange, exchange.hate, fault=fault)
    return box_of(exchange, reply.text, reply.public_id, fault)


def _reply(member: Membership, exchange: Exchange, named: str) -> Reply | None:
    """Return the reply of this name to the post. Returns None for the post itself. Raises Http404 for anything else."""
    if named == POST:
        return None
    try:
        reply = reply_for(member, UUID(named))
    except ValueError:
        raise Http404 from None
    if reply.exchange_id != exchange.pk:
        raise Http404
    return reply
