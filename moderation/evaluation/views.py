"""Pages of evaluations on a project's gold items: list and form, report, files. For reviewers and admins."""

import json
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.core.found import one
from annotation.domain.choices import Role
from annotation.models import Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from moderation.domain.evaluation.sampling import Sample
from moderation.domain.evaluation.tables.render import markdown, remarks_of
from moderation.domain.evaluation.tables.report_tables import tables_of
from moderation.evaluation import charts, continuation
from moderation.evaluation import start as evaluation_start
from moderation.evaluation.arms import Arm, stored_arms
from moderation.evaluation.collect_answers import BadSource, gold_items
from moderation.evaluation.files import table_csv
from moderation.evaluation.forms import EvaluationForm
from moderation.methods.debate_method import BadChoice
from moderation.methods.registry import METHODS
from moderation.models import Evaluation, EvaluationState
from runs.queue import provider_pauses

PAGE_LENGTH = 30


@require_GET
def evaluations(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the project's evaluations, newest first, and a form to start one."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    return _show_list(
        request, member, EvaluationForm(initial={"methods": [next(iter(METHODS))], "sample": Sample.FIRST})
    )


@require_POST
def start_evaluation(request: PersonRequest, slug: str) -> HttpResponse:
    """Start an evaluation after the user has confirmed the number of runs. An impossible request returns the form."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    form = EvaluationForm(request.POST)
    if not form.is_valid():
        return _show_list(request, member, form, status=422)
    try:
        sources, wish = [gold_items(member.project)], form.wish()
        runs, posts = evaluation_start.size(member.project, sources, wish)
        if request.POST.get("count") != str(runs):
            context = {
                "form": form,
                "count": runs,
                "posts": posts,
                "methods": wish.grid.methods,
                "changed": "count" in request.POST,
            }
            return project_page(request, member, "moderation/evaluation_start.html", context)
        evaluation, new = evaluation_start.begin(
            member.project, sources, wish, member, again=form.cleaned_data["again"]
        )
    except (BadChoice, BadSource) as bad:
        form.add_error(None, str(bad))
        return _show_list(request, member, form, status=422)
    if not new:
        sentence = _("The same posts were measured before: this is the result. For a new one, tick “%(box)s”.")
        messages.info(request, sentence % {"box": EvaluationForm.base_fields["again"].label})
    return redirect("moderation:evaluation", slug, evaluation.public_id)


@require_GET
def evaluation(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show one evaluation: its progress, and its report when it is done."""
    member, project_evaluation = _evaluation_of(request, slug, public_id)
    context = _standing(project_evaluation)
    if project_evaluation.report:
        context |= {
            "report": project_evaluation.report,
            "tables": charts.shown_tables(project_evaluation.report),
            "pictures": charts.arm_charts(project_evaluation.report),
            "remarks": [charts.translated(remark) for remark in remarks_of(project_evaluation.report)],
            "plots": charts.shown_cost_plots(project_evaluation.report),
        }
    return project_page(request, member, "moderation/evaluation.html", context)


@require_GET
def evaluation_progress(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the progress part of the page; it tells the browser to reload the page when the evaluation has ended."""
    member, project_evaluation = _evaluation_of(request, slug, public_id)
    standing = _standing(project_evaluation)
    response = project_page(request, member, "moderation/_evaluation_progress.html", standing)
    if project_evaluation.state != EvaluationState.RUNNING:
        response["HX-Refresh"] = "true"
    return response


@require_POST
def cancel_evaluation(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Cancel an evaluation; calls that are under way may still end."""
    member, project_evaluation = _evaluation_of(request, slug, public_id)
    if continuation.cancel(project_evaluation, member):
        messages.success(request, _("The evaluation is cancelled."))
    else:
        messages.info(request, _("The evaluation had ended already."))
    return redirect("moderation:evaluation", slug, public_id)


@require_POST
def retry_evaluation(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Ask again where runs failed, were cancelled or ended unreadable, or also where models refused; keep answers."""
    _member, project_evaluation = _evaluation_of(request, slug, public_id)
    refused = "refused" in request.POST
    had_failed = project_evaluation.state == EvaluationState.FAILED
    if project_evaluation.state == EvaluationState.RUNNING or not (
        continuation.retry_failed(project_evaluation, refused=refused) or had_failed
    ):
        messages.info(request, _("Nothing is left to ask for."))
    return redirect("moderation:evaluation", slug, public_id)


@require_GET
def download_table(request: PersonRequest, slug: str, public_id: UUID, key: str) -> HttpResponse:
    """Send one table of a report as CSV."""
    _member, project_evaluation = _evaluation_of(request, slug, public_id)
    for report_table in tables_of(project_evaluation.report) if project_evaluation.report else ():
        if report_table.key == key:
            return _file(table_csv(report_table), "text/csv; charset=utf-8", f"{slug}-{key}.csv")
    raise Http404


@require_GET
def download_report(request: PersonRequest, slug: str, public_id: UUID, form: str) -> HttpResponse:
    """Send the whole report as Markdown or JSON, or its plot of accuracy against cost as SVG."""
    _member, project_evaluation = _evaluation_of(request, slug, public_id)
    if not project_evaluation.report:
        raise Http404
    if form == "md":
        return _file(markdown(project_evaluation.report).encode(), "text/markdown; charset=utf-8", f"{slug}-report.md")
    if form == "json":
        content = json.dumps(project_evaluation.report, ensure_ascii=False, indent=1).encode()
        return _file(content, "application/json", f"{slug}-report.json")
    if form == "svg" and (plot := charts.cost_svg(project_evaluation.report)):
        return _file(plot.encode(), "image/svg+xml", f"{slug}-cost.svg")
    raise Http404


def _evaluation_of(request: PersonRequest, slug: str, public_id: UUID) -> tuple[Membership, Evaluation]:
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    project_evaluation = one(Evaluation.objects.select_related("started_by"), member.project, public_id)
    project_evaluation.project = member.project
    return member, project_evaluation


def _show_list(request: PersonRequest, member: Membership, form: EvaluationForm, status: int = 200) -> HttpResponse:
    rows = Evaluation.objects.filter(project=member.project).select_related("started_by")
    context = {
        "page": Paginator(rows, PAGE_LENGTH).get_page(request.GET.get("page")),
        "form": form,
        "pauses": provider_pauses.pauses_in_force(),
    }
    return project_page(request, member, "moderation/evaluations.html", context, status=status)


def _standing(project_evaluation: Evaluation) -> dict[str, object]:
    progress = continuation.progress(project_evaluation)
    seconds_left = progress.seconds_left if progress.open else None
    return {
        "evaluation": project_evaluation,
        "arms": _shown_arms(project_evaluation),
        "left_out": charts.left_out_reasons(project_evaluation),
        "progress": progress,
        "minutes_left": None if seconds_left is None else max(1, round(seconds_left / 60)),
        "is_running": project_evaluation.state == EvaluationState.RUNNING,
        "failed": sum(progress.counts.get(state, 0) for state in ("failed", "cancelled", "unreadable")),
        "refused": progress.counts.get("refused", 0),
        "pauses": provider_pauses.pauses_in_force(),
    }


def _shown_arms(project_evaluation: Evaluation) -> list[Arm]:
    """Return the arms; none where another version stored them, which is why such an evaluation has failed."""
    try:
        return stored_arms(project_evaluation)
    except TypeError:
        return []


def _file(content: bytes, media_type: str, name: str) -> HttpResponse:
    return HttpResponse(
        content, content_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
