"""Pages of a reply: it is begun, written while critics score it, handed in, and approved or returned."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.text_rules import BadText
from annotation.models import Membership
from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page
from generation.counterspeech import approve, care, replies, withdraw
from generation.counterspeech import request as counterspeech_request
from generation.counterspeech.access import desk_member, exchange_for, reply_for
from generation.counterspeech.critics import ask_critics
from generation.counterspeech.forms import INTENT_NAMES, MOST
from generation.counterspeech.presenters import draft_of, readable, waiting_for
from generation.counterspeech.translations import box_of
from generation.counterspeech.versions import history_of, versions_of
from generation.counterspeech.views import checks, desk_page, show_desk, to_desk
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.registers import in_order
from generation.domain.counterspeech.safety_flags import REASON_LENGTH
from generation.domain.counterspeech.states import OPEN, ReplyState
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
    return to_editor(reply)


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
    fault, status = "", 200
    care.act(member)
    try:
        registers = in_order(request.POST.getlist("registers")) if "registers_shown" in request.POST else None
        text = request.POST.get("text", "")
        reply_row = replies.write(reply_row, member, text, *intent_and_version(request, reply_row), registers)
    except replies.CannotDo as refused:
        fault, status = str(refused), 409
    except BadText as bad:
        fault, status = bad.sentence, 422
    if request.POST.get("hand_in") and not fault:
        return _moved(request, member, reply_row, "submit")
    if request.headers.get("HX-Request"):
        return _show_state(request, member, reply_row, fault, status)
    if fault:
        return editor_again(request, member, reply_row, fault, status)
    return to_editor(reply_row)


def intent_and_version(request: PersonRequest, reply_row: Reply) -> tuple[Intent, int]:
    """Return the intent that the editor's form names, or the stored one, and the version that it was opened with."""
    intent, version = request.POST.get("intent", reply_row.intent), request.POST.get("version", "")
    number = int(version) if version.isascii() and version.isdigit() and len(version) < 9 else 0
    return Intent(intent) if intent in list(Intent) else Intent(reply_row.intent), number


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
    """Submit, take back, discard, approve, return, withdraw, correct or comment on a reply."""
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
    typed_text, rights = request.POST.get("said", ""), _rights(reply_row, member)
    context = _about(member, reply_row, fault=fault) | {
        "comments": reply_row.comments.select_related("author"),
        "history": history_of(reply_row),
        "versions": versions_of(reply_row),
        "typed": {_place_of_typed(rights, typed_for): typed_text},
        "waiting": waiting_for(member).count(),
        "rights": rights,
        "post_translation": box_of(reply_row.exchange, reply_row.exchange.hate),
        "reply_translation": box_of(reply_row.exchange, reply_row.text, reply_row.public_id),
        "corrections": readable(reply_row.corrections.filter(state__in=OPEN), member),
    }
    return project_page(request, member, "generation/reply.html", context, status)


def _rights(reply_row: Reply, member: Membership) -> dict[str, bool]:
    """Return what the member may do with the reply as it stands: the forms of its page."""
    return {
        "decision": reply_row.state == ReplyState.SUBMITTED and reply_row.author_id != member.pk,
        "comment": reply_row.state in OPEN,
        "correct": withdraw.can_correct(reply_row, member),
        "withdraw": withdraw.can_withdraw(reply_row, member),
    }


def _place_of_typed(rights: Mapping[str, bool], typed_for: str) -> str:
    """Return the form in which a refused text is shown again: its own if it is still there, or else another one."""
    form = {"correct": "withdraw", "approve": "decision", "return": "decision"}.get(typed_for, typed_for)
    return next((name for name in (form, "decision", "comment") if rights.get(name)), "nowhere")


def _moved(request: PersonRequest, member: Membership, reply_row: Reply, move: str) -> HttpResponse:
    typed_text = request.POST.get("said", "").replace("\r\n", "\n")  # as a browser counts what it lets people type
    try:
        if move in ("approve", "return"):
            replies.refuse_stale(reply_row, _version_read(request, reply_row))
        reply_row = _carried_out(move, reply_row, member, typed_text)
    except replies.CannotDo as refused:
        if request.POST.get("hand_in"):
            return editor_again(request, member, reply_row, str(refused), 409)
        now = reply_for(member, reply_row.public_id)
        return show_reply(request, member, now, fault=str(refused), status=409, typed_for=move)
    except BadText as bad:
        return show_reply(request, member, reply_row, fault=bad.sentence, status=422, typed_for=move)
    return _after(request, member, reply_row, move)


def _version_read(request: PersonRequest, reply_row: Reply) -> int:
    """Return the version that the page showed; a page of before that does not say it showed the present one."""
    version = request.POST.get("version", "")
    return int(version) if version.isascii() and version.isdigit() and len(version) < 9 else reply_row.version


def _carried_out(move: str, reply_row: Reply, member: Membership, said: str) -> Reply:
    """Carry out what was pressed. Return the reply that it is about from then on. Raises CannotDo, BadText."""
    match move:
        case "submit":
            replies.submit(reply_row, member)
        case "take-back":
            replies.take_back(reply_row, member)
        case "discard":
            replies.discard(reply_row, member)
        case "approve":
            approve.approve(reply_row, member, said)
        case "return":
            approve.send_back(reply_row, member, said)
        case "withdraw":
            withdraw.withdraw(reply_row, member, said)
        case "correct":
            return withdraw.begin_correction(reply_row, member, said)
        case _:
            approve.say(reply_row, member, said)
    return reply_row


def editor_again(request: PersonRequest, member: Membership, reply_row: Reply, fault: str, status: int) -> HttpResponse:
    """Render the desk with the author's text as typed, because the site did not store it."""
    now = reply_for(member, reply_row.public_id)
    typed: dict[str, Any] = {name: request.POST.get(name, getattr(now, name)) for name in ("text", "intent")}
    typed["registers"] = in_order(request.POST.getlist("registers"))
    return show_desk(request, member, now.exchange, status=status, reply=now, fault_of_reply=fault, typed_reply=typed)


def _after(request: PersonRequest, member: Membership, reply_row: Reply, move: str) -> HttpResponse:
    slug = member.project.slug
    if move in ("take-back", "correct"):
        return to_editor(reply_row)
    if move == "withdraw":
        messages.success(request, _("Withdrawn. It guides no candidates any more and is in no file from now on."))
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
    page = resolve_url("generation:reply", slug, reply_row.public_id)
    return redirect(f"{page}#comments" if move == "comment" else page)


def _show_state(
    request: PersonRequest, member: Membership, reply_row: Reply, fault: str = "", status: int = 200
) -> HttpResponse:
    """Render what is known about the text, and the flags beside a decision, which follow from it."""
    context = _about(member, reply_row, fault=fault, follows=True)
    return project_page(request, member, "generation/_state.html", context, status)


def _ask_critics(reply_row: Reply, member: Membership, *, again: bool = False) -> str:
    """Ask critics about the reply's present text, unless they know it. Return why they cannot be asked, or ""."""
    try:
        ask_critics(reply_row, member, again=again)
    except (counterspeech_request.BadChoice, BudgetExceeded) as bad:
        return _("Critics cannot be asked: %(why)s") % {"why": bad}
    return ""


def _about(member: Membership, reply_row: Reply, **more: Any) -> dict[str, Any]:
    return {
        "item": reply_row.exchange.item,
        "exchange": reply_row.exchange,
        "reply": reply_row,
        "draft": draft_of(reply_row, member),
        "intent_names": INTENT_NAMES,
        "is_own": reply_row.author_id == member.pk,
        "checks": checks(),
        "least": REASON_LENGTH,
        "desk_page": desk_page(reply_row.exchange),
        "most": MOST,
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


def to_editor(reply_row: Reply) -> HttpResponse:
    """Redirect to the desk with this reply in the editor."""
    return to_desk(reply_row.exchange, f"?intent={reply_row.intent}&reply={reply_row.public_id}#editor")
