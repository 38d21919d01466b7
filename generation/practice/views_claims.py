"""The page of one claim, of a reply or of a post: its state, the sources to choose from, and the list of sources."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation.domain.text_rules import BadText
from annotation.models import Membership
from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page
from generation.counterspeech import replies
from generation.counterspeech.access import desk_member, exchange_for, reply_for
from generation.counterspeech.claims import ALIVE, StatedClaim, claims_of, claims_of_post
from generation.counterspeech.forms import MOST
from generation.counterspeech.views import checks, desk_page, to_desk
from generation.counterspeech.views_replies import editor_again, intent_and_version, to_editor
from generation.domain.counterspeech.claim_states import ClaimState
from generation.domain.counterspeech.claim_states import claim_id as claim_id_of
from generation.domain.counterspeech.safety_flags import REASON_LENGTH
from generation.domain.counterspeech.states import WRITABLE
from generation.models import Exchange, Reply
from generation.practice import claims as decisions
from generation.practice.claims import Decision, cards_for, claim_named, stamp_of


@require_http_methods(["GET", "POST"])
def reply_claim(request: PersonRequest, slug: str, public_id: UUID, claim_id: UUID) -> HttpResponse:
    """Show a claim of a reply; store what the viewer decides about it."""
    member = desk_member(request, slug)
    return _claim_page(request, member, reply_for(member, public_id), claim_id)


@require_http_methods(["GET", "POST"])
def post_claim(request: PersonRequest, slug: str, public_id: UUID, claim_id: UUID) -> HttpResponse:
    """Show a claim of the post itself; store what the viewer decides about it."""
    member = desk_member(request, slug)
    return _claim_page(request, member, exchange_for(member, public_id), claim_id)


@require_POST
def sources(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Add the sources of the supported claims to the reply's text, as it stands in the editor."""
    member = desk_member(request, slug)
    reply = reply_for(member, public_id)
    try:
        if "text" in request.POST:
            reply = replies.write(reply, member, request.POST["text"], *intent_and_version(request, reply))
        decisions.list_sources(reply, member)
    except replies.CannotDo as refused:
        return editor_again(request, member, reply, str(refused), 409)
    except BadText as bad:
        return editor_again(request, member, reply, bad.sentence, 422)
    messages.success(request, _("The sources stand at the end of the text."))
    return to_editor(reply)


def _claim_page(request: PersonRequest, member: Membership, owner: Reply | Exchange, claim_id: UUID) -> HttpResponse:
    if request.method == "POST":
        return _decided(request, member, owner, claim_id)
    return _show(request, member, owner, claim_id)


def _decided(request: PersonRequest, member: Membership, owner: Reply | Exchange, claim_id: UUID) -> HttpResponse:
    state = request.POST.get("state", "")
    if state not in list(ClaimState):
        raise Http404
    decision = Decision(ClaimState(state), _card(request), request.POST.get("reason", ""), request.POST.get("seen", ""))
    try:
        decisions.decide(owner, claim_id, member, decision)
    except replies.CannotDo as refused:
        return _show(request, member, owner, claim_id, fault=str(refused), status=409)
    except BadText as bad:
        return _show(request, member, owner, claim_id, fault=bad.sentence, status=422)
    messages.success(request, _("Stored with the claim."))
    return _back(member, owner)


def _show(
    request: PersonRequest,
    member: Membership,
    owner: Reply | Exchange,
    claim_id: UUID,
    *,
    fault: str = "",
    status: int = 200,
) -> HttpResponse:
    reply = owner if isinstance(owner, Reply) else None
    exchange = owner if isinstance(owner, Exchange) else owner.exchange
    claim = claim_named(claims_of(owner) if isinstance(owner, Reply) else claims_of_post(owner), claim_id)
    is_gone = claim is None
    claim = claim or _claim_of_before(request, owner, claim_id)
    context = {
        "item": exchange.item,
        "exchange": exchange,
        "reply": reply,
        "claim": claim,
        "seen": stamp_of(claim),
        "cards": cards_for(exchange, claim),
        "chosen": _chosen(request, claim),
        "reason": request.POST.get("reason", claim.row.reason if claim.row else ""),
        "may_decide": not is_gone and (reply is None or reply.state in ALIVE),
        "typed_reason": request.POST.get("reason", "") if is_gone else "",
        "checks": checks(),
        "least": REASON_LENGTH,
        "desk_page": desk_page(exchange),
        "most": MOST,
        "fault": fault,
    }
    return project_page(request, member, "generation/claim.html", context, status)


def _claim_of_before(request: PersonRequest, owner: Reply | Exchange, public_id: UUID) -> StatedClaim:
    """Return the claim that a form was about before the text was changed. Raises Http404 if it never was one here."""
    sentence = request.POST.get("sentence", "")
    if claim_id_of(owner.public_id, sentence) != public_id:
        raise Http404
    return StatedClaim(public_id, sentence, ClaimState.OPEN)


def _card(request: PersonRequest) -> UUID | None:
    try:
        return UUID(request.POST.get("card", ""))
    except ValueError:
        return None


def _chosen(request: PersonRequest, claim: StatedClaim) -> UUID | None:
    if request.method == "POST":
        return _card(request)
    return claim.card.public_id if claim.card else None


def _back(member: Membership, owner: Reply | Exchange) -> HttpResponse:
    """Return to where the claims are listed: the editor of an own draft, the reply's page, or the desk."""
    if isinstance(owner, Exchange):
        return to_desk(owner)
    if owner.author_id == member.pk and owner.state in WRITABLE:
        return to_editor(owner)
    return redirect("generation:reply", member.project.slug, owner.public_id)
