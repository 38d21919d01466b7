"""The dashboard of a project: charts drawn on the server, each with its table and its CSV.

For admins. Reviewers who do not annotate see it too, without anything about single annotators: annotators must not see
the agreement of others before their own work is finished.
"""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation.analytics import stored_figures
from annotation.analytics.dashboard_figures import dashboard_tables, drawn_lines
from annotation.analytics.views_figures import figure_reader, table_file, waiting
from annotation.consensus.close import count_waiting_items
from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page


@require_GET
def show(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the dashboard."""
    member = figure_reader(request, slug)
    moment = stored_figures.dashboard(member.project)
    if moment.value is None:
        return waiting(request, member, _("Dashboard"), moment, tabs=False)
    context = {
        "moment": moment,
        "shown": moment.value,
        "waiting": count_waiting_items(member.project),
        "lines": drawn_lines(moment.value, with_people=member.administers),
    }
    return project_page(request, member, "annotation/dashboard.html", context)


@require_GET
def table(request: PersonRequest, slug: str, name: str) -> HttpResponse:
    """Return one table of the dashboard as CSV, safe in a spreadsheet."""
    member = figure_reader(request, slug)
    moment = stored_figures.dashboard(member.project)
    if moment.value is None:
        return redirect("annotation:dashboard", slug)
    figure_table = dashboard_tables(moment.value, with_people=member.administers).get(name)
    return table_file(f"{slug}-{name}.csv", figure_table, moment)
