"""Pages of a reply: it is begun, written while critics score it, handed in, and approved or returned."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.text_rules import BadText
from annotation.models import Membership
from annotation.pages.access import PersonRequest
from generation.counterspeech import approve, replies
from generation.counterspeech import request as counterspeech_request
from generation.counterspeech.access import desk_member, exchange_for, reply_for
from generation.counterspeech.forms import INTENT_NAMES
from generation.counterspeech.presenters import draft_of, history_of, waiting_for
from generation.counterspeech.views import checks, show_desk
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.safety_flags import REASON_LENGTH
from generation.domain.counterspeech.states import ReplyState
from generation.models import Candidate, Exchange, Reply
from runs.execution.budget import BudgetExceeded


@require_POST
def begin(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Begin a reply from a candidate, or empty with an intent."""
    member = desk_member(request, slug)
    exchange = exchange_for(member, public_id)
    candidate = _candidate(exchange, request.POST.get("candidate", ""))
    named = candidate.intent if candidate else request.POST.get("intent", "")
    if named not in list(Intent):
        raise Http404
    reply = replies.begin(exchange, member, Intent(named), candidate)
    return _to_editor(reply)


@require_GET
def reply(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show one reply with its history, to read, approve or return it."""
    member = desk_member(request, slug)
    return show_reply(request, member, reply_for(member, public_id))


@require_POST
def write(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Store what the author typed. Return the state beside the editor for htmx, or else redirect to the editor."""
    member = desk_member(request, slug)
    reply_row = reply_for(member, public_id)
    intent, version = request.POST.get("intent", reply_row.intent), request.POST.get("version", "")
    fault, status = "", 200
    try:
        number = int(version) if version.isascii() and version.isdigit() and len(version) < 9 else 0
        chosen = Intent(intent) if intent in list(Intent) else Intent(reply_row.intent)
        reply_row = replies.write(reply_row, member, request.POST.get("text", ""), chosen, number)
    except replies.CannotDo as refused:
        fault, status = str(refused), 409
    except BadText as bad:
        fault, status = bad.sentence, 422
    if request.POST.get("hand_in") and not fault:
        return _moved(request, member, reply_row, "submit")
    if request.headers.get("HX-Request"):
        return _show_state(request, member, reply_row, fault, status)
    if fault:
        return _editor_again(request, member, reply_row, fault, status)
    return _to_editor(reply_row)


@require_GET
def state(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Render what is known about the text in the editor; the page polls this while critics work."""
    member = desk_member(request, slug)
    return _show_state(request, member, reply_for(member, public_id))


@require_POST
def score(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Ask critics to score the text as it is now."""
    member = desk_member(request, slug)
    reply_row = reply_for(member, public_id)
    fault = _ask_critics(reply_row, member, again=bool(request.POST.get("again")))
    if request.headers.get("HX-Request"):
        return _show_state(request, member, reply_row, fault)
    if fault:
        messages.error(request, fault)
    return redirect("generation:reply", slug, public_id)


@require_POST
def act(request: PersonRequest, slug: str, public_id: UUID, what: str) -> HttpResponse:
    """Submit, take back, discard, approve, return or comment on a reply."""
    member = desk_member(request, slug)
    return _moved(request, member, reply_for(member, public_id), what)


def show_reply(
    request: PersonRequest,
    member: Membership,
    reply_row: Reply,
    *,
    fault: str = "",
    status: int = 200,
    typed_for: str = "",
) -> HttpResponse:
    """Render the page of a reply.

    Text that was typed and refused is shown again, even if its form is no longer on the page.
    """
    typed_text, is_own = request.POST.get("said", ""), reply_row.author_id == member.pk
    may_decide = reply_row.state == ReplyState.SUBMITTED and not is_own
    place = "comment" if typed_for == "comment" or not may_decide else "decision"
    if reply_row.state == ReplyState.APPROVED:
        place = "nowhere"
    context = _about(member, reply_row, fault=fault) | {
        "comments": reply_row.comments.select_related("author"),
        "history": history_of(reply_row),
        "versions": reply_row.exchange.explanations.first(),
        "typed": {place: typed_text},
        "waiting": waiting_for(member).count(),
    }
    return render(request, "generation/reply.html", context, status=status)


def _moved(request: PersonRequest, member: Membership, reply_row: Reply, move: str) -> HttpResponse:
    typed_text = request.POST.get("said", "")
    try:
        match move:
            case "submit":
                replies.submit(reply_row, member)
            case "take-back":
                replies.take_back(reply_row, member)
            case "discard":
                replies.discard(reply_row, member)
            case "approve":
                approve.approve(reply_row, member, typed_text)
            case "return":
                approve.send_back(reply_row, member, typed_text)
            case _:
                approve.say(reply_row, member, typed_text)
    except replies.CannotDo as refused:
        if request.POST.get("hand_in"):
            return _editor_again(request, member, reply_row, str(refused), 409)
        now = reply_for(member, reply_row.public_id)
        return show_reply(request, member, now, fault=str(refused), status=409, typed_for=move)
    except BadText as bad:
        return show_reply(request, member, reply_row, fault=bad.sentence, status=422, typed_for=move)
    return _after(request, member, reply_row, move)


def _editor_again(
    request: PersonRequest, member: Membership, reply_row: Reply, fault: str, status: int
) -> HttpResponse:
    """Render the desk with the author's text as typed, because the site did not store it."""
    now = reply_for(member, reply_row.public_id)
    typed = {"text": request.POST.get("text", ""), "intent": request.POST.get("intent", "")}
    return show_desk(request, member, now.exchange, status=status, reply=now, fault_of_reply=fault, typed_reply=typed)


def _after(request: PersonRequest, member: Membership, reply_row: Reply, move: str) -> HttpResponse:
    slug = member.project.slug
    if move == "take-back":
        return _to_editor(reply_row)
    if move == "discard":
        messages.success(request, _("Draft discarded."))
        return redirect("generation:exchange", slug, reply_row.exchange.public_id)
    if move in ("approve", "return"):
        messages.success(request, _("Approved.") if move == "approve" else _("Sent back to its author."))
        following = waiting_for(member).first()
        if following is not None:
            return redirect("generation:reply", slug, following.public_id)
        return redirect("generation:overview", slug)
    if move == "submit":
        messages.success(request, _("Submitted. Somebody else approves it."))
        if fault := _ask_critics(reply_row, member):
            messages.warning(request, fault)
    return redirect("generation:reply", slug, reply_row.public_id)


def _show_state(
    request: PersonRequest, member: Membership, reply_row: Reply, fault: str = "", status: int = 200
) -> HttpResponse:
    """Render what is known about the text, and the flags beside a decision, which follow from it."""
    context = _about(member, reply_row, fault=fault, follows=True)
    return render(request, "generation/_state.html", context, status=status)


def _ask_critics(reply_row: Reply, member: Membership, *, again: bool = False) -> str:
    """Ask critics about the reply's present text, unless they know it. Return why they cannot be asked, or ""."""
    if not reply_row.text.strip() or replies.is_scored(reply_row):
        return ""
    try:
        counterspeech_request.score(reply_row.exchange, reply_row.text, member, again=again)
        reply_row.refresh_from_db(fields=["pc", "aq", "t", "reward", "seen_intent", "critics", "scored_sha256"])
    except (counterspeech_request.BadChoice, BudgetExceeded) as bad:
        return _("Critics cannot be asked: %(why)s") % {"why": bad}
    return ""


def _about(member: Membership, reply_row: Reply, **more: Any) -> dict[str, Any]:
    return {
        "project": member.project,
        "membership": member,
        "item": reply_row.exchange.item,
        "exchange": reply_row.exchange,
        "reply": reply_row,
        "draft": draft_of(reply_row, member),
        "intent_names": INTENT_NAMES,
        "is_own": reply_row.author_id == member.pk,
        "checks": checks(),
        "least": REASON_LENGTH,
        **more,
    }


def _candidate(exchange: Exchange, public_id: str) -> Candidate | None:
    if not public_id:
        return None
    try:
        row = exchange.candidates.filter(public_id=UUID(public_id)).first()
    except ValueError:
        row = None
    if row is None:
        raise Http404
    return row


def _to_editor(reply_row: Reply) -> HttpResponse:
    slug, post = reply_row.exchange.project.slug, reply_row.exchange
    if post.item is not None:
        response = redirect("generation:item-counterspeech", slug, post.item.public_id)
    else:
        response = redirect("generation:exchange", slug, post.public_id)
    response["Location"] += f"?intent={reply_row.intent}&reply={reply_row.public_id}#editor"
    return response
