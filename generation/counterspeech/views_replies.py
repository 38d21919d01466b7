"""Replies: begun, written while critics read along, handed in, approved or returned by somebody else."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.core.access import PersonRequest
from annotation.domain.text_rules import BadText
from annotation.models import Membership
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
    """Begin a reply from a candidate, or from nothing with an intent."""
    member = desk_member(request, slug)
    found = exchange_for(member, public_id)
    candidate = _candidate(found, request.POST.get("candidate", ""))
    named = candidate.intent if candidate else request.POST.get("intent", "")
    if named not in list(Intent):
        raise Http404
    reply = replies.begin(found, member, Intent(named), candidate)
    return _to_editor(reply)


@require_GET
def reply(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """One reply with its history: to read, to approve, to return."""
    member = desk_member(request, slug)
    return show_reply(request, member, reply_for(member, public_id))


@require_POST
def write(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Keep what the author typed; answers the state beside the editor, or the page where it was a plain form."""
    member = desk_member(request, slug)
    found = reply_for(member, public_id)
    intent, version = request.POST.get("intent", found.intent), request.POST.get("version", "")
    fault, status = "", 200
    try:
        number = int(version) if version.isascii() and version.isdigit() and len(version) < 9 else 0
        chosen = Intent(intent) if intent in list(Intent) else Intent(found.intent)
        found = replies.write(found, member, request.POST.get("text", ""), chosen, number)
    except replies.CannotDo as refused:
        fault, status = str(refused), 409
    except BadText as bad:
        fault, status = bad.sentence, 422
    if request.POST.get("hand_in") and not fault:
        return _moved(request, member, found, "submit")
    if request.headers.get("HX-Request"):
        return render(request, "generation/_state.html", _about(member, found, fault=fault), status=status)
    if fault:
        return _editor_again(request, member, found, fault, status)
    return _to_editor(found)


@require_GET
def state(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """What is known about the words in the editor; followed while critics read."""
    member = desk_member(request, slug)
    return render(request, "generation/_state.html", _about(member, reply_for(member, public_id)))


@require_POST
def score(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Let critics read the words as they stand."""
    member = desk_member(request, slug)
    found = reply_for(member, public_id)
    fault = ""
    if found.text.strip():
        try:
            counterspeech_request.score(found.exchange, found.text, member, again=bool(request.POST.get("again")))
        except (counterspeech_request.BadChoice, BudgetExceeded) as bad:
            fault = str(bad)
    if request.headers.get("HX-Request"):
        return render(request, "generation/_state.html", _about(member, found, fault=fault))
    if fault:
        messages.error(request, fault)
    return redirect("generation:reply", slug, public_id)


@require_POST
def act(request: PersonRequest, slug: str, public_id: UUID, what: str) -> HttpResponse:
    """Hand in, take back, throw away, approve, return or comment on a reply."""
    member = desk_member(request, slug)
    return _moved(request, member, reply_for(member, public_id), what)


def show_reply(
    request: PersonRequest, member: Membership, found: Reply, *, fault: str = "", status: int = 200, typed_for: str = ""
) -> HttpResponse:
    """The page of a reply; what was typed and refused is still there, also where its form is gone meanwhile."""
    said, is_own = request.POST.get("said", ""), found.author_id == member.pk
    may_decide = found.state == ReplyState.SUBMITTED and not is_own
    place = "comment" if typed_for == "comment" or not may_decide else "decision"
    if found.state == ReplyState.APPROVED:
        place = "nowhere"
    context = _about(member, found, fault=fault) | {
        "comments": found.comments.select_related("author"),
        "history": history_of(found),
        "versions": found.exchange.explanations.first(),
        "typed": {place: said},
        "waiting": waiting_for(member).count(),
        "least": REASON_LENGTH,
    }
    return render(request, "generation/reply.html", context, status=status)


def _moved(request: PersonRequest, member: Membership, found: Reply, what: str) -> HttpResponse:
    said = request.POST.get("said", "")
    try:
        match what:
            case "submit":
                replies.submit(found, member)
            case "take-back":
                replies.take_back(found, member)
            case "discard":
                replies.discard(found, member)
            case "approve":
                approve.approve(found, member, said)
            case "return":
                approve.send_back(found, member, said)
            case _:
                approve.say(found, member, said)
    except replies.CannotDo as refused:
        if request.POST.get("hand_in"):
            return _editor_again(request, member, found, str(refused), 409)
        now = reply_for(member, found.public_id)
        return show_reply(request, member, now, fault=str(refused), status=409, typed_for=what)
    except BadText as bad:
        return show_reply(request, member, found, fault=bad.sentence, status=422, typed_for=what)
    return _after(request, member, found, what)


def _editor_again(request: PersonRequest, member: Membership, found: Reply, fault: str, status: int) -> HttpResponse:
    """The desk with the author's words as they were typed, which the site did not keep."""
    now = reply_for(member, found.public_id)
    typed = {"text": request.POST.get("text", ""), "intent": request.POST.get("intent", "")}
    return show_desk(request, member, now.exchange, status=status, reply=now, fault_of_reply=fault, typed_reply=typed)


def _after(request: PersonRequest, member: Membership, found: Reply, what: str) -> HttpResponse:
    slug = member.project.slug
    if what == "take-back":
        return _to_editor(found)
    if what == "discard":
        messages.success(request, _("The draft is gone."))
        return redirect("generation:exchange", slug, found.exchange.public_id)
    if what in ("approve", "return"):
        messages.success(request, _("Approved.") if what == "approve" else _("Returned to its author."))
        following = waiting_for(member).first()
        if following is not None:
            return redirect("generation:reply", slug, following.public_id)
        return redirect("generation:overview", slug)
    if what == "submit":
        messages.success(request, _("Handed in. Somebody else approves it."))
    return redirect("generation:reply", slug, found.public_id)


def _about(member: Membership, found: Reply, **more: Any) -> dict[str, Any]:
    return {
        "project": member.project,
        "membership": member,
        "item": found.exchange.item,
        "exchange": found.exchange,
        "reply": found,
        "draft": draft_of(found, member),
        "intent_names": INTENT_NAMES,
        "is_own": found.author_id == member.pk,
        "checks": checks(),
        **more,
    }


def _candidate(found: Exchange, public_id: str) -> Candidate | None:
    if not public_id:
        return None
    try:
        row = found.candidates.filter(public_id=UUID(public_id)).first()
    except ValueError:
        row = None
    if row is None:
        raise Http404
    return row


def _to_editor(found: Reply) -> HttpResponse:
    slug, post = found.exchange.project.slug, found.exchange
    if post.item is not None:
        there = redirect("generation:item-counterspeech", slug, post.item.public_id)
    else:
        there = redirect("generation:exchange", slug, post.public_id)
    there["Location"] += f"?intent={found.intent}&reply={found.public_id}#editor"
    return there
