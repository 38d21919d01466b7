"""The design of a project: categories and question, shown, changed, downloaded and read from a file."""

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.access import PersonRequest, member_of
from annotation.domain.choices import Role
from annotation.domain.design.file import BadDesign, Design, as_json
from annotation.models import Membership, Project
from annotation.projects import design as project_design
from annotation.projects.forms_design import DesignFileForm, QuestionForm, category_rows, design_in


@require_http_methods(["GET", "POST"])
def design(request: PersonRequest, slug: str) -> HttpResponse:
    """Show and change the categories and the question."""
    member = member_of(request, slug, Role.ADMIN)
    project = Project.objects.get(pk=member.project_id)
    stored = project_design.design_of(project)
    data = request.POST if request.method == "POST" else None
    question = QuestionForm(data, initial=_initial(project, stored))
    rows = category_rows(stored, stored, data)
    if data is not None and question.is_valid() & rows.is_valid():
        begun_at = question.cleaned_data["begun_at"]
        try:
            changed = project_design.change_design(project, design_in(question, rows), admin=member, begun_at=begun_at)
        except project_design.DesignChangedMeanwhile:
            question.add_error(None, _("Somebody else changed the design meanwhile. Load the page again and compare."))
        except project_design.KnownAnswersLeft as left:
            question.add_error(None, _known_answers_sentence(left))
        except BadDesign as bad:
            question.add_error(None, bad.sentence)
        else:
            messages.success(request, _stored_sentence(len(changed), project))
            return redirect("annotation:design", slug)
    return _page(request, member, question, rows)


@require_POST
def read_file(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the design of a file in the form; nothing is stored until the form is sent."""
    member = member_of(request, slug, Role.ADMIN)
    stored = project_design.design_of(member.project)
    upload = DesignFileForm(request.POST, request.FILES)
    shown = upload.cleaned_data["file"] if upload.is_valid() else stored
    question = QuestionForm(initial=_initial(member.project, shown))
    return _page(request, member, question, category_rows(stored, shown), upload)


@require_GET
def file(request: PersonRequest, slug: str) -> HttpResponse:
    """Send the design in force as a file."""
    member = member_of(request, slug, Role.ADMIN)
    shown = as_json(project_design.design_of(member.project))
    response = JsonResponse(shown, json_dumps_params={"ensure_ascii": False, "indent": 2})
    response["Content-Disposition"] = f'attachment; filename="{slug}-design.json"'
    return response


def _page(
    request: PersonRequest,
    member: Membership,
    question: QuestionForm,
    rows: object,
    upload: DesignFileForm | None = None,
) -> HttpResponse:
    refused = question.errors or getattr(rows, "total_error_count", int)() or (upload is not None and upload.errors)
    context = {
        "project": member.project,
        "membership": member,
        "question": question,
        "rows": rows,
        "upload": upload or DesignFileForm(),
        "from_file": upload is not None and not upload.errors,
        "history": project_design.history_of(member.project),
    }
    return render(request, "annotation/design.html", context, status=422 if refused else 200)


def _initial(project: Project, design: Design) -> dict[str, object]:
    words = {f"question_{language}": words for language, words in design.question.items()}
    return {**words, "begun_at": project.design_number}


def _known_answers_sentence(left: project_design.KnownAnswersLeft) -> str:
    return _(
        "Category %(category)s is the known answer of %(count)s training or check posts. Change or rest these first."
    ) % {"category": f"{left.category.code} {left.category.name}", "count": left.count}


def _stored_sentence(changes: int, project: Project) -> str:
    return _("The design is stored.") if changes else _("The question is stored.")
