"""The reviewer's way: the queue, one disputed item and its decision, a missing category, taking out, reopening."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import adjudicating, knowing, removing, replacing
from annotation.adjudicating import NotAllowed, OwnItem, Stale
from annotation.domain.words import Reason, Role, Stage
from annotation.forms.reviewing import DecisionForm, MissingCategoryForm, ReasonForm, ReportForm
from annotation.handing_out import priors_for_people
from annotation.models import Category, Event, Item, Membership, Project, Ruling
from annotation.reviewing import disputed_items, next_after, waiting_counts, wants_category_of
from annotation.views.desk import REASON_NAMES, Desk, queued
from annotation.views.scope import PersonRequest, member_of

PAGE_LENGTH = 50


def reviewer(request: PersonRequest, slug: str) -> Membership:
    """The viewer as a reviewer or admin of the project, or 404."""
    return member_of(request, slug, Role.REVIEWER, Role.ADMIN)


@require_GET
def reviews(request: PersonRequest, slug: str) -> HttpResponse:
    """What is disputed, longest waiting first, in pages of 50; by reason where one is asked for."""
    member = reviewer(request, slug)
    reason = _reason(request)
    counts = waiting_counts(member.project)
    page = Paginator(disputed_items(member.project, reason), PAGE_LENGTH).get_page(request.GET.get("page"))
    context = {
        "project": member.project,
        "membership": member,
        "page": page,
        "items": queued(member, page.paginator.object_list, PAGE_LENGTH, max(page.start_index() - 1, 0)),
        "reason": reason,
        "counts": [(each, REASON_NAMES[each], count) for each, count in counts.items()],
    }
    return render(request, "annotation/reviews.html", context)


# ── One disputed item ─────────────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
def review(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """One disputed item with its votes as nameless cards; a decision settles it."""
    member = reviewer(request, slug)
    item = _item(member.project, public_id)
    if request.method == "POST":
        return _decide(request, Desk(member, item, _reason(request)))
    if item.stage != Stage.DISPUTED:
        return redirect("annotation:item", slug, item.public_id)
    if wants_category_of(item, member):
        return redirect("annotation:replace", slug, item.public_id)
    desk = Desk(member, item, _reason(request))
    return _show(request, desk, DecisionForm(categories=desk.categories))


def _decide(request: PersonRequest, desk: Desk) -> HttpResponse:
    form = DecisionForm(request.POST, categories=desk.categories)
    if not form.is_valid():
        return _show(request, desk, form, status=422)
    following = next_after(disputed_items(desk.project, desk.reason), desk.item)
    try:
        _rule(desk, form)
    except Stale as stale:
        return _show(request, _fresh(desk), form, status=409, stale=stale.last)
    except OwnItem:
        form.add_error(None, _("You labelled this post yourself; here somebody else has to settle it."))
        return _show(request, desk, form, status=403)
    except NotAllowed:
        form.add_error(None, _("Only reviewers settle disputed posts, and only while they are disputed."))
        return _show(request, _fresh(desk), form, status=403)
    messages.success(request, _said(form.cleaned_data["ruling"], following))
    return redirect(_address(desk, following))


def _rule(desk: Desk, form: DecisionForm) -> None:
    item, member, values = desk.item, desk.member, form.cleaned_data
    version, rationale = values["version"], values["rationale"]
    match values["ruling"], form.category_row():
        case Ruling.DECIDE, Category() as category:
            adjudicating.decide(item, member, version, rationale, category, form.upheld(desk.corrections))
        case Ruling.EXCLUDE, _:
            adjudicating.exclude(item, member, version, rationale)
        case Ruling.NEW_ROUND, _:
            adjudicating.label_again(item, member, version, rationale)


def _said(ruling: str, following: Item | None) -> str:
    done = {
        Ruling.DECIDE.value: _("Settled."),
        Ruling.EXCLUDE.value: _("Excluded."),
        Ruling.NEW_ROUND.value: _("Sent to a new round."),
    }[ruling]
    ahead = _("Here is the next one.") if following else _("That was the last one here.")
    return f"{done} {ahead}"


def _show(
    request: PersonRequest, desk: Desk, form: DecisionForm, status: int = 200, stale: Event | None = None
) -> HttpResponse:
    """The page with everything typed so far, and with the item's version as it is now."""
    context = {
        "project": desk.project,
        "membership": desk.member,
        "desk": desk,
        "item": desk.item,
        "form": form,
        "stale": stale,
        "refused": status,
        "stale_category": _category(desk, stale),
    }
    answer = render(request, "annotation/review.html", context, status=status)
    answer["Cache-Control"] = "no-store"
    return answer


def _category(desk: Desk, event: Event | None) -> Category | None:
    code = event.facts.get("category") if event else None
    return next((category for category in desk.categories if category.code == code), None)


def _fresh(desk: Desk) -> Desk:
    """The item as it is now, after somebody else acted."""
    return Desk(desk.member, _item(desk.project, desk.item.public_id), desk.reason)


def _address(desk: Desk, item: Item | None) -> str:
    slug = desk.project.slug
    place = (
        reverse("annotation:review", args=[slug, item.public_id])
        if item
        else reverse("annotation:reviews", args=[slug])
    )
    return f"{place}?reason={desk.reason}" if desk.reason else place


# ── A missing category ────────────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
def replace(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Give the category that a *not sure* left open, as blind as the annotators were."""
    member = member_of(request, slug, Role.REVIEWER)
    item = _item(member.project, public_id)
    categories = tuple(Category.objects.filter(project=member.project).order_by("code"))
    form = MissingCategoryForm(request.POST or None, categories=categories)
    if request.method == "GET":
        if not wants_category_of(item, member):
            return redirect("annotation:review", slug, item.public_id)
        return _show_missing(request, member, item, form)
    category = form.category_row() if form.is_valid() else None
    if category is None:
        return _show_missing(request, member, item, form, status=422)
    following = replacing.waiting_for_expert(member).exclude(pk=item.pk).first()
    try:
        replacing.replace(item, member, category, form.cleaned_data["note"])
    except replacing.NotAnExpert:
        form.add_error(None, _("You have labelled this post, given a category for it, or seen its votes before."))
        return _show_missing(request, member, item, form, status=403)
    except replacing.NothingToReplace:
        form.add_error(None, _("Somebody else gave the category first; nothing is missing here any more."))
        return _show_missing(request, member, item, form, status=409)
    messages.success(request, _("Stored in place of the “not sure”."))
    if following is not None:
        return redirect("annotation:replace", slug, following.public_id)
    return redirect("annotation:reviews", slug)


@require_POST
def look_at_votes(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Give up one's own view of a *not sure* item, and see the votes to settle it."""
    member = member_of(request, slug, Role.REVIEWER)
    item = _item(member.project, public_id)
    if wants_category_of(item, member):
        replacing.look_at_votes(item, member)
    return redirect("annotation:review", slug, item.public_id)


def _show_missing(
    request: PersonRequest, member: Membership, item: Item, form: MissingCategoryForm, status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {
        "project": member.project,
        "membership": member,
        "item": item,
        "form": form,
        "reason": (reason := _reason(request)),
        "following": next_after(disputed_items(member.project, reason), item),
        "bench": {"step": "answer", "priors": _shown_priors(member.project, item)},
    }
    answer = render(request, "annotation/review_missing.html", context, status=status)
    answer["Cache-Control"] = "no-store"
    return answer


def _shown_priors(project: Project, item: Item) -> list[Any]:
    """The priors an annotator would have seen at first: none where the project asks for one's own view before."""
    if project.prior_display == "after_first_answer":
        return []
    return list(priors_for_people(project).filter(item=item, current=True).order_by("-modality"))


# ── Taking out and reopening ──────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
def reopen(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Send a settled item back to labelling, with a reason; admins only."""
    member = member_of(request, slug, Role.ADMIN)
    item = _item(member.project, public_id)
    if item.stage not in (Stage.GOLD, Stage.EXCLUDED) and request.method == "GET":
        return redirect("annotation:item", slug, item.public_id)
    if knowing.known_of(item) is not None:
        messages.error(request, _("This post has a known answer, so it gets no votes any more."))
        return redirect("annotation:item", slug, item.public_id)
    form = ReasonForm(request.POST or None)
    if not form.is_valid():
        return _ask(request, member, item, form, "reopen")
    try:
        adjudicating.reopen(item, member, form.cleaned_data["version"], form.cleaned_data["reason"])
    except (Stale, NotAllowed):
        form.add_error(None, _("Somebody acted on this post meanwhile. Look at it again before you reopen it."))
        return _ask(request, member, _item(member.project, public_id), form, "reopen", status=409)
    messages.success(request, _("Reopened: the post is being labelled again."))
    return redirect("annotation:item", slug, item.public_id)


@require_http_methods(["GET", "POST"])
def withdraw_item(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Take an item out on request, with a reason; admins only."""
    member = member_of(request, slug, Role.ADMIN)
    item = _item(member.project, public_id)
    form = ReasonForm(request.POST or None)
    if not form.is_valid():
        return _ask(request, member, item, form, "withdraw")
    if not removing.withdraw_item(item, member, form.cleaned_data["reason"]):
        form.add_error(None, _("The post is out already."))
        return _ask(request, member, _item(member.project, public_id), form, "withdraw", status=409)
    messages.success(request, _("Taken out: the post is in no queue and no later release."))
    return redirect("annotation:item", slug, item.public_id)


@require_http_methods(["GET", "POST"])
def report_item(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Report illegal content that a reviewer or admin came across; it is gone at once."""
    member = reviewer(request, slug)
    item = _item(member.project, public_id)
    form = ReportForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _ask(request, member, item, form, "report")
    removing.report_item(item, member, form.cleaned_data["reason"])
    return render(
        request,
        "annotation/review_reported.html",
        {"project": member.project, "membership": member, "contact": member.project.operator_contact},
    )


def _ask(
    request: PersonRequest, member: Membership, item: Item, form: Any, act: str, status: int | None = None
) -> HttpResponse:
    """The page that asks for a reason before something is taken out or reopened."""
    context = {"project": member.project, "membership": member, "item": item, "form": form, "act": act}
    return render(request, "annotation/review_act.html", context, status=status or (422 if form.is_bound else 200))


# ── Shared ────────────────────────────────────────────────────────────────────


def _reason(request: PersonRequest) -> Reason | None:
    """The reason in the address, if it is one; anything else asks for all."""
    wanted = request.GET.get("reason", "")
    return Reason(wanted) if wanted in set(Reason) else None


def _item(project: Project, public_id: UUID) -> Item:
    """An item of the project with what its page shows, or 404."""
    item = (
        Item.objects.filter(project=project, public_id=public_id)
        .select_related("picture", "category", "intended", "project")
        .first()
    )
    if item is None:
        raise Http404
    return item
