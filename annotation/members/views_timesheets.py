"""Time and labels for pay: those of every person for admins, their own for each annotator."""

from datetime import date
from typing import Any

from django.http import HttpResponse, QueryDict
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.domain.choices import Role
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.csv_response import csv_response
from annotation.pages.project_page import project_page
from annotation.wellbeing.forms import DaysForm
from annotation.workload import timesheets

SHOWN = 400
"""The maximum number of days on the page; the CSV has all."""


@never_cache
@require_GET
def hours(request: PersonRequest, slug: str) -> HttpResponse:
    """Show active minutes and labels by pseudonym and day."""
    member = member_of(request, slug, Role.ADMIN)
    form, period = _days(request)
    days = timesheets.hours_of_project(member.project, *period) if period else []
    context: dict[str, Any] = {
        "form": form,
        "asked": period,
        "people": timesheets.totals_by_member(days),
        "all": timesheets.total_of_days(days),
        "days": days[:SHOWN],
        "more": max(0, len(days) - SHOWN),
    }
    return project_page(request, member, "annotation/hours.html", context, status=200 if period else 422)


@require_GET
def hours_table(request: PersonRequest, slug: str) -> HttpResponse:
    """Return the same rows as CSV that is safe in a spreadsheet."""
    member = member_of(request, slug, Role.ADMIN)
    form, period = _days(request)
    if period is None:
        sentences = " ".join(str(error) for errors in form.errors.values() for error in errors)
        return HttpResponse(sentences, status=422, content_type="text/plain; charset=utf-8")
    name = f"{slug}-hours-{period[0].isoformat()}-{period[1].isoformat()}.csv"
    return csv_response(name, timesheets.timesheet_csv_rows(timesheets.hours_of_project(member.project, *period)))


@never_cache
@require_GET
def own_hours(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the person's own days only."""
    member = member_of(request, slug, Role.ANNOTATOR)
    form, period = _days(request)
    days = timesheets.hours_of_member(member, *period) if period else []
    context: dict[str, Any] = {
        "form": form,
        "asked": period,
        "days": days,
        "all": timesheets.total_of_days(days),
    }
    return project_page(request, member, "annotation/own_hours.html", context, status=200 if period else 422)


def _days(request: PersonRequest) -> tuple[DaysForm, tuple[date, date] | None]:
    """Return the form and the chosen days; the default days if none are given.

    The days are None if the form is invalid.
    """
    if not {"first", "last"} & request.GET.keys():
        first, last = timesheets.default_period(timezone.localdate())
        return DaysForm(initial={"first": first, "last": last}), (first, last)
    form = DaysForm(QueryDict(request.GET.urlencode()))
    if not form.is_valid():
        return form, None
    return form, (form.cleaned_data["first"], form.cleaned_data["last"])
