"""Pages that start a study on a project's gold items: the form, then the estimate. For admins.

A started study is an evaluation: its page shows progress, tables and plots, and sends the files.
"""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.choices import Role
from annotation.models import Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from moderation.evaluation import start as evaluation_start
from moderation.evaluation.collect_answers import BadSource
from moderation.methods.debate_method import BadChoice
from moderation.studies.estimate import study_estimate
from moderation.studies.forms import StudyForm
from moderation.studies.read import study_of_project
from moderation.studies.shipped import study_template, study_templates


@require_GET
def study(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the form of a study; `template` in the address fills it."""
    member = member_of(request, slug, Role.ADMIN)
    template = study_template(request.GET.get("template", ""))
    return _show_form(request, member, StudyForm(initial={"text": template.text if template else ""}))


@require_POST
def start_study(request: PersonRequest, slug: str) -> HttpResponse:
    """Start a study after the user has confirmed its calls. A study that cannot be run returns the form."""
    member = member_of(request, slug, Role.ADMIN)
    form = StudyForm(request.POST, request.FILES)
    if not form.is_valid():
        return _show_form(request, member, form, status=422)
    try:
        planned = study_of_project(form.study, form.name, member.project)
        estimate = study_estimate(planned)
        confirmed = request.POST.get("calls")
        if confirmed != str(estimate.total.calls):
            context = {
                "title": form.study.title,
                "text": form.cleaned_data["text"],
                "estimate": estimate,
                "changed": confirmed is not None,
            }
            return project_page(request, member, "moderation/study_start.html", context)
        evaluation, new = evaluation_start.begin(planned.project, planned.sources, planned.wish, member)
    except BadSource as bad:
        return _refused(request, member, form, str(bad))
    except BadChoice as bad:
        return _refused(request, member, form, f"{form.name}, {bad}")
    if not new:
        messages.info(request, _("The same posts were measured before: this is the result."))
    return redirect("moderation:evaluation", slug, evaluation.public_id)


def _refused(request: PersonRequest, member: Membership, form: StudyForm, sentence: str) -> HttpResponse:
    form.add_error(None, sentence)
    return _show_form(request, member, form, status=422)


def _show_form(request: PersonRequest, member: Membership, form: StudyForm, status: int = 200) -> HttpResponse:
    return project_page(request, member, "moderation/study.html", status=status, form=form, templates=study_templates())
