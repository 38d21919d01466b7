"""Time and labels for pay: every person's for admins, one's own for everybody who labels."""

from datetime import date
from typing import Any

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.core.access import PersonRequest, member_of
from annotation.core.csv_response import csv_response
from annotation.domain.choices import Role
from annotation.wellbeing.forms import DaysForm
from annotation.workload import timesheets

SHOWN = 400
"""Rows of single days on the page; the CSV has all."""


@never_cache
@require_GET
def hours(request: PersonRequest, slug: str) -> HttpResponse:
    """Active minutes and labels, a person and day, by pseudonym."""
    member = member_of(request, slug, Role.ADMIN)
    form, asked = _days(request)
    days = timesheets.hours_of_project(member.project, *asked) if asked else []
    context: dict[str, Any] = {
        "project": member.project,
        "membership": member,
        "form": form,
        "asked": asked,
        "people": timesheets.totals_by_member(days),
        "all": timesheets.total_of_days(days),
        "days": days[:SHOWN],
        "more": max(0, len(days) - SHOWN),
    }
    return render(request, "annotation/hours.html", context, status=200 if asked else 422)


@require_GET
def hours_table(request: PersonRequest, slug: str) -> HttpResponse:
    """The same as CSV: safe to open in a spreadsheet, and read as UTF-8 there."""
    member = member_of(request, slug, Role.ADMIN)
    form, asked = _days(request)
    if asked is None:
        said = " ".join(str(error) for errors in form.errors.values() for error in errors)
        return HttpResponse(said, status=422, content_type="text/plain; charset=utf-8")
    name = f"{slug}-hours-{asked[0].isoformat()}-{asked[1].isoformat()}.csv"
    return csv_response(name, timesheets.timesheet_csv_rows(timesheets.hours_of_project(member.project, *asked)))


@never_cache
@require_GET
def own_hours(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the person's own days only."""
    member = member_of(request, slug, Role.ANNOTATOR)
    form, asked = _days(request)
    days = timesheets.hours_of_member(member, *asked) if asked else []
    context: dict[str, Any] = {
        "project": member.project,
        "membership": member,
        "form": form,
        "asked": asked,
        "days": days,
        "all": timesheets.total_of_days(days),
    }
    return render(request, "annotation/own_hours.html", context, status=200 if asked else 422)


def _days(request: PersonRequest) -> tuple[DaysForm, tuple[date, date] | None]:
    """The days that are asked for; the usual ones where none are, None where they make no sense."""
    if not {"first", "last"} & request.GET.keys():
        first, last = timesheets.default_period(timezone.localdate())
        return DaysForm(initial={"first": first, "last": last}), (first, last)
    form = DaysForm(QueryDict(request.GET.urlencode()))
    if not form.is_valid():
        return form, None
    return form, (form.cleaned_data["first"], form.cleaned_data["last"])
