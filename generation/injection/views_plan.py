"""The plan of samples: terms, targets and missing numbers, entries, and running batches. For admins."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from annotation.models import Membership
from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page
from generation.domain.injection.plan import BadPlan
from generation.injection import batches as injection_batches
from generation.injection import settings
from generation.injection.access import batch_for, looker, maker, shown, while_on
from generation.injection.forms import BatchForm, EntryForm, PlanFileForm, TargetsForm, TermsForm
from generation.injection.plan_files import MOST_PLAN_BYTES, read_json
from generation.injection.presenters import Standing, consents_of, pattern_rows, pools_of
from generation.models import InjectionBatch, PlanRow
from runs.execution.budget import BudgetExceeded

_REFUSALS = (BadPlan, injection_batches.NoWriter, BudgetExceeded)


@require_GET
def overview(request: PersonRequest, slug: str) -> HttpResponse:
    """Show admins the plan, send reviewers to the waiting samples; show the terms if injection is off."""
    member = looker(request, slug)
    if not settings.is_on(member.project):
        return show_terms(request, member)
    if not member.administers:
        return redirect("generation:sample-review", slug)
    return show_plan(request, member)


@require_POST
def switch(request: PersonRequest, slug: str) -> HttpResponse:
    """Accept the terms and switch injection on, or switch it off."""
    member = maker(request, slug)
    if request.POST.get("on") == "0":
        if settings.switch_off(member):
            messages.success(request, _("Injection is off: no model is asked. What was made stays."))
        return redirect("generation:injection", slug)
    form = TermsForm(request.POST)
    if not form.is_valid():
        return show_terms(request, member, form=form, status=422)
    try:
        settings.switch_on(member, form.cleaned_data["version"])
    except settings.BadTerms as changed:
        form.add_error(None, str(changed))
        return show_terms(request, member, form=TermsForm(), fault=str(changed), status=409)
    messages.success(request, _("Injection is on. Your acceptance of the terms is recorded."))
    return redirect("generation:injection", slug)


@require_POST
@while_on
def targets(request: PersonRequest, slug: str) -> HttpResponse:
    """Store the wanted number of items of each pattern and category."""
    member = maker(request, slug)
    settings.require_on(member.project)
    form = TargetsForm(member.project.offered_categories(), request.POST)
    if not form.is_valid():
        fault = _("A wanted number is a whole number from 0 up.")
        return show_plan(request, member, targets_form=form, fault=fault, status=422)
    if settings.set_targets(member, form.wanted()):
        messages.success(request, _("Saved."))
    else:
        messages.info(request, _("Nothing was changed."))
    return redirect("generation:injection", slug)


@require_POST
@while_on
def add(request: PersonRequest, slug: str) -> HttpResponse:
    """Add an entry to the plan."""
    member = maker(request, slug)
    form = EntryForm(member.project, request.POST)
    if form.is_valid():
        try:
            injection_batches.add_row(member, form.entry())
        except BadPlan as bad:
            sentence = bad.sentence.removeprefix("Entry 1: ")
            form.add_error(None, sentence[:1].upper() + sentence[1:])
        else:
            return _to_plan(slug)
    settings.require_on(member.project)
    return show_plan(request, member, form=form, status=422)


@require_POST
@while_on
def remove(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Remove an entry from the plan."""
    member = maker(request, slug)
    if not injection_batches.remove_row(member, public_id):
        messages.info(request, _("That entry was gone already."))
    return _to_plan(slug)


@require_POST
@while_on
def read_file(request: PersonRequest, slug: str) -> HttpResponse:
    """Add the entries of a JSON file to the plan, all or none."""
    member = maker(request, slug)
    form = PlanFileForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            rows = injection_batches.add_rows(member, read_json(form.cleaned_data["plan"].read(MOST_PLAN_BYTES + 1)))
        except BadPlan as bad:
            form.add_error("plan", bad.sentence)
        else:
            sentence = ngettext("%(n)s entry was added.", "%(n)s entries were added.", len(rows))
            messages.success(request, sentence % {"n": len(rows)})
            return _to_plan(slug)
    settings.require_on(member.project)
    return show_plan(request, member, file_form=form, status=422)


@require_POST
@while_on
def begin(request: PersonRequest, slug: str) -> HttpResponse:
    """Carry the plan out and clear it; if that is not possible, the plan stays as it is."""
    member = maker(request, slug)
    form = BatchForm(request.POST)
    if form.is_valid():
        try:
            batch = injection_batches.begin_page_plan(member, form.request(), form.cleaned_data["key"])
        except _REFUSALS as fault:
            form.add_error(None, str(fault))
        else:
            return redirect("generation:injection-batch", slug, batch.public_id)
    settings.require_on(member.project)
    return show_plan(request, member, batch_form=form, status=422)


@require_GET
def batch(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show one batch: what was asked for, and its progress."""
    member = maker(request, slug)
    batch_row = batch_for(member, public_id)
    context = shown(member, standing=Standing(batch_row), batch=batch_row)
    return project_page(request, member, "generation/injection/batch.html", context)


@require_GET
def progress(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Render the part of a batch's page that is polled."""
    member = maker(request, slug)
    batch_row = batch_for(member, public_id)
    context = shown(member, standing=Standing(batch_row), batch=batch_row)
    return project_page(request, member, "generation/injection/_progress.html", context)


@require_POST
@while_on
def go_on(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Ask for the samples that are not finished."""
    member = maker(request, slug)
    batch_row = batch_for(member, public_id)
    try:
        started = injection_batches.go_on(batch_row, member)
    except BudgetExceeded as fault:
        messages.error(request, str(fault))
        return redirect("generation:injection-batch", slug, public_id)
    if not started:
        messages.info(request, _("There is nothing left to ask for."))
    return redirect("generation:injection-batch", slug, public_id)


@require_POST
def cancel(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Cancel the open runs of a batch; written samples stay."""
    member = maker(request, slug)
    if injection_batches.cancel(batch_for(member, public_id), member):
        messages.success(request, _("The models are stopped. What they wrote so far is kept."))
    else:
        messages.info(request, _("They had ended already."))
    return redirect("generation:injection-batch", slug, public_id)


def show_terms(request: PersonRequest, member: Membership, *, status: int = 200, **more: Any) -> HttpResponse:
    """Render the terms, with a form for those who may accept them."""
    context = shown(member, form=TermsForm(), consents=consents_of(member.project)[:5]) | more
    return project_page(request, member, "generation/injection/terms.html", context, status=status)


def show_plan(request: PersonRequest, member: Membership, *, status: int = 200, **more: Any) -> HttpResponse:
    """Render the plan page."""
    project = member.project
    batches = InjectionBatch.objects.filter(project=project)[:8]
    rows = list(PlanRow.objects.filter(project=project))
    names = {category.code: str(category) for category in project.offered_categories()}
    context = shown(
        member,
        patterns=pattern_rows(project),
        categories=project.offered_categories(),
        entries=[(row, names.get(row.entry["category"], "?")) for row in rows],
        wanted=sum(row.entry["count"] for row in rows),
        pools=list(pools_of(project)),
        batches=[Standing(row) for row in batches],
        problems=list(injection_batches.writing_problems(project).items()),
        consent=consents_of(project).first(),
        form=EntryForm(project),
        file_form=PlanFileForm(),
        batch_form=BatchForm(),
    )
    for standing in context["batches"]:
        standing.batch.project = project
    return project_page(request, member, "generation/injection/plan.html", context | more, status=status)


def _to_plan(slug: str) -> HttpResponse:
    response = redirect("generation:injection", slug)
    response["Location"] += "#plan"
    return response
