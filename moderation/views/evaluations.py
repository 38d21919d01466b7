"""Evaluations of a project's gold: the list with a form, one report, its files. For reviewers and admins."""

import json
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.words import Role
from annotation.models import Membership
from annotation.views.scope import PersonRequest, member_of
from moderation import evaluating, evaluation_charts
from moderation.debating import BadChoice
from moderation.domain.evaluation.rendering import NO_MODEL, markdown
from moderation.domain.evaluation.tables import tables_of
from moderation.evaluation_files import table_csv
from moderation.evaluation_forms import EvaluationForm
from moderation.gathering import BadSource, gold_items
from moderation.models import Evaluation, EvaluationState
from runs import pausing

PAGE_LENGTH = 30


@require_GET
def evaluations(request: PersonRequest, slug: str) -> HttpResponse:
    """What was measured so far, newest first, and a form to measure more."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    return _show_list(request, member, EvaluationForm(initial={"methods": ["baseline"], "sample": "first"}))


@require_POST
def start(request: PersonRequest, slug: str) -> HttpResponse:
    """Start one, after one question with the number of runs; what cannot be had comes back with the form."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    form = EvaluationForm(request.POST)
    if not form.is_valid():
        return _show_list(request, member, form, status=422)
    try:
        sources, wish = [gold_items(member.project)], form.wish()
        runs, posts = evaluating.size(member.project, sources, wish)
        if request.POST.get("count") != str(runs):
            context = {
                "project": member.project,
                "membership": member,
                "form": form,
                "count": runs,
                "posts": posts,
                "methods": wish.grid.methods,
                "changed": "count" in request.POST,
            }
            return render(request, "moderation/evaluation_start.html", context)
        evaluation, new = evaluating.begin(member.project, sources, wish, member)
    except (BadChoice, BadSource) as bad:
        form.add_error(None, str(bad))
        return _show_list(request, member, form, status=422)
    if not new:
        messages.info(request, _("That was measured before on the same posts: here it is."))
    return redirect("moderation:evaluation", slug, evaluation.public_id)


@require_GET
def evaluation(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """One evaluation: how far it is, and its report once it is done."""
    member, found = _one(request, slug, public_id)
    context = _standing(member, found)
    if found.report:
        context |= {
            "report": found.report,
            "tables": evaluation_charts.shown_tables(found.report),
            "pictures": evaluation_charts.pictures(found.report),
            "no_model": NO_MODEL if any(arm["no_language_model"] for arm in found.report["arms"]) else "",
        }
    return render(request, "moderation/evaluation.html", context)


@require_GET
def progress(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """The part of the page that follows an evaluation under way; the whole page is asked for when it has ended."""
    member, found = _one(request, slug, public_id)
    answer = render(request, "moderation/_evaluation_progress.html", _standing(member, found))
    if found.state != EvaluationState.RUNNING:
        answer["HX-Refresh"] = "true"
    return answer


@require_POST
def cancel(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """End an evaluation after the calls that are already made."""
    member, found = _one(request, slug, public_id)
    if evaluating.cancel(found, member):
        messages.success(request, _("The evaluation is cancelled."))
    else:
        messages.info(request, _("The evaluation had ended already."))
    return redirect("moderation:evaluation", slug, public_id)


@require_POST
def retry(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Ask again where runs failed or were cancelled; what was answered stays."""
    _member, found = _one(request, slug, public_id)
    if found.state == EvaluationState.RUNNING or not evaluating.retry_failed(found):
        messages.info(request, _("Nothing is left to ask for."))
    return redirect("moderation:evaluation", slug, public_id)


@require_GET
def table(request: PersonRequest, slug: str, public_id: UUID, key: str) -> HttpResponse:
    """One table of a report as CSV."""
    _member, found = _one(request, slug, public_id)
    for each in tables_of(found.report) if found.report else ():
        if each.key == key:
            return _file(table_csv(each), "text/csv; charset=utf-8", f"{slug}-{key}.csv")
    raise Http404


@require_GET
def report(request: PersonRequest, slug: str, public_id: UUID, form: str) -> HttpResponse:
    """The whole report as Markdown or JSON."""
    _member, found = _one(request, slug, public_id)
    if not found.report:
        raise Http404
    if form == "md":
        return _file(markdown(found.report).encode(), "text/markdown; charset=utf-8", f"{slug}-report.md")
    if form == "json":
        content = json.dumps(found.report, ensure_ascii=False, indent=1).encode()
        return _file(content, "application/json", f"{slug}-report.json")
    raise Http404


def _one(request: PersonRequest, slug: str, public_id: UUID) -> tuple[Membership, Evaluation]:
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    found = Evaluation.objects.filter(project=member.project, public_id=public_id).select_related("started_by").first()
    if found is None:
        raise Http404
    found.project = member.project
    return member, found


def _show_list(request: PersonRequest, member: Membership, form: EvaluationForm, status: int = 200) -> HttpResponse:
    rows = Evaluation.objects.filter(project=member.project).select_related("started_by")
    context = {
        "project": member.project,
        "membership": member,
        "page": Paginator(rows, PAGE_LENGTH).get_page(request.GET.get("page")),
        "form": form,
        "pauses": pausing.in_force(),
    }
    return render(request, "moderation/evaluations.html", context, status=status)


def _standing(member: Membership, found: Evaluation) -> dict[str, object]:
    going = evaluating.progress(found)
    return {
        "project": member.project,
        "membership": member,
        "evaluation": found,
        "arms": evaluating.arms(found),
        "left_out": evaluation_charts.left_out(found),
        "progress": going,
        "minutes_left": None if going.seconds_left is None else max(1, round(going.seconds_left / 60)),
        "is_running": found.state == EvaluationState.RUNNING,
        "failed": sum(going.counts.get(state, 0) for state in ("failed", "cancelled")),
        "pauses": pausing.in_force(),
    }


def _file(content: bytes, media_type: str, name: str) -> HttpResponse:
    return HttpResponse(
        content, content_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
