"""The moment of stored figures: shown above them, renewed on demand, with the progress of the job that computes them.

Only those who may see the figures may see their moment or renew them.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import http_date
from django.views.decorators.http import require_GET, require_POST

from annotation.analytics import stored_figures
from annotation.analytics.declared_figures import FigureTable, table_csv_rows
from annotation.analytics.stored_figures import Shown
from annotation.core.found import found
from annotation.domain.choices import FigureKind, Role
from annotation.models import Membership
from annotation.pages.access import PersonRequest, figures_viewer, member_of, page_before
from annotation.pages.csv_response import csv_response
from annotation.pages.project_page import project_page


def figure_reader(request: HttpRequest, slug: str) -> Membership:
    """Return the viewer if they may see the dashboard: an admin, or a reviewer who does not annotate."""
    return figures_viewer(member_of(request, slug, Role.REVIEWER, Role.ADMIN))


_VIEWERS: Mapping[str, Callable[[HttpRequest, str], Membership]] = {
    FigureKind.DASHBOARD: figure_reader,
    FigureKind.QUALITY: lambda request, slug: member_of(request, slug, Role.ADMIN),
}


def waiting(
    request: PersonRequest, member: Membership, title: str, shown: Shown[Any], *, tabs: bool = True
) -> HttpResponse:
    """Return the page that stands in for figures that are computed for the first time."""
    return project_page(request, member, "annotation/figures_waiting.html", title=title, moment=shown, tabs=tabs)


def table_file(name: str, table: FigureTable | None, shown: Shown[Any]) -> HttpResponse:
    """Return a table as CSV, safe in a spreadsheet, with the moment of its figures. Raises Http404 if there is none."""
    answer = csv_response(name, table_csv_rows(found(table)))
    if shown.as_of is not None:
        answer["Last-Modified"] = http_date(shown.as_of.timestamp())
    return answer


@require_GET
def moment(request: PersonRequest, slug: str, kind: str) -> HttpResponse:
    """Show the moment of the figures and the progress of the job; requested again every two seconds while it works.

    `shown` names the figures on the page; a page that has none is loaded anew once there are some.
    """
    member = _viewer(request, slug, kind)
    shown = stored_figures.moment(member.project, FigureKind(kind))
    on_page = request.GET.get("shown", "")
    newer = bool(shown.key) and shown.key != on_page
    context = {"project": member.project, "moment": shown, "newer": newer, "on_page": on_page}
    context |= {"page_address": page_before(request)}
    answer = render(request, "annotation/_figures_moment.html", context)
    if newer and not on_page:
        answer["HX-Refresh"] = "true"
    return answer


@require_POST
def refresh(request: PersonRequest, slug: str, kind: str) -> HttpResponse:
    """Have the figures computed, and return to the page with the button."""
    member = _viewer(request, slug, kind)
    if not stored_figures.is_small(member.project):
        stored_figures.begin(member.project, FigureKind(kind))
    return redirect(page_before(request))


def _viewer(request: PersonRequest, slug: str, kind: str) -> Membership:
    if kind not in _VIEWERS:
        raise Http404
    return _VIEWERS[kind](request, slug)
