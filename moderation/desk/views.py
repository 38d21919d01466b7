"""Pages of the desk: the queue, one post with its decision, and the category that a *not sure* vote left open."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.contrib.messages import get_messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core import extensions
from annotation.core.extensions import Tab
from annotation.domain.category_sets import codes_of
from annotation.domain.choices import Difficulty, Level, Reason, Role, Stage
from annotation.models import Category, Event, Item, Membership, Project, Ruling
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from annotation.review.adjudicate import BadRuling, NotAllowed, OwnItem, RulingKeyReused, StaleVersion, may_decide_anew
from annotation.review.queue import may_see_votes, waiting_counts, wants_category_of
from moderation.debates.views import run_context
from moderation.desk import blind_opinions, decide, leases, queue, similar_cases
from moderation.desk.appeals import DecidedBefore
from moderation.desk.case_view import Desk
from moderation.desk.decide import AlreadyProposed, CategoryWanted, NeedsAppeal, ProposalAnswered, Proposed
from moderation.desk.dispute_reasons import REASON_NAMES
from moderation.desk.error_messages import refusal_of
from moderation.desk.forms import DecisionForm, OpinionForm, SetAsideForm
from moderation.desk.history import history
from moderation.desk.leases import Leased
from moderation.desk.queue import QueueFilters
from moderation.desk.queue_rows import queued
from moderation.desk.reasons import reason_of
from moderation.desk.set_aside import KeptForAnother, reviewers_of
from moderation.desk.today import today
from moderation.desk.way_back import way_back
from moderation.models import Lease
from providers.messages import ProviderError, Refused

PAGE_LENGTH = 50
OWN_TABS = ("debates", "history")
_FROM_QUEUE = "queue"
"""The value of `?anew` for who decides again on their way through the queue, and goes on with it."""


def reviewer(request: PersonRequest, slug: str) -> Membership:
    """Return the viewer as a reviewer or admin of the project.

    Raises Http404 for everybody else.
    """
    return member_of(request, slug, Role.REVIEWER, Role.ADMIN)


@require_GET
def desk(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the disputed posts that pass the filters: appeals first, then by priority and waiting time, 50 a page."""
    member = reviewer(request, slug)
    filters = queue.read(request.GET)
    waiting = queue.queue(member, filters)
    paginator = Paginator(waiting, PAGE_LENGTH)
    paginator.count, ready = queue.counts(waiting)
    page = paginator.get_page(request.GET.get("page"))
    items = queued(member, waiting, PAGE_LENGTH, max(page.start_index() - 1, 0))
    context = {
        "page": page,
        "items": items,
        "first": next((item for item in items if not getattr(item, "waits", False)), None),
        "ready": ready,
        "asked": filters,
        "query": query_of(filters),
        "counts": [(reason, REASON_NAMES[reason], count) for reason, count in waiting_counts(member.project).items()],
        "difficulties": list(Difficulty),
        "levels": list(Level),
        "today": today(member) if member.reviews and not ready else None,
        "way_back": way_back(member) if get_messages(request) else None,  # after the last decision
    }
    return project_page(request, member, "moderation/desk.html", context)


@require_GET
def queue_row(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the row of one post in the queue, as its page shows it; 204 where it waits no more."""
    member = reviewer(request, slug)
    item = item_of(member.project, public_id)
    rows = queued(member, queue.queue(member, QueueFilters()).filter(pk=item.pk), 1)
    if not rows:
        return HttpResponse(status=204)
    context = {"queue": rows, "current": item, "query": query_of(queue.read(request.GET))}
    return project_page(request, member, "moderation/desk_row.html", context)


# ── One post ──────────────────────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
def desk_item(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show one disputed post with its anonymous votes, or store the decision. `?anew` replaces an earlier decision."""
    member = reviewer(request, slug)
    item = item_of(member.project, public_id)
    desk_page = Desk(member, item, queue.read(request.GET))
    if request.method == "POST":
        return _decide(request, desk_page)
    anew = "anew" in request.GET and member.reviews and bool(desk_page.proposed or decide.may_be_replaced(item))
    if item.stage != Stage.DISPUTED and not anew:
        return redirect("annotation:item", slug, item.public_id)
    if desk_page.blind:
        return redirect(address("moderation:desk-missing", desk_page, item))
    if member.reviews and desk_page.may_decide:
        take_lease(item, member)
    return show_post(request, desk_page, decision_form(desk_page, request, anew=anew))


@require_GET
def anew(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Redirect to the desk to replace a reviewer's decision about a post, or the viewer's that waits for a second."""
    member = member_of(request, slug, Role.REVIEWER)
    item = item_of(member.project, public_id)
    desk_page = Desk(member, item, queue.read(request.GET))
    back = address("moderation:desk-item", desk_page, item, **(_kept_anew(request) or {"anew": "1"}))
    if desk_page.proposed:
        return redirect(back)
    if not may_decide_anew(item):
        messages.error(request, _("No reviewer's decision is in force about this post."))
        return redirect("annotation:item", slug, item.public_id)
    if not decide.may_be_replaced(item):
        messages.error(request, refusal_of(NeedsAppeal()))
        return redirect("annotation:item", slug, item.public_id)
    return redirect(back)


def take_lease(item: Item, member: Membership) -> None:
    """Give the post to the viewer. If somebody else took it first, do nothing: the page says so."""
    try:
        leases.take(item, member)
    except Leased:
        return


def decision_form(desk: Desk, request: PersonRequest, *, anew: bool = False) -> DecisionForm:
    """Return an empty form, or one whose rationale is the reason of the run that the reviewer chose.

    Who decides again finds what they decided before, and why; what somebody else decided is not theirs to repeat.
    """
    form = DecisionForm(categories=desk.offered, choose=desk.member.project.choose, reasons=_reasons(desk))
    last = (desk.proposed or desk.past[0]) if anew else None
    if last is not None and last.reviewer_id == desk.member.pk:
        code = last.category.code if last.category else None
        form.initial = {
            "category": "" if code is None else code,
            "categories": codes_of(code, last.categories),
            "rationale": last.rationale,
            "target_group": getattr(last, "target_group", ""),
            "replaces": desk.proposed.public_id if desk.proposed else None,
        }
    if reason := request.GET.get("reason"):
        form.initial["rationale"] = reason_of(desk.member, reason) or form.initial.get("rationale", "")
    chosen = next((line for line in desk.runs if str(line.run.public_id) == request.GET.get("draft")), None)
    if chosen is not None and chosen.outcome.get("reason"):
        draft = {"rationale": str(chosen.outcome["reason"])[:4000], "drafted_from": chosen.run.public_id}
        form.initial = {**form.initial, **draft}
    return form


def _reasons(desk: Desk) -> list[Reason]:
    return [Reason(row.reason) for row in desk.disputes]


def _decide(request: PersonRequest, desk: Desk) -> HttpResponse:
    choose = desk.member.project.choose
    form = DecisionForm(request.POST, categories=desk.offered, choose=choose, reasons=_reasons(desk))
    if not form.is_valid():
        return show_post(request, desk, form, status=422)
    pointer = desk.pointer
    anew = desk.item.stage != Stage.DISPUTED
    ruling_request = form.ruling_request(desk.corrections, {"hint": pointer.facts} if pointer else {})
    try:
        result = decide.settle(desk.item, desk.member, ruling_request)
    except StaleVersion as stale:
        return show_post(request, _fresh(desk), form, status=409, stale=stale.last)
    except Leased as leased:
        return show_post(request, _fresh(desk), form, status=409, leased=leased.lease)
    except (AlreadyProposed, ProposalAnswered, KeptForAnother) as kept:
        form.add_error(None, refusal_of(kept))
        return show_post(request, _fresh(desk), form, status=409)
    except (RulingKeyReused, BadRuling) as wrong:
        form.add_error(None, refusal_of(wrong))
        return show_post(request, _fresh(desk), form, status=422)
    except (OwnItem, NotAllowed, DecidedBefore, CategoryWanted, NeedsAppeal) as refused:
        form.add_error(None, refusal_of(refused))
        return show_post(request, _fresh(desk), form, status=403)
    if anew and request.GET.get("anew") != _FROM_QUEUE:  # from the post's page
        messages.success(request, _outcome_sentence(result, ruling_request.ruling))
        return redirect("annotation:item", desk.project.slug, desk.item.public_id)
    following = leases.take_next(desk.member, desk.filters, beside=desk.item)
    ahead = _("Here is the next post.") if following else _("That was the last one here.")
    messages.success(request, f"{_outcome_sentence(result, ruling_request.ruling)} {ahead}")
    return redirect(next_address(desk, following))


def _outcome_sentence(result: Any, ruling: Ruling) -> str:
    """Return a sentence that says what happened to the decision."""
    sentence = {
        Ruling.DECIDE: _("Decision saved."),
        Ruling.EXCLUDE: _("Excluded."),
        Ruling.NEW_ROUND: _("Sent to a new round."),
        Ruling.MORE_SEATS: _("More people are asked."),
    }[ruling]
    if isinstance(result, Proposed):
        sentence = _("Saved. Another reviewer decides it too, without seeing your decision.")
    return sentence


def show_post(
    request: PersonRequest,
    desk: Desk,
    form: DecisionForm,
    status: int = 200,
    stale: Event | None = None,
    leased: Lease | None = None,
    aside: SetAsideForm | None = None,
) -> HttpResponse:
    """Show the page with the text typed so far and the item's present version."""
    tab = request.GET.get("tab", "")
    tab = tab if tab in OWN_TABS else OWN_TABS[0]
    anew = may_decide_anew(desk.item)
    waits_for_lease = desk.member.reviews and desk.other_lease is not None and not desk.has_proposed
    replaces = form["replaces"].value()
    context = {
        "desk": desk,
        "item": desk.item,
        "form": form,
        "stale": stale,
        "leased": leased,
        "refused": status,
        "stale_categories": _categories(desk, stale),
        "query": query_of(desk.filters),
        "to_decide": query_of(desk.filters, **_kept_anew(request)),
        "way_back": way_back(desk.member, beside=desk.item),
        "aside_form": aside or SetAsideForm(reviewers=reviewers_of(desk.project)),
        "asked": desk.filters,
        "tab": tab,
        "others": _tabs(desk),
        "history": history(desk.item, desk.member) if tab == "history" and not desk.blind else [],
        "opinion_form": OpinionForm(categories=desk.offered),
        "anew": anew,
        "replaces": replaces,
        "open": desk.item.stage == Stage.DISPUTED or anew,
        # Who may only read gets no form, since it would be refused; text that was typed stays visible.
        "reads": not (desk.may_decide or desk.blind or form.is_bound or waits_for_lease or replaces),
    }
    if (run := None if desk.blind or tab != OWN_TABS[0] else desk.shown_run) is not None:
        context |= run_context(desk.member, run, desk.item, lines=desk.runs)
    response = project_page(request, desk.member, "moderation/desk_item.html", context, status)
    response["Cache-Control"] = "no-store"
    return response


def _kept_anew(request: PersonRequest) -> dict[str, str]:
    """Return `?anew` for the form's address where the reviewer goes on through the queue afterwards."""
    return {"anew": _FROM_QUEUE} if request.GET.get("anew") == _FROM_QUEUE else {}


def _tabs(desk: Desk) -> list[tuple[Tab, int]]:
    """Return the tabs of other parts of the site, with how much each holds."""
    others = [tab for tab in extensions.tabs() if tab.url_name != "moderation:item-runs"]
    return [] if desk.blind else [(tab, desk.counts_of_tabs.get(tab.url_name, 0)) for tab in others]


def _categories(desk: Desk, event: Event | None) -> list[Category]:
    """Return the categories that an event names."""
    facts = event.facts if event else {}
    codes = codes_of(facts.get("category"), facts.get("categories", ()))
    return [category for category in desk.categories if category.code in codes]


def _fresh(desk: Desk) -> Desk:
    """Return the page of the item, read again after somebody else changed it."""
    return Desk(desk.member, item_of(desk.project, desk.item.public_id), desk.filters)


def next_address(desk: Desk, item: Item | None) -> str:
    """Return the address of the next post, or of the queue if there is none."""
    if item is None:
        return _queue_address(desk.project, desk.filters)
    name = "moderation:desk-missing" if wants_category_of(item, desk.member) else "moderation:desk-item"
    return address(name, desk, item)


def address(name: str, desk: Desk, item: Item, **more: str) -> str:
    """Return the address of a page about the item that keeps the filters."""
    return reverse(name, args=[desk.project.slug, item.public_id]) + query_of(desk.filters, **more)


def _queue_address(project: Project, filters: QueueFilters) -> str:
    return reverse("moderation:desk", args=[project.slug]) + query_of(filters)


def query_of(filters: QueueFilters, **more: str) -> str:
    """Return the filters as the query of an address, with its question mark; nothing without any."""
    return f"?{urlencode(values)}" if (values := filters.query | more) else ""


@require_POST
def renew(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Renew the reviewer's lease of the post. Return 409 if somebody else works on it or it is settled."""
    member = member_of(request, slug, Role.REVIEWER)
    try:
        lease = leases.take(item_of(member.project, public_id), member)
    except Leased:
        lease = None
    return HttpResponse(status=204 if lease else 409)


@require_POST
def opinion(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Record the reviewer's own opinion before they open the debates."""
    member = member_of(request, slug, Role.REVIEWER)
    item = item_of(member.project, public_id)
    desk_page = Desk(member, item, queue.read(request.GET))
    form = OpinionForm(request.POST, categories=desk_page.offered)
    category = form.category_row() if form.is_valid() else None
    if category is None:
        messages.error(request, _("Choose a category first."))
    elif desk_page.may_decide and not desk_page.blind:
        try:
            blind_opinions.record_opinion(item, member, category)
            messages.success(request, _("Your own view is saved; your decision will be shown beside it."))
        except blind_opinions.TooLate:
            messages.error(request, _("You recorded your own view of this post before."))
    return redirect(address("moderation:desk-item", desk_page, item))


@require_GET
def similar_posts(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show earlier decisions about similar posts, as a part of the page that loads last."""
    member = reviewer(request, slug)
    item = item_of(member.project, public_id)
    context: dict[str, Any] = {"item": item, "failed": False}
    try:
        context["similar"] = similar_cases.similar(item) if may_see_votes(item, member) else []
    except (ProviderError, Refused):
        context |= {"similar": [], "failed": True}
    return project_page(request, member, "moderation/desk_similar.html", context)


def item_of(project: Project, public_id: UUID) -> Item:
    """Return an item of the project with the rows that its page shows.

    Raises Http404 if it does not exist or was excluded because it was reported.
    """
    item = (
        Item.objects.filter(project=project, public_id=public_id)
        .select_related("picture", "category", "intended", "project")
        .first()
    )
    if item is None or item.excluded_for == Reason.REPORTED:
        raise Http404
    return item
