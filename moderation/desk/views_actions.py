"""Pages beside the desk: accepting many posts at once, rules, figures, appeals, statements of reasons."""

import json
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.choices import Reason, Role
from annotation.models import Item, Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from annotation.review.adjudicate import NotAllowed
from annotation.review.queue import may_see_votes
from moderation.desk import appeals as desk_appeals
from moderation.desk import bulk_accept, reviewer_statistics, statements, triage
from moderation.desk.dispute_reasons import REASON_NAMES
from moderation.desk.forms import AcceptForm, AppealForm, RulesForm, StatementForm, ValuesForm
from moderation.desk.settings import rules_of, set_rules, set_value_lists
from moderation.desk.views import item_of, reviewer
from moderation.domain.statement import LISTABLE, BadLists
from moderation.domain.triage import ENOUGH, PAPER_LABEL, PAPER_MODEL, Side
from moderation.models import Statement

PAGE_LENGTH = 50
MOST_BYTES = 1_000_000


# ── Many at once ──────────────────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
def accept(request: PersonRequest, slug: str) -> HttpResponse:
    """Decide all posts of one reason as the votes say. The reviewer confirms their number, and again if it changed."""
    member = member_of(request, slug, Role.REVIEWER)
    form = AcceptForm(request.POST if request.method == "POST" else None)
    if not form.is_valid() or not form.cleaned_data["count"]:
        return _ask_to_accept(request, member, form, status=422 if form.errors else 200)
    reason, rationale = Reason(form.cleaned_data["reason"]), form.cleaned_data["rationale"]
    try:
        accepted = bulk_accept.accept(member, reason, rationale, form.cleaned_data["count"])
    except bulk_accept.CountChanged as changed:
        messages.error(
            request,
            ngettext(
                "There is now %(now)s post. Check again.", "There are now %(now)s posts. Check again.", changed.now
            )
            % {"now": changed.now},
        )
        return _ask_to_accept(request, member, form, status=409)
    sentence = ngettext("%(count)s post is settled.", "%(count)s posts are settled.", accepted.done) % {
        "count": accepted.done
    }
    if accepted.passed_over:
        sentence += " " + _("%(count)s were skipped: somebody is working on them.") % {"count": accepted.passed_over}
    messages.success(request, sentence)
    return redirect("moderation:desk", slug)


def _ask_to_accept(request: PersonRequest, member: Membership, form: AcceptForm, status: int) -> HttpResponse:
    items_of = {reason: list(bulk_accept.acceptable(member, reason)) for reason in bulk_accept.REASONS}
    chosen = form.data.get("reason", "") if form.is_bound else ""
    context = {
        "form": form,
        "found": [(reason, REASON_NAMES[reason], items) for reason, items in items_of.items()],
        "chosen": chosen,
        "confirm": len(items_of[Reason(chosen)]) if form.is_bound and not form.errors else 0,
        "most": bulk_accept.AT_ONCE,
    }
    return project_page(request, member, "moderation/desk_accept.html", context, status=status)


# ── Rules and figures ─────────────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
def rules(request: PersonRequest, slug: str) -> HttpResponse:
    """Show or change the rules of the project's desk; admins only."""
    member = member_of(request, slug, Role.ADMIN)
    form = RulesForm(request.POST) if request.method == "POST" else RulesForm.of(rules_of(member.project))
    if form.is_bound and form.is_valid():
        values = form.cleaned_data
        reasons = [Reason(value) for value in values["second_for"]]
        set_rules(member, values["lease_minutes"], reasons, values["appeals"])
        messages.success(request, _("Desk rules saved."))
        return redirect("moderation:desk-rules", slug)
    return _show_rules(request, member, form, ValuesForm())


@require_POST
def values(request: PersonRequest, slug: str) -> HttpResponse:
    """Store the platform's closed values for statements of reasons; admins only."""
    member = member_of(request, slug, Role.ADMIN)
    form = ValuesForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            rules = set_value_lists(member, json.loads(form.cleaned_data["file"].read(MOST_BYTES).decode("utf-8-sig")))
        except BadLists as bad:
            form.add_error("file", str(bad))
        except (ValueError, RecursionError):
            form.add_error("file", _("The file is no JSON in UTF-8, or has more than 1 MB."))
        else:
            count = len(rules.value_lists)
            sentence = ngettext("%(count)s field is closed now.", "%(count)s fields are closed now.", count)
            messages.success(request, sentence % {"count": count})
            return redirect("moderation:desk-rules", slug)
    return _show_rules(request, member, RulesForm.of(rules_of(member.project)), form)


def _show_rules(request: PersonRequest, member: Membership, form: RulesForm, values: ValuesForm) -> HttpResponse:
    lists = rules_of(member.project).value_lists
    context = {
        "form": form,
        "values": values,
        "closed": [(statements.TITLES[name], name, closed) for name, closed in lists.items()],
        "listable": LISTABLE,
    }
    wrong = form.errors or values.errors
    return project_page(request, member, "moderation/desk_rules.html", context, status=422 if wrong else 200)


@require_GET
def figures(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the reviewers' figures, and how often hints were right."""
    member = reviewer(request, slug)
    statistics = reviewer_statistics.figures(member.project)
    rates, decisions = triage.hit_rates(member.project)
    context = {
        "figures": statistics,
        "methods": sorted(statistics.methods.items()),
        "rates": [
            (Side.MODEL, _("model may be right"), rates[Side.MODEL], PAPER_MODEL),
            (Side.PEOPLE, _("model likely wrong"), rates[Side.PEOPLE], PAPER_LABEL),
        ],
        "decisions": decisions,
        "enough": ENOUGH,
    }
    return project_page(request, member, "moderation/desk_figures.html", context)


# ── Appeals ───────────────────────────────────────────────────────────────────


@require_GET
def appeals(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the project's appeals and their outcomes, newest first."""
    member = reviewer(request, slug)
    page = Paginator(desk_appeals.appeals_of(member.project), PAGE_LENGTH).get_page(request.GET.get("page"))
    return project_page(request, member, "moderation/appeals.html", page=page, appeals=page.object_list)


@require_http_methods(["GET", "POST"])
def appeal(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Enter an appeal against the decision about a post."""
    member = reviewer(request, slug)
    item = seen_item(member, public_id)
    form = AppealForm(request.POST if request.method == "POST" else None)
    context = {"item": item, "form": form}
    if not form.is_valid():
        return project_page(request, member, "moderation/appeal.html", context, status=422 if form.errors else 200)
    try:
        desk_appeals.appeal(item, member, form.cleaned_data["grounds"], form.cleaned_data["appellant"])
    except desk_appeals.NotAppealable as refused:
        form.add_error(None, str(refused))
        return project_page(request, member, "moderation/appeal.html", context, status=409)
    except NotAllowed:
        raise Http404 from None
    messages.success(request, _("The post is in the queue again, for a reviewer who did not decide it."))
    return redirect("moderation:appeals", slug)


# ── Statements of reasons ─────────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
def statement(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the statement of reasons about a decided post, or store a new version."""
    member = reviewer(request, slug)
    item = seen_item(member, public_id)
    newest = statements.newest(item)
    try:
        fields = newest.fields if newest else statements.filled(item)
    except statements.NotDecided:
        messages.error(request, _("Nothing is decided about this post yet, so there is nothing to give reasons for."))
        return redirect("annotation:item", slug, item.public_id)
    lists = rules_of(member.project).value_lists
    form = StatementForm(lists, request.POST) if request.method == "POST" else StatementForm.of(fields, lists)
    if form.is_bound and form.is_valid():
        try:
            statements.write(item, member, form.statement())
        except statements.NotValid as wrong:
            for name, sentence in wrong.sentences.items():
                form.add_error(name, sentence)
        except statements.NotDecided:
            form.add_error(None, _("The post is not decided any more."))
        else:
            messages.success(request, _("Statement saved. You can download it below."))
            return redirect(reverse("moderation:statement", args=[slug, item.public_id]))
    context = {
        "item": item,
        "form": form,
        "newest": newest,
        "versions": Statement.objects.filter(item=item).select_related("author").order_by("-pk"),
    }
    return project_page(request, member, "moderation/statement.html", context, status=422 if form.errors else 200)


@require_GET
def statement_file(request: PersonRequest, slug: str, public_id: UUID, number: int, kind: str) -> HttpResponse:
    """Send one version of the statement as a Markdown document or as JSON."""
    member = reviewer(request, slug)
    item = seen_item(member, public_id)
    version = Statement.objects.filter(item=item, version=number).order_by("-pk").first()
    if version is None or kind not in ("json", "md"):
        raise Http404
    name = f"statement-{item.public_id}-{number}.{kind}"
    response: HttpResponse
    if kind == "json":
        response = JsonResponse(statements.as_json(version), json_dumps_params={"ensure_ascii": False, "indent": 2})
    else:
        response = HttpResponse(statements.as_markdown(version), content_type="text/markdown; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def seen_item(member: Membership, public_id: UUID) -> Item:
    """Return an item whose votes the viewer may see.

    Raises Http404 if there is none.
    """
    item = item_of(member.project, public_id)
    if not may_see_votes(item, member):
        raise Http404
    return item
