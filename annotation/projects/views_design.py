"""The design of a project: categories and questions, shown, changed, downloaded and read from a file."""

from dataclasses import dataclass

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
from annotation.projects.forms_design import CategoryRows, DesignFileForm, QuestionForm, category_rows, design_in
from annotation.projects.forms_questions import QuestionRows, question_rows


@dataclass(frozen=True)
class DesignForms:
    """The forms of the design's page: the words above the categories, the categories, the further questions."""

    question: QuestionForm
    rows: CategoryRows
    further: QuestionRows | None

    def design(self) -> Design | None:
        """Return the design that was sent. Returns None if a field is wrong. Raises BadDesign."""
        parts = [part.is_valid() for part in (self.question, self.rows, self.further) if part is not None]
        return design_in(self.question, self.rows, self.further) if all(parts) else None


def forms_of(project: Project, data: QueryDict | None = None) -> DesignForms:
    """Return the forms with the design in force, or with what was sent."""
    stored = project_design.design_of(project)
    question = _question_form(project, stored, data)
    return DesignForms(question, category_rows(stored, stored, data), question_rows(stored, stored, data))


@require_http_methods(["GET", "POST"])
def design(request: PersonRequest, slug: str) -> HttpResponse:
    """Show and change the categories, the words above them and the further questions."""
    member = member_of(request, slug, Role.ADMIN)
    project = Project.objects.get(pk=member.project_id)
    if request.method == "GET":
        return design_page(request, member, forms_of(project))
    forms = forms_of(project, request.POST)
    try:
        if new_design := forms.design():
            begun_at = forms.question.cleaned_data["begun_at"]
            changed = project_design.change_design(project, new_design, admin=member, begun_at=begun_at)
            messages.success(request, _stored_sentence(changed))
            return redirect("annotation:design", slug)
    except (BadDesign, project_design.DesignChangedMeanwhile) as fault:
        forms.question.add_error(None, design_refusal(fault))
    return design_page(request, member, forms)


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
    except BadDesign as bad:
        upload.add_error("file", design_refusal(bad))
        shown = stored
    question = _question_form(member.project, shown)
    forms = DesignForms(question, category_rows(stored, shown), question_rows(stored, shown))
    return design_page(request, member, forms, upload)


@require_GET
def file(request: PersonRequest, slug: str) -> HttpResponse:
    """Send the design in force as a file."""
    member = member_of(request, slug, Role.ADMIN)
    shown = as_json(project_design.design_of(member.project))
    response = JsonResponse(shown, json_dumps_params={"ensure_ascii": False, "indent": 2})
    response["Content-Disposition"] = f'attachment; filename="{slug}-design.json"'
    return response


def design_page(
    request: PersonRequest, member: Membership, forms: DesignForms, upload: DesignFileForm | None = None
) -> HttpResponse:
    """Show the design's page with these forms, and what is wrong in them."""
    further = forms.further or forms_of(member.project).further
    faults = sum(getattr(formset, "total_error_count", int)() for formset in (forms.rows, further))
    refused = forms.question.errors or faults or (upload is not None and upload.errors)
    context = {
        "question": forms.question,
        "rows": forms.rows,
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


def design_refusal(fault: BadDesign | project_design.DesignChangedMeanwhile) -> str:
    """Return a sentence that says why the design cannot be stored."""
    match fault:
        case project_design.DesignChangedMeanwhile():
            return _("Somebody else changed the design in the meantime. Load the page again and compare.")
        case project_design.KnownAnswersLeft():
            return _(
                "Category %(category)s is the known answer of %(count)s training or check posts. Change these or set "
                "them aside first."
            ) % {"category": f"{fault.category.code} {fault.category.name}", "count": fault.count}
        case project_design.ChoiceIsFixed():
            return _("Posts have labels or categories: one or several cannot change any more.")
        case _:
            return refusal_sentence(fault)


def _stored_sentence(changed: project_design.Difference) -> str:
    if not changed:
        return _("Nothing was changed.")
    only_words = not (changed.categories or changed.questions or changed.choose)
    return _("Question saved.") if only_words else _("Design saved.")
