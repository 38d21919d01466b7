"""Pages on which people read samples: review by keyboard, the log of all samples, the report on strategies."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from annotation.models import Membership
from annotation.pages.access import PersonRequest
from annotation.pages.long_lists import BoundedPaginator, listed_page
from annotation.pages.project_page import project_page
from generation.domain.injection.states import SampleState
from generation.domain.injection.strategies import Strategy
from generation.domain.injection.yields import in_all
from generation.injection import review as injection_review
from generation.injection.access import looker, sample_for, shown, while_on
from generation.injection.forms import MOST_REASON, RejectForm
from generation.injection.presenters import REPORTED, Look, YieldRate, YieldRow, visible_samples, waiting_samples
from generation.injection.report import yields_of
from generation.models import Sample

PAGE = 50
USUAL = (
    gettext_lazy("It is not what its pattern asks for"),
    gettext_lazy("The text does not belong to the picture"),
    gettext_lazy("It does not read like a post"),
    gettext_lazy("It hurts more than it needs to"),
)
"""Usual reasons for a rejection; each has its own button and key."""


@require_GET
def review(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the next waiting sample. With `after`, samples up to that order are passed over for now."""
    member = looker(request, slug)
    rows = waiting_samples(member)
    after = request.GET.get("after", "")
    later = rows.filter(order__gt=int(after)).first() if after.isdecimal() and len(after) < 9 else None
    sample = later or rows.first()
    if sample is None:
        return project_page(request, member, "generation/injection/review.html", shown(member, look=None))
    sample.project = member.project
    return show_sample(request, member, sample)


@require_GET
def sample(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show one sample, in any state."""
    member = looker(request, slug)
    return show_sample(request, member, sample_for(member, public_id))


@require_POST
@while_on
def accept(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Accept a sample as an item, then show the next one."""
    member = looker(request, slug)
    sample_row = sample_for(member, public_id)
    try:
        injection_review.accept(sample_row, member)
    except injection_review.CannotDecide as fault:
        messages.warning(request, str(fault))
    else:
        messages.success(request, _("Accepted: it is an item now."))
    return _to_next(sample_row)


@require_POST
@while_on
def reject(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Reject a sample with the reason, then show the next one."""
    member = looker(request, slug)
    sample_row = sample_for(member, public_id)
    form = RejectForm(request.POST)
    if not form.is_valid() or not form.whole():
        fault = _("Say why it is rejected: choose a reason, or write one.")
        return show_sample(request, member, sample_row, form=form, fault=fault, status=422)
    try:
        injection_review.reject(sample_row, member, form.whole())
    except injection_review.CannotDecide as fault_of_it:
        now = sample_for(member, public_id)
        return show_sample(request, member, now, form=form, fault=str(fault_of_it), status=409)
    messages.success(request, _("Rejected: it stays in the log with your reason."))
    return _to_next(sample_row)


@require_GET
def log(request: PersonRequest, slug: str) -> HttpResponse:
    """List all samples, newest first, filtered by state and strategy; the text is on each sample's own page."""
    member = looker(request, slug)
    rows = among = visible_samples(member).order_by("-pk")
    state, strategy = request.GET.get("state", ""), request.GET.get("strategy", "")
    if state in list(SampleState):
        rows = rows.filter(state=state)
    if strategy in list(Strategy):
        rows = rows.filter(strategy=strategy)
    context = shown(
        member,
        page=listed_page(BoundedPaginator(rows, PAGE), among, request.GET),
        states=[row.value for row in SampleState],
        strategies=[row.value for row in Strategy],
        asked={"state": state, "strategy": strategy},
    )
    return project_page(request, member, "generation/injection/log.html", context)


@require_GET
def report(request: PersonRequest, slug: str) -> HttpResponse:
    """Show what each strategy made, and how often people read it as it was meant."""
    member = looker(request, slug)
    rows = yields_of(member.project)
    total, rate = in_all(rows)
    context = shown(
        member,
        rows=[YieldRow(row) for row in rows],
        heads=[state.value for state in REPORTED],
        totals=[total.made, *(total.of(state) for state in REPORTED)],
        share=YieldRate(rate) if rate else None,
    )
    return project_page(request, member, "generation/injection/report.html", context)


def _to_next(sample_row: Sample) -> HttpResponse:
    """Redirect to the sample after this one, so that samples that were passed over come again at the end."""
    response = redirect("generation:sample-review", sample_row.project.slug)
    if sample_row.order:
        response["Location"] += f"?after={sample_row.order}"
    return response


def show_sample(
    request: PersonRequest, member: Membership, sample_row: Sample, *, status: int = 200, **more: Any
) -> HttpResponse:
    """Render the page of a sample, and record that a member who also annotates has seen it."""
    injection_review.look_at(sample_row, member)
    context = shown(
        member, look=Look(sample_row), usual=list(enumerate(USUAL, start=1)), desk=True, most_reason=MOST_REASON
    )
    return project_page(request, member, "generation/injection/review.html", context | more, status=status)
