"""Quality of a project's labels over time, for its admins: annotators, drift, pairs, models of competence.

Annotators and reviewers never see these pages. People are in the order of their names.
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.analytics import stored_figures
from annotation.analytics.declared_figures import FigureTable, table_csv_rows, tables
from annotation.analytics.quality import charts, competence
from annotation.analytics.quality.competence import CannotEstimate
from annotation.analytics.quality.tables import QUALITY_FIGURES, competence_table, differing_table
from annotation.analytics.views_figures import table_file, waiting
from annotation.core.found import found, one
from annotation.domain.choices import Role
from annotation.models import CompetenceEstimate, Item, JobState, Membership, Project
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.csv_response import csv_response
from annotation.pages.project_page import project_page
from annotation.review.queue import CLOSED_STAGES

PEOPLE_A_PAGE = 50
PAIRS_SHOWN = 20
ITEMS_SHOWN = 50


@require_GET
def show(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the figures of all annotators."""
    member = member_of(request, slug, Role.ADMIN)
    moment = stored_figures.quality(member.project)
    if moment.value is None:
        return waiting(request, member, _("Quality over time"), moment)
    shown = moment.value
    page = Paginator(shown.people, PEOPLE_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "moment": moment,
        "shown": shown,
        "tables": tables(QUALITY_FIGURES, shown),
        "page": page,
        "rows": [charts.person_row(person) for person in page.object_list],
        "changed": [charts.drift_row(person) for person in shown.changed],
        "pairs": [charts.pair_row(pair) for pair in shown.pairs[:PAIRS_SHOWN]],
        "versions": [charts.version_row(under) for under in shown.versions],
        **_competence(member.project),
    }
    return project_page(request, member, "annotation/quality.html", context)


@require_GET
def person(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show one annotator's figures."""
    member = member_of(request, slug, Role.ADMIN)
    membership = one(Membership.objects, member.project, public_id)
    moment = stored_figures.quality(member.project)
    if moment.value is None:
        return waiting(request, member, membership.pseudonym, moment)
    shown = moment.value
    figures = next((annotator for annotator in shown.people if annotator.key == membership.pk), None)
    context: dict[str, Any] = {"who": membership, "person": figures}
    context["moment"] = moment
    if figures is not None:
        context |= {
            "rates": charts.rate_rows(figures),
            "equal": charts.equal_cell(figures) if shown.mixed else None,
            "seconds": charts.seconds_words(figures.seconds),
            "not_sure": charts.share_words(figures.not_sure),
            "low_quality": charts.share_words(figures.low_quality),
            "categories": charts.category_rows(figures, shown),
            "drift": charts.drift_chart(figures.drift),
            "trend": charts.trend_of(figures),
            "versions": [charts.version_row(under) for under in figures.versions],
            "pairs": [charts.pair_row(pair) for pair in shown.pairs if figures.name in (pair.one, pair.two)][:10],
            "models": _models_of(member.project, membership),
        }
    return project_page(request, member, "annotation/quality_person.html", context)


@require_GET
def table(request: PersonRequest, slug: str, name: str) -> HttpResponse:
    """Return one table as CSV, safe in a spreadsheet."""
    member = member_of(request, slug, Role.ADMIN)
    if (figure_table := _model_table(member.project, name)) is not None:
        return csv_response(f"{slug}-{name}.csv", table_csv_rows(figure_table))
    moment = stored_figures.quality(member.project)
    if moment.value is None:
        return redirect("annotation:quality", slug)
    return table_file(f"{slug}-{name}.csv", tables(QUALITY_FIGURES, moment.value).get(name), moment)


@require_POST
def ask(request: PersonRequest, slug: str) -> HttpResponse:
    """Request that a worker fits a model of competence."""
    member = member_of(request, slug, Role.ADMIN)
    try:
        competence.ask(member)
    except CannotEstimate as fault:
        messages.error(request, fault.sentence)
    return redirect("annotation:quality", slug)


@require_GET
def progress(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the part of the page with the models; while one is running, it is requested again every two seconds."""
    member = member_of(request, slug, Role.ADMIN)
    return project_page(request, member, "annotation/_quality_competence.html", **_competence(member.project))


def _competence(project: Project) -> dict[str, Any]:
    rows = competence.latest(project)
    newest = next((row for row in rows if row.state == JobState.DONE), None)
    under_way = [row for row in rows if row.state in CompetenceEstimate.ACTIVE]
    failed = next((row for row in rows if row.state == JobState.FAILED and (not newest or row.pk > newest.pk)), None)
    context: dict[str, Any] = {
        "categories": project.category_values(),
        "installed": competence.is_installed(),
        "how_to_install": competence.how_to_install(),
        "under_way": under_way,
        "failed": failed,
        "estimate": newest,
        "estimates": [row for row in rows if row.state == JobState.DONE],
    }
    if newest is not None:
        names = dict(Membership.objects.filter(project=project).values_list("public_id", "pseudonym"))
        first = newest.result["differing"][:ITEMS_SHOWN]
        items = Item.objects.filter(project=project, stage__in=CLOSED_STAGES)
        items = items.filter(public_id__in=[difference["item"] for difference in first])
        rows_of = {str(item.public_id): item for item in items.select_related("category")}
        context["judged"] = charts.judged_rows(newest, {str(key): name for key, name in names.items()})
        context["differing"] = charts.differing_rows(first, rows_of, context["categories"])
    return context


def _models_of(project: Project, membership: Membership) -> list[dict[str, Any]]:
    estimates = [row for row in competence.latest(project) if row.state == JobState.DONE]
    rows = [(row, charts.judged_of(row, str(membership.public_id))) for row in estimates]
    return [{"estimate": row, **judged} for row, judged in rows if judged]


def _model_table(project: Project, name: str) -> FigureTable | None:
    """Return the table `competence` or `differing`, optionally with a dash and the method.

    It is about the newest finished estimate.
    Returns None for another name.
    Raises Http404 if there is no estimate.
    """
    kind, _dash, method = name.partition("-")
    if kind not in ("competence", "differing"):
        return None
    estimates = CompetenceEstimate.objects.filter(project=project, state=JobState.DONE)
    row = found((estimates.filter(method=method) if method else estimates).order_by("-pk").first())
    if kind == "competence":
        names = Membership.objects.filter(project=project).values_list("public_id", "pseudonym")
        return competence_table(row, {str(key): name for key, name in names})
    items = Item.objects.filter(project=project).values_list("public_id", "external_id")
    public_ids = {difference["item"] for difference in row.result["differing"]}
    return differing_table(row, {str(key): name for key, name in items.iterator() if str(key) in public_ids})
