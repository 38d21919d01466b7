"""Changes of many items: the page shows the exact count and asks for confirmation before anything changes."""

from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.core.found import one
from annotation.domain.choices import Role
from annotation.items import bulk_job
from annotation.items.bulk_actions import ACTS, REASONS
from annotation.items.bulk_job import ListChanged, targets
from annotation.items.forms import BulkForm
from annotation.items.search import UnknownFilter, listed_values
from annotation.models import BulkOrder, JobState, Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.job_progress import JobProgress, progress_fragment
from annotation.pages.project_page import project_page

MOST_CHOSEN = 200


@require_POST
def bulk(request: PersonRequest, slug: str) -> HttpResponse:
    """Show what an action would change; with `confirm`, carry it out."""
    member = member_of(request, slug, Role.ADMIN)
    act = ACTS.get(request.POST.get("act", ""))
    if act is None or "\x00" in request.POST.get("query", ""):
        raise BadRequest("no such act")
    query = request.POST.get("query", "")
    chosen = None if request.POST.get("which") == "all" else request.POST.getlist("item")[:MOST_CHOSEN]
    if chosen == []:
        messages.warning(request, _("Choose items by their boxes, or take all that were found."))
        return redirect(f"{reverse('annotation:items', args=[slug])}?{query}")
    try:
        matching = targets(member, query, chosen)
    except UnknownFilter as unknown:
        messages.error(request, unknown.sentence)
        return redirect("annotation:items", slug)
    page_values: dict[str, Any] = {"act": act, "query": query, "chosen": chosen, "items": matching}
    if "confirm" not in request.POST:
        return _ask(request, member, BulkForm(needs=act.needs), **page_values)
    form = BulkForm(request.POST, needs=act.needs)
    if not form.is_valid() or form.cleaned_data["count"] is None or form.cleaned_data["key"] is None:
        return _ask(request, member, form, status=422, **page_values)
    values = form.cleaned_data
    options = {act.needs: values[act.needs]} if act.needs else {}
    try:
        row = bulk_job.order(member, act, options, query=query, chosen=chosen, count=values["count"], key=values["key"])
    except ListChanged:
        return _ask(request, member, form, status=409, changed=values["count"], **page_values)
    return redirect("annotation:bulk-order", slug, row.public_id)


@require_GET
def order(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the result of a change, or its progress."""
    member, row = _order(request, slug, public_id)
    return project_page(request, member, "annotation/bulk_order.html", _shown(row))


@require_GET
def progress(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Return the fragment of a change that is under way."""
    member, row = _order(request, slug, public_id)
    return progress_fragment(request, member, _progress(row))


@require_POST
def cancel(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Stop a change; items that are already changed stay changed."""
    _member, row = _order(request, slug, public_id)
    if not bulk_job.BULK_CHANGES.cancel(row):
        messages.warning(request, _("It has already ended."))
    return redirect("annotation:bulk-order", slug, public_id)


def _ask(
    request: PersonRequest, member: Membership, form: BulkForm, *, items: Any, status: int = 200, **page_values: Any
) -> HttpResponse:
    stages = bulk_job.stages_of(items)
    count = sum(stages.values())
    act = page_values["act"]
    if act.needs == "batch":
        form.fields["batch"].widget.attrs |= {"list": "batches", "autocomplete": "off"}
        page_values["batches"] = [name for name, _name in listed_values(member, "batch")]
    context = {
        "form": form,
        "stages": stages,
        "count": count,
        "large": count > bulk_job.SMALL,
        "key": uuid4(),
        **page_values,
    }
    return project_page(request, member, "annotation/bulk.html", context, status=status)


def _order(request: PersonRequest, slug: str, public_id: UUID) -> tuple[Membership, BulkOrder]:
    member = member_of(request, slug, Role.ADMIN)
    return member, one(BulkOrder.objects, member.project, public_id)


def _shown(row: BulkOrder) -> dict[str, Any]:
    passed = [(REASONS.get(why, why), n) for why, n in row.passed_over.items()]
    under_way = _progress(row)
    return {
        "order": row,
        "act": ACTS[row.act],
        "progress": under_way,
        "passed": passed,
        "unmatched": row.items_total - under_way.done if row.state == JobState.DONE else 0,
    }


def _progress(row: BulkOrder) -> JobProgress:
    looked_at = row.items_done + sum(row.passed_over.values())
    return JobProgress(
        row,
        what=_("Items changed"),
        state=_("waiting for a worker") if row.state == JobState.QUEUED else _("under way"),
        done=looked_at,
        total=row.items_total,
        part=_("Part of the items that is done"),
        sentence=_("%(done)s of %(total)s items") % {"done": f"{looked_at:,}", "total": f"{row.items_total:,}"},
        if_cancelled=_("It is being cancelled; what is changed stays changed."),
        page="annotation:bulk-order",
        poll="annotation:bulk-progress",
        cancel="annotation:bulk-cancel",
        cancels_when_closed=True,
    )
