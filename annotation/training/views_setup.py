"""Training and checks for admins: the rules, the items with a known answer, results by person and by item."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.found import one
from annotation.domain.choices import Role, Stage
from annotation.labelling.workspace import categories_of
from annotation.models import Item, KnownAnswer, Membership, Project
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.csv_response import csv_response
from annotation.pages.error_messages import sentence_for
from annotation.pages.long_lists import BoundedPaginator, listed_page
from annotation.pages.project_page import project_page
from annotation.training import attempts, control_items
from annotation.training import results as training_results
from annotation.training.forms import KeyForm, LinesForm, RulesForm

PAGE = 50
"""Items with a known answer on a page."""


@never_cache
@require_http_methods(["GET", "POST"])
def setup(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the Training tab with two forms: the rules, and known answers for many items."""
    member = member_of(request, slug, Role.ADMIN)
    project = Project.objects.get(pk=member.project_id)
    marks = request.POST.get("form") == "lines"
    rules = RulesForm(None if marks else request.POST or None, instance=project)
    lines = LinesForm(request.POST if marks else None, initial={"purpose": "training"})
    if (marks and _marked(request, member, lines)) or (not marks and _ruled(request, member, rules)):
        return redirect("annotation:training-setup", slug)
    rows = training_results.known_items(project)
    known = listed_page(BoundedPaginator(rows, PAGE, key=training_results.KEY), rows, request.GET)
    context = {
        "rules": rules,
        "lines": lines,
        "page": known,
        "known": _with_figures(list(known.object_list), project),
        "counts": training_results.count_control_items(project),
        "people": training_results.people_results(project),
    }
    status = 422 if rules.errors or lines.errors else 200
    return project_page(request, member, "annotation/training_setup.html", context, status=status)


@require_GET
def results(request: PersonRequest, slug: str) -> HttpResponse:
    """Send the results by person as CSV: safe to open in a spreadsheet, and read as UTF-8 there."""
    member = member_of(request, slug, Role.ADMIN)
    return csv_response(f"{slug}-training.csv", training_results.results_table(member.project))


@require_POST
def person(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Grant another attempt, or let somebody label without a pass."""
    admin = member_of(request, slug, Role.ADMIN)
    member = one(Membership.objects.filter(user__isnull=False), admin.project, public_id)
    if request.POST.get("act") == "attempt":
        attempts.grant_attempt(admin, member)
        messages.success(request, _("%(name)s may begin once more.") % {"name": member.pseudonym})
    elif request.POST.get("act") == "trained":
        if attempts.declare_trained(admin, member):
            messages.success(request, _("%(name)s counts as trained now.") % {"name": member.pseudonym})
        else:
            messages.info(request, _("%(name)s is trained already.") % {"name": member.pseudonym})
    return redirect("annotation:training-setup", slug)


@require_http_methods(["GET", "POST"])
def item(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Declare, change, rest or remove the known answer of one item."""
    member = member_of(request, slug, Role.ADMIN)
    item_row = one(Item.objects.select_related("picture"), member.project, public_id)
    known = control_items.known_answer_of(item_row)
    acts = request.method == "POST" and request.POST.get("act", "mark") == "mark"
    categories, choose = categories_of(member.project), member.project.choose
    form = KeyForm(request.POST if acts else None, categories=categories, choose=choose, known=known)
    if request.method == "POST" and _changed(request, member, item_row, form):
        return redirect("annotation:item-known", slug, public_id)
    context = {
        "item": item_row,
        "known": known,
        "form": form,
        "markable": item_row.stage in (*control_items.MARKABLE, Stage.KNOWN),
        "answered": known is not None and control_items.is_answered(item_row),
        "rows": _with_figures([known], member.project) if known else [],
    }
    return project_page(
        request, member, "annotation/item_known_answer.html", context, status=422 if form.errors else 200
    )


# ── Acting ────────────────────────────────────────────────────────────────────


def _ruled(request: PersonRequest, admin: Membership, form: RulesForm) -> bool:
    if not form.is_valid():
        return False
    attempts.change_training_rules(admin, form.save(commit=False), form.changed_data)
    messages.success(request, _("Rules saved."))
    return True


def _marked(request: PersonRequest, admin: Membership, form: LinesForm) -> bool:
    if not form.is_valid():
        return False
    lines, purpose = form.cleaned_data["lines"], form.cleaned_data["purpose"]
    try:
        done = control_items.mark_control_items(admin, lines, training=purpose == "training")
    except control_items.BadRows as bad:
        form.refuse(bad)
        return False
    message = ngettext("%(n)s post has a known answer now.", "%(n)s posts have a known answer now.", done)
    messages.success(request, message % {"n": done})
    return True


def _changed(request: PersonRequest, admin: Membership, item: Item, form: KeyForm) -> bool:
    """Do what was asked and say so; False where the form has to be shown again."""
    act = request.POST.get("act", "mark")
    try:
        if act in ("rest", "use"):
            control_items.set_control_item_active(item, admin, active=act == "use")
            message = (
                _("It is in use again.")
                if act == "use"
                else _("It is set aside: nobody gets it any more, and answers are kept.")
            )
        elif act == "give_back":
            control_items.unmark_control_item(item, admin)
            message = _("The post is ready to be opened like any other.")
        elif form.is_valid():
            control_items.mark_control_item(item, admin, form.key())
            message = _("Known answer saved.")
        else:
            return False
    except (control_items.NotMarkable, control_items.Answered) as refused:
        messages.error(request, sentence_for(refused.code, refused.sentence))
        return True
    messages.success(request, message)
    return True


# ── Showing ───────────────────────────────────────────────────────────────────


def _with_figures(known: list[KnownAnswer], project: Project) -> list[dict[str, Any]]:
    """Each known answer with how its item fares."""
    by_code = {category.code: category for category in project.categories.all()}
    figures = training_results.control_item_figures(known)
    return [
        {
            "known": known_answer,
            "figure": (figure := figures[known_answer.item_id]),
            "often": [by_code[code] for code in figure.often or ()],
        }
        for known_answer in known
    ]
