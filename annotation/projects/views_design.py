"""The design of a project: categories and questions, shown, changed, downloaded and read from a file."""

from django.contrib import messages
from django.http import HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.choices import Role
from annotation.domain.design.file import BadDesign, Design, as_json
from annotation.models import Membership, Project
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.error_messages import refusal_sentence
from annotation.pages.project_page import project_page
from annotation.projects import design as project_design
from annotation.projects.forms_design import DesignFileForm, QuestionForm, category_rows, design_in
from annotation.projects.forms_questions import QuestionRows, question_rows


@require_http_methods(["GET", "POST"])
def design(request: PersonRequest, slug: str) -> HttpResponse:
    """Show and change the categories, the words above them and the further questions."""
    member = member_of(request, slug, Role.ADMIN)
    project = Project.objects.get(pk=member.project_id)
    stored = project_design.design_of(project)
    data = request.POST if request.method == "POST" else None
    question = _question_form(project, stored, data)
    rows, further = category_rows(stored, stored, data), question_rows(stored, stored, data)
    valid = question.is_valid() & rows.is_valid() & (further is None or further.is_valid())
    if data is not None and valid:
        begun_at = question.cleaned_data["begun_at"]
        try:
            new_design = design_in(question, rows, further)
            changed = project_design.change_design(project, new_design, admin=member, begun_at=begun_at)
        except project_design.DesignChangedMeanwhile:
            question.add_error(
                None, _("Somebody else changed the design in the meantime. Load the page again and compare.")
            )
        except project_design.KnownAnswersLeft as fault:
            question.add_error(None, _known_answers_sentence(fault))
        except project_design.ChoiceIsFixed:
            question.add_error(None, _choice_sentence())
        except BadDesign as bad:
            question.add_error(None, refusal_sentence(bad))
        else:
            messages.success(request, _stored_sentence(changed))
            return redirect("annotation:design", slug)
    return _page(request, member, question, rows, further or question_rows(stored, stored))


@require_POST
def read_file(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the design of a file in the form; nothing is stored until the form is sent."""
    member = member_of(request, slug, Role.ADMIN)
    stored = project_design.design_of(member.project)
    upload = DesignFileForm(request.POST, request.FILES)
    shown = upload.cleaned_data["file"] if upload.is_valid() else stored
    try:
        project_design.merged_design(stored, shown)
        project_design.refuse_other_choice(member.project, shown)
    except project_design.ChoiceIsFixed:
        upload.add_error("file", _choice_sentence())
        shown = stored
    except BadDesign as bad:
        upload.add_error("file", refusal_sentence(bad))
        shown = stored
    question = _question_form(member.project, shown)
    return _page(request, member, question, category_rows(stored, shown), question_rows(stored, shown), upload)


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
    further: QuestionRows | None,
    upload: DesignFileForm | None = None,
) -> HttpResponse:
    faults = sum(getattr(formset, "total_error_count", int)() for formset in (rows, further))
    refused = question.errors or faults or (upload is not None and upload.errors)
    context = {
        "question": question,
        "rows": rows,
        "further": further,
        "upload": upload or DesignFileForm(),
        "from_file": upload is not None and not upload.errors,
        "history": project_design.history_of(member.project),
    }
    return project_page(request, member, "annotation/design.html", context, status=422 if refused else 200)


def _question_form(project: Project, design: Design, data: QueryDict | None = None) -> QuestionForm:
    """Return the form of the words and the choice, as the design has them."""
    words = {f"question_{language}": words for language, words in design.question.items()}
    initial = {**words, "choose": design.choose or project.choose, "begun_at": project.design_number}
    return QuestionForm(data, initial=initial, choice_fixed=project_design.is_choice_fixed(project))


def _choice_sentence() -> str:
    return _("Posts have labels or categories: one or several cannot change any more.")


def _known_answers_sentence(fault: project_design.KnownAnswersLeft) -> str:
    return _(
        "Category %(category)s is the known answer of %(count)s training or check posts. Change these or set "
        "them aside first."
    ) % {"category": f"{fault.category.code} {fault.category.name}", "count": fault.count}


def _stored_sentence(changed: project_design.Difference) -> str:
    if not changed:
        return _("Nothing was changed.")
    only_words = not (changed.categories or changed.questions or changed.choose)
    return _("Question saved.") if only_words else _("Design saved.")
