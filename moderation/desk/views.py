"""Pages of the desk: the queue, one post with its decision, and the category that a *not sure* vote left open."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.assignment.prior_display import priors_for_people
from annotation.core import extensions
from annotation.core.extensions import Tab
from annotation.domain.category_sets import codes_of
from annotation.domain.choices import Difficulty, Level, Reason, Role, Stage
from annotation.models import Category, Event, Item, Membership, Project, Ruling
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from annotation.review import expert_replacement
from annotation.review.adjudicate import BadRuling, NotAllowed, OwnItem, RulingKeyReused, StaleVersion, may_decide_anew
from annotation.review.forms import MissingCategoryForm
from annotation.review.queue import disputed_items, may_see_votes, waiting_counts, wants_category_of
from moderation.debates.views import run_context
from moderation.desk import blind_opinions, decide, leases, queue, similar_cases
from moderation.desk.appeals import DecidedBefore
from moderation.desk.case_view import Desk
from moderation.desk.decide import AlreadyProposed, CategoryWanted, NeedsAppeal, Proposed
from moderation.desk.dispute_reasons import REASON_NAMES
from moderation.desk.error_messages import leased_sentence, refusal_of
from moderation.desk.forms import DecisionForm, OpinionForm
from moderation.desk.history import history
from moderation.desk.leases import Leased
from moderation.desk.queue import QueueFilters
from moderation.desk.queue_rows import queued
from moderation.models import Lease
from providers.messages import ProviderError, Refused

PAGE_LENGTH = 50
OWN_TABS = ("debates", "history")


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
    page = Paginator(queue.queue(member, filters), PAGE_LENGTH).get_page(request.GET.get("page"))
    items = queued(member, page.paginator.object_list, PAGE_LENGTH, max(page.start_index() - 1, 0))
    context = {
        "page": page,
        "items": items,
        "first": next((item for item in items if not getattr(item, "at_other", False)), None),
        "asked": filters,
        "query": _query(filters),
        "counts": [(reason, REASON_NAMES[reason], count) for reason, count in waiting_counts(member.project).items()],
        "difficulties": list(Difficulty),
        "levels": list(Level),
    }
    return project_page(request, member, "moderation/desk.html", context)


# ── One post ──────────────────────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
def desk_item(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show one disputed post with its anonymous votes, or store the decision. `?anew` replaces an earlier decision."""
    member = reviewer(request, slug)
    item = item_of(member.project, public_id)
    desk_page = Desk(member, item, queue.read(request.GET))
    if request.method == "POST":
        return _decide(request, desk_page)
    anew = "anew" in request.GET and decide.may_be_replaced(item) and member.reviews
    if item.stage != Stage.DISPUTED and not anew:
        return redirect("annotation:item", slug, item.public_id)
    if wants_category_of(item, member):
        return redirect(_address("moderation:desk-missing", desk_page, item))
    if member.reviews and desk_page.may_decide:
        _take(item, member)
    return _show(request, desk_page, _form(desk_page, request))


@require_GET
def anew(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Redirect to the desk to replace a reviewer's decision about a post."""
    member = member_of(request, slug, Role.REVIEWER)
    item = item_of(member.project, public_id)
    if not may_decide_anew(item):
        messages.error(request, _("No reviewer's decision is in force about this post."))
        return redirect("annotation:item", slug, item.public_id)
    if not decide.may_be_replaced(item):
        messages.error(request, refusal_of(NeedsAppeal()))
        return redirect("annotation:item", slug, item.public_id)
    return redirect(f"{reverse('moderation:desk-item', args=[slug, item.public_id])}?anew=1")


def _take(item: Item, member: Membership) -> None:
    """Give the post to the viewer. If somebody else took it first, do nothing: the page says so."""
    try:
        leases.take(item, member)
    except Leased:
        return


def _form(desk: Desk, request: PersonRequest) -> DecisionForm:
    """Return an empty form, or one whose rationale is the reason of the run that the reviewer chose."""
    form = DecisionForm(categories=desk.offered, choose=desk.member.project.choose, reasons=_reasons(desk))
    chosen = next((line for line in desk.runs if str(line.run.public_id) == request.GET.get("draft")), None)
    if chosen is not None and chosen.outcome.get("reason"):
        form.initial = {"rationale": str(chosen.outcome["reason"])[:4000], "drafted_from": chosen.run.public_id}
    return form


def _reasons(desk: Desk) -> list[Reason]:
    return [Reason(row.reason) for row in desk.disputes]


def _decide(request: PersonRequest, desk: Desk) -> HttpResponse:
    choose = desk.member.project.choose
    form = DecisionForm(request.POST, categories=desk.offered, choose=choose, reasons=_reasons(desk))
    if not form.is_valid():
        return _show(request, desk, form, status=422)
    pointer = desk.pointer
    anew = desk.item.stage != Stage.DISPUTED
    ruling_request = form.ruling_request(desk.corrections, {"hint": pointer.facts} if pointer else {})
    try:
        result = decide.settle(desk.item, desk.member, ruling_request)
    except StaleVersion as stale:
        return _show(request, _fresh(desk), form, status=409, stale=stale.last)
    except Leased as leased:
        return _show(request, _fresh(desk), form, status=409, leased=leased.lease)
    except AlreadyProposed as again:
        form.add_error(None, refusal_of(again))
        return _show(request, desk, form, status=409)
    except (RulingKeyReused, BadRuling) as wrong:
        form.add_error(None, refusal_of(wrong))
        return _show(request, _fresh(desk), form, status=422)
    except (OwnItem, NotAllowed, DecidedBefore, CategoryWanted, NeedsAppeal) as refused:
        form.add_error(None, refusal_of(refused))
        return _show(request, _fresh(desk), form, status=403)
    if anew:  # from the post's page and not from the queue
        messages.success(request, _outcome_sentence(result, ruling_request.ruling))
        return redirect("annotation:item", desk.project.slug, desk.item.public_id)
    following = leases.take_next(desk.member, desk.filters, beside=desk.item)
    ahead = _("Here is the next post.") if following else _("That was the last one here.")
    messages.success(request, f"{_outcome_sentence(result, ruling_request.ruling)} {ahead}")
    return redirect(_next_address(desk, following))


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


def _show(
    request: PersonRequest,
    desk: Desk,
    form: DecisionForm,
    status: int = 200,
    stale: Event | None = None,
    leased: Lease | None = None,
) -> HttpResponse:
    """Show the page with the text typed so far and the item's present version."""
    tab = request.GET.get("tab", "")
    tab = tab if tab in OWN_TABS else OWN_TABS[0]
    anew = may_decide_anew(desk.item)
    waits_for_lease = desk.member.reviews and desk.other_lease is not None
    context = {
        "desk": desk,
        "item": desk.item,
        "form": form,
        "stale": stale,
        "leased": leased,
        "refused": status,
        "stale_categories": _categories(desk, stale),
        "query": _query(desk.filters),
        "asked": desk.filters,
        "tab": tab,
        "others": _tabs(desk),
        "history": history(desk.item, desk.member) if tab == "history" and not desk.blind else [],
        "opinion_form": OpinionForm(categories=desk.offered),
        "anew": anew,
        "open": desk.item.stage == Stage.DISPUTED or anew,
        # Who may only read gets no form, since it would be refused; text that was typed stays visible.
        "reads": not (desk.may_decide or desk.blind or form.is_bound or waits_for_lease),
    }
    if (run := None if desk.blind or tab != OWN_TABS[0] else desk.shown_run) is not None:
        context |= run_context(desk.member, run, desk.item, lines=desk.runs)
    response = project_page(request, desk.member, "moderation/desk_item.html", context, status)
    response["Cache-Control"] = "no-store"
    return response


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


def _next_address(desk: Desk, item: Item | None) -> str:
    if item is None:
        return _queue_address(desk.project, desk.filters)
    name = "moderation:desk-missing" if wants_category_of(item, desk.member) else "moderation:desk-item"
    return _address(name, desk, item)


def _address(name: str, desk: Desk, item: Item) -> str:
    return reverse(name, args=[desk.project.slug, item.public_id]) + _query(desk.filters)


def _queue_address(project: Project, filters: QueueFilters) -> str:
    return reverse("moderation:desk", args=[project.slug]) + _query(filters)


def _query(filters: QueueFilters) -> str:
    return f"?{urlencode(filters.query)}" if filters.query else ""


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
    return redirect(_address("moderation:desk-item", desk_page, item))


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


# ── A missing category ────────────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
def missing(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Store the category that a *not sure* vote left open; the reviewer sees no votes, as the annotators did not."""
    member = member_of(request, slug, Role.REVIEWER)
    item = item_of(member.project, public_id)
    desk_page = Desk(member, item, queue.read(request.GET))
    form = MissingCategoryForm(request.POST or None, categories=desk_page.offered, choose=member.project.choose)
    if request.method == "GET":
        if not wants_category_of(item, member):
            return redirect(_address("moderation:desk-item", desk_page, item))
        _take(item, member)
        return _show_missing(request, desk_page, form)
    category = form.category_row() if form.is_valid() else None
    if category is None:
        return _show_missing(request, desk_page, form, status=422)
    try:
        leases.refuse_others(item, member)
        expert_replacement.replace_not_sure(item, member, category, form.cleaned_data["note"], form.stored_codes())
    except Leased as leased:
        form.add_error(None, leased_sentence(leased.lease))
        return _show_missing(request, desk_page, form, status=409)
    except expert_replacement.NotAnExpert:
        form.add_error(None, _("You have labelled this post, given a category for it, or seen its votes before."))
        return _show_missing(request, desk_page, form, status=403)
    except expert_replacement.NothingToReplace:
        form.add_error(None, _("Somebody else gave the category first. Nothing is missing here any more."))
        return _show_missing(request, desk_page, form, status=409)
    leases.give_back(item, member)
    messages.success(request, _("Saved in place of the “not sure”."))
    return redirect(_next_address(desk_page, leases.take_next(member, desk_page.filters, beside=item)))


@require_POST
def look_at_votes(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the reviewer the votes of a *not sure* item; they can no longer replace its missing category."""
    member = member_of(request, slug, Role.REVIEWER)
    item = item_of(member.project, public_id)
    if wants_category_of(item, member):
        expert_replacement.look_at_votes(item, member)
    return redirect("moderation:desk-item", slug, item.public_id)


def _show_missing(request: PersonRequest, desk: Desk, form: MissingCategoryForm, status: int = 200) -> HttpResponse:
    others = queue.candidates(desk.member, desk.filters) if desk.member.reviews else disputed_items(desk.project)
    context: dict[str, Any] = {
        "item": desk.item,
        "form": form,
        "query": _query(desk.filters),
        "following": others.exclude(pk=desk.item.pk).first(),
        "bench": {"step": "answer", "item": desk.item, "priors": _shown_priors(desk.project, desk.item)},
    }
    response = project_page(request, desk.member, "moderation/desk_missing.html", context, status)
    response["Cache-Control"] = "no-store"
    return response


def _shown_priors(project: Project, item: Item) -> list[Any]:
    """Return the priors that an annotator sees first: none if the project wants an answer without priors first."""
    if project.prior_display == "after_first_answer":
        return []
    return list(priors_for_people(project).filter(item=item, current=True).order_by("-modality"))


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
