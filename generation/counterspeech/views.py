"""The counterspeech pages: the overview, and the desk of one post with its explanations and candidates."""

from typing import Any, TypedDict
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core import extensions
from annotation.models import Item, Membership
from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page
from generation.counterspeech import care, costs, doubts, replies
from generation.counterspeech import request as counterspeech_request
from generation.counterspeech.access import desk_member, exchange_for, item_for, reply_for
from generation.counterspeech.claims import found_false
from generation.counterspeech.first_step_box import FirstStepBox, first_step_of
from generation.counterspeech.forms import INTENT_NAMES, MOST, REGISTER_NAMES, SIDE_NAMES, PasteForm, WriteForm
from generation.counterspeech.presenters import (
    Desk,
    is_not_hateful,
    may_open,
    own_draft,
    visible_exchanges,
    waiting_for,
)
from generation.counterspeech.translations import box_of
from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.options import CounterRequest
from generation.domain.counterspeech.safety_flags import leads_to_a_person
from generation.domain.counterspeech.states import OPEN
from generation.models import Exchange, Reply
from runs.execution.budget import BudgetExceeded

SHOWN = 30


@require_http_methods(["GET", "POST"])
def overview(request: PersonRequest, slug: str) -> HttpResponse:
    """Show replies that wait for approval, the viewer's drafts and the answered posts; accept a pasted text."""
    member = desk_member(request, slug)
    form = PasteForm(request.POST or None)
    if form.is_valid():
        pasted = form.request()
        exchange = counterspeech_request.open_on_text(member.project, pasted.text, member, pasted.masks)
        if leads_to_a_person(exchange.pasted):
            messages.warning(
                request,
                _("The pasted text holds a handle, an address or a number. If it is a person's, paste it masked."),
            )
        return redirect("generation:exchange", slug, exchange.public_id)
    own = Reply.objects.filter(author=member, exchange__in=visible_exchanges(member)).select_related("exchange__item")
    context = {
        "form": form,
        "waiting": waiting_for(member)[:SHOWN],
        "own": own.filter(state__in=OPEN).order_by("-changed_at")[:SHOWN],
        "found_false": [reply for reply in found_false(member.project, SHOWN) if may_open(reply.exchange, member)],
        "exchanges": visible_exchanges(member).select_related("item").order_by("-id")[:SHOWN],
    }
    return project_page(request, member, "generation/overview.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def item_desk(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the counterspeech tab of an item: its desk, or a button that asks for the seven explanations."""
    member = desk_member(request, slug)
    item = item_for(member, public_id)
    is_doubtful = is_not_hateful(item)
    if request.method == "POST" and (not is_doubtful or "sure" in request.POST):
        exchange = counterspeech_request.open_on_item(item, member)
        return _explained(request, member, exchange, again=False)
    exchange_row = Exchange.objects.filter(item=item).first()
    if exchange_row is None:
        status = 422 if request.method == "POST" else 200
        return begin_page(request, member, item, first_step_of(member, None), status)
    exchange_row.item, exchange_row.project = item, member.project
    return _came_to(request, member, exchange_row)


def begin_page(
    request: PersonRequest, member: Membership, item: Item, box: FirstStepBox, status: int = 200
) -> HttpResponse:
    """Render the tab of an item that nobody has answered yet."""
    context = {
        "item": item,
        "is_not_hateful": is_not_hateful(item),
        "box": box,
        "expected": costs.of_explanations(member.project, item),
    }
    return project_page(request, member, "generation/begin.html", context, status=status)


@require_GET
def exchange(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the desk of one post."""
    member = desk_member(request, slug)
    return _came_to(request, member, exchange_for(member, public_id))


@require_GET
def progress(request: PersonRequest, slug: str, public_id: UUID, part: str) -> HttpResponse:
    """Render the part of the desk that is polled while models work: `seven` or `candidates`."""
    member = desk_member(request, slug)
    context = about(request, member, exchange_for(member, public_id))
    return project_page(request, member, "generation/_progress.html", context, part=f"generation/_{part}.html")


@require_POST
def explain(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Ask for the seven explanations, again if there are some."""
    member = desk_member(request, slug)
    exchange_row = exchange_for(member, public_id)
    return _explained(request, member, exchange_row, again=exchange_row.explanations.exists())


@require_POST
def keep(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Store the edited explanations as a new version."""
    member = desk_member(request, slug)
    exchange_row = exchange_for(member, public_id)
    typed = _typed(request)
    try:
        version = replies.keep_explanations(exchange_row, member, **typed)
    except replies.CannotDo as fault:
        return show_desk(request, member, exchange_row, status=409, fault=str(fault), typed=_shown(typed))
    if version:
        messages.success(request, _("Saved as version %(number)s.") % {"number": version.number})
    else:
        messages.info(request, _("Nothing was changed."))
    return to_desk(exchange_row)


@require_POST
def candidates(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Ask for candidates. Edited explanations that were sent with the form are stored first."""
    member = desk_member(request, slug)
    exchange_row = exchange_for(member, public_id)
    form, typed = WriteForm(request.POST), _typed(request) if "number" in request.POST else None
    if not form.is_valid():
        return show_desk(request, member, exchange_row, status=422, form=form, typed=typed and _shown(typed))
    if "sure" not in request.POST and (doubt := _doubt(exchange_row, form)):
        shown = typed and _shown(typed)
        return show_desk(request, member, exchange_row, status=422, form=form, fault=doubt, typed=shown)
    if typed:
        try:
            replies.keep_explanations(exchange_row, member, **typed)
        except replies.CannotDo as fault:
            return show_desk(
                request, member, exchange_row, status=409, form=form, fault=str(fault), typed=_shown(typed)
            )
    again = exchange_row.candidates.filter(intent__in=form.cleaned_data["intents"]).exists()
    try:
        counterspeech_request.write(exchange_row, member, form.answers(), again=again)
    except (counterspeech_request.BadChoice, BudgetExceeded) as bad:
        form.add_error(None, str(bad))
        return show_desk(request, member, exchange_row, status=422, form=form)
    first = next(intent for intent in Intent if intent in form.cleaned_data["intents"])
    return to_desk(exchange_row, f"?intent={first}")


@require_GET
def cost(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Say what the candidates take that the form of the desk asks for as it stands."""
    member = desk_member(request, slug)
    exchange_row = exchange_for(member, public_id)
    writing = costs.Work(_expected_candidates(exchange_row, WriteForm(request.GET)), None)
    context = {"exchange": exchange_row, "writing": writing}
    return project_page(request, member, "generation/_cost.html", context)


@require_POST
def cancel(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Stop the models' work on this post after the calls that are already made. Stored answers stay."""
    member = desk_member(request, slug)
    exchange_row = exchange_for(member, public_id)
    if counterspeech_request.cancel(exchange_row, member):
        messages.success(request, _("The models are stopped. What they wrote so far is kept."))
    else:
        messages.info(request, _("They had ended already."))
    return to_desk(exchange_row)


def _doubt(exchange_row: Exchange, form: WriteForm) -> str:
    """Return the sentence that asks whether models are to be asked all the same; "" if nothing speaks against it."""
    try:
        doubts.doubt_candidates_of(exchange_row, form.request().mode)
    except doubts.NotConfirmed as doubt:
        if doubt.code == "looks_like_an_order":
            how = _("Ask for all in one answer, or tick the box above the button.")
        else:
            how = _("Tick the box above the button to answer it all the same.")
        return f"{doubt} {how}"
    return ""


def _came_to(request: PersonRequest, member: Membership, exchange_row: Exchange) -> HttpResponse:
    """Render the desk, or the page of rest where a cap of the day or the session is reached."""
    if member.project.is_closed:
        return show_desk(request, member, exchange_row)
    found = care.come_to(exchange_row, member, request.session)
    if found.reached is not None:
        return project_page(request, member, "generation/rest.html", {"care": found})
    return show_desk(request, member, exchange_row, care=found)


def show_desk(
    request: PersonRequest, member: Membership, exchange_row: Exchange, *, status: int = 200, **more: Any
) -> HttpResponse:
    """Render the desk."""
    return project_page(request, member, "generation/desk.html", about(request, member, exchange_row, **more), status)


def about(
    request: PersonRequest,
    member: Membership,
    exchange_row: Exchange,
    *,
    form: WriteForm | None = None,
    reply: Reply | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return the context of the desk and its parts.

    Intent and reply are those that the address names, or else those of the viewer's newest draft.
    """
    reply = reply or _reply(request, member, exchange_row)
    named = request.GET.get("intent", "")
    intent = Intent(named) if named in list(Intent) else Intent(reply.intent) if reply else _first_with(exchange_row)
    desk, profile = Desk(exchange_row, member, intent, reply), counterspeech_request.writer_profile(member.project)
    form = form or WriteForm(initial={"mode": counterspeech_request.mode_of(profile)})
    return {
        "item": exchange_row.item,
        "exchange": exchange_row,
        "desk": desk,
        "intent": intent,
        "intent_names": INTENT_NAMES,
        "register_names": REGISTER_NAMES,
        "side_names": SIDE_NAMES,
        "form": form,
        "writing": costs.Work(_expected_candidates(exchange_row, form), desk.write_run),
        "post_translation": box_of(exchange_row, exchange_row.hate),
        "checks": checks(),
        "box": first_step_of(member, exchange_row),
        "desk_page": desk_page(exchange_row),
        "most": MOST,
        **more,
    }


def _expected_candidates(exchange_row: Exchange, form: WriteForm) -> costs.Expected | None:
    """Return what the candidates of the form take; of a form that nobody filled, or wrongly, those that it offers."""
    wish = form.request() if form.is_bound and form.is_valid() else CounterRequest()
    return costs.of_candidates(exchange_row, wish)


def checks() -> list[extensions.Tab]:
    """Return the tabs of an item on which its claims can be checked."""
    return [tab for tab in extensions.tabs() if tab.checks_claims]


class _Typed(TypedDict):
    """The fields of the explanations' form, as `replies.keep_explanations` takes them."""

    texts: dict[Explanation, str]
    insults: list[str]
    number: int


def _typed(request: PersonRequest) -> _Typed:
    number = request.POST.get("number", "")
    return {
        "texts": {name: request.POST.get(name, "") for name in Explanation},
        "insults": request.POST.get("insults", "").replace(",", "\n").splitlines(),
        "number": int(number) if number.isascii() and number.isdigit() and len(number) < 9 else 0,
    }


def _shown(typed: _Typed) -> dict[str, Any]:
    """Return the typed fields in the form in which the page shows them again."""
    return {"said": typed["texts"], "insults": ", ".join(word.strip() for word in typed["insults"])}


def _first_with(exchange_row: Exchange) -> Intent:
    written = set(exchange_row.candidates.values_list("intent", flat=True))
    return next((intent for intent in Intent if intent in written), Intent.INFORMATIVE)


def _reply(request: PersonRequest, member: Membership, exchange_row: Exchange) -> Reply | None:
    try:
        named = UUID(request.GET.get("reply", ""))
    except ValueError:
        return own_draft(exchange_row, member)
    reply = reply_for(member, named)
    if reply.exchange_id != exchange_row.pk:
        raise Http404
    return reply


def _explained(request: PersonRequest, member: Membership, exchange_row: Exchange, *, again: bool) -> HttpResponse:
    try:
        counterspeech_request.explain(exchange_row, member, again=again)
    except (counterspeech_request.BadChoice, BudgetExceeded) as bad:
        messages.error(request, str(bad))
    return to_desk(exchange_row)


def to_desk(exchange_row: Exchange, query: str = "") -> HttpResponse:
    """Redirect to the desk of a post."""
    return redirect(desk_page(exchange_row) + query)


def desk_page(exchange_row: Exchange) -> str:
    """Return the address of the desk of a post: the tab of its item, or a page of its own."""
    slug, item = exchange_row.project.slug, exchange_row.item
    if item is not None:
        return reverse("generation:item-counterspeech", args=[slug, item.public_id])
    return reverse("generation:exchange", args=[slug, exchange_row.public_id])
