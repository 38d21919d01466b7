"""Views of the guidelines' versions: written and compared by admins, read by annotators."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.guidelines import versions as guideline_versions
from annotation.guidelines.forms import GuidelineForm, example_forms, examples_in
from annotation.models import Guideline, Project
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page


@require_http_methods(["GET", "POST"])
def edit(request: PersonRequest, slug: str) -> HttpResponse:
    """Write the next version, with a preview before it is stored."""
    member = member_of(request, slug, Role.ADMIN)
    newest = member.project.guidelines.first()
    initial = {"text": newest.text, "begun_at": newest.number} if newest else {"begun_at": 0}
    data = request.POST if request.method == "POST" else None
    form, rows = (
        GuidelineForm(data, initial={**initial, "asks_reading": True}),
        example_forms(member.project, newest, data),
    )
    preview = None
    valid = data is not None and form.is_valid() & rows.is_valid()
    if valid and "preview" in request.POST:
        preview = {"text": form.cleaned_data["text"], "examples": examples_in(rows)}
    elif valid:
        try:
            guideline = guideline_versions.write_guidelines(member, examples=examples_in(rows), **form.cleaned_data)
        except guideline_versions.ChangedMeanwhile as meanwhile:
            valid = False
            form.add_error(None, _meanwhile(meanwhile.number))
        else:
            message = (
                _("Version %(number)s is in force.") % {"number": guideline.number}
                if guideline
                else _("Nothing changed.")
            )
            messages.success(request, message)
            return redirect("annotation:guideline-versions", slug)
    context = {
        "form": form,
        "rows": rows,
        "newest": newest,
        "preview": preview,
    }
    return project_page(
        request, member, "annotation/guidelines_edit.html", context, status=422 if data and not valid else 200
    )


@require_GET
def versions(request: PersonRequest, slug: str) -> HttpResponse:
    """Show all versions, who read them, and what changed between two (`from`, `to`: numbers)."""
    member = member_of(request, slug, Role.ADMIN, Role.REVIEWER)
    readings = guideline_versions.guideline_versions(member.project)
    context: dict[str, Any] = {"versions": readings}
    if len(readings) > 1 or "to" in request.GET:
        old, new = _two(request, member.project, [reading.guideline.number for reading in readings])
        context |= {"old": old, "new": new, "changes": guideline_versions.differences(old, new)}
    return project_page(request, member, "annotation/guideline_versions.html", context)


@require_GET
def version(request: PersonRequest, slug: str, number: int) -> HttpResponse:
    """Show one version."""
    member = member_of(request, slug, Role.ADMIN, Role.REVIEWER)
    guideline = found(member.project.guidelines.select_related("author").filter(number=number).first())
    context = {
        "guideline": guideline,
        "examples": guideline_versions.examples_of(guideline),
        "questions": guideline_versions.questions_by_guideline(member.project).get(number, ()),
    }
    return project_page(request, member, "annotation/guideline_version.html", context)


@require_POST
def read(request: PersonRequest, slug: str) -> HttpResponse:
    """Record that an annotator read the version whose number was shown, and go on labelling."""
    member = member_of(request, slug, Role.ANNOTATOR)
    number = request.POST.get("number", "")
    if number.isascii() and number.isdigit() and len(number) < 9:
        guideline_versions.mark_guidelines_read(member, int(number))
    return redirect("annotation:label", slug)


def _two(request: PersonRequest, project: Project, numbers: list[int]) -> tuple[Guideline, Guideline]:
    """Return the versions to compare: those of the request, else the newest two.

    Raises Http404 for unknown numbers.
    """
    chosen = [request.GET.get("from") or str(numbers[1:2] and numbers[1]), request.GET.get("to") or str(numbers[0])]
    if not all(number.isascii() and number.isdigit() and len(number) < 9 for number in chosen):
        raise Http404
    rows = project.guidelines.filter(number__in=[int(number) for number in chosen])
    guidelines = {guideline.number: guideline for guideline in rows}
    if any(int(number) not in guidelines for number in chosen):
        raise Http404
    return guidelines[int(chosen[0])], guidelines[int(chosen[1])]


def _meanwhile(number: int) -> str:
    return _(
        "Somebody saved version %(number)s while you were writing. Your text is kept here: copy it, open the "
        "page again and combine the two."
    ) % {"number": number}
