"""Pages of perspectives for admins: texts, switching on and off, labelled examples. Annotators see none of them."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.models import Event, Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from annotation.pages.view_marks import worked
from moderation.models import Example, Perspective
from moderation.perspectives import edit, import_examples
from moderation.perspectives.forms import ExamplesForm, NewForm, WordsForm

PAGE = 20
MOST_ROWS = 50_000
"""The most rows of a file on the page; the command imports more."""
SHOWN_ERRORS = 20


@require_GET
def perspectives(request: PersonRequest, slug: str) -> HttpResponse:
    """Show all perspectives of the project, with the number of their examples."""
    member = member_of(request, slug, Role.ADMIN)
    if not member.project.is_closed:
        edit.ensure_perspectives(member.project)
    return _index(request, member, NewForm())


def _index(request: PersonRequest, member: Membership, form: NewForm, status: int = 200) -> HttpResponse:
    rows = Perspective.objects.filter(project=member.project).annotate(
        hateful=Count("examples", filter=Q(examples__hateful=True)),
        others=Count("examples", filter=Q(examples__hateful=False)),
    )
    return project_page(request, member, "moderation/perspectives.html", status=status, rows=rows, form=form)


@require_POST
def add_perspective(request: PersonRequest, slug: str) -> HttpResponse:
    """Add a perspective; the admin then writes its criteria on its page."""
    member = member_of(request, slug, Role.ADMIN)
    form = NewForm(request.POST)
    if form.is_valid():
        words = {
            "name": form.cleaned_data["name"],
            "criteria": _("Hateful\n- …\n\nNot hateful\n- …"),
            "hateful_label": "Hateful",
            "other_label": "Not hateful",
        }
        try:
            perspective = edit.add_perspective(member.project, form.cleaned_data["code"], words, member)
        except edit.BadPerspective as bad:
            form.add_error("code", str(bad))
        else:
            # It has no criteria yet, so it takes no part until they are written.
            edit.switch_perspective(perspective, False, member)
            messages.success(request, _("Added, and switched off until you have written its criteria."))
            return redirect("moderation:perspective", slug, perspective.code)
    return _index(request, member, form, status=422)


@require_GET
def show_perspective(request: PersonRequest, slug: str, code: str) -> HttpResponse:
    """Show one perspective: its texts, its examples and its changes."""
    member, perspective = _perspective(request, slug, code)
    return _page(request, member, perspective)


@require_POST
def change_perspective(request: PersonRequest, slug: str, code: str) -> HttpResponse:
    """Save the texts of a perspective."""
    member, perspective = _perspective(request, slug, code)
    form = WordsForm(request.POST, instance=Perspective(project=member.project, code=code))
    if form.is_valid():
        try:
            edit.change_perspective(
                perspective, form.words(), form.cleaned_data["order"], member, version=form.cleaned_data["version"]
            )
        except edit.BadPerspective as bad:
            form.add_error(None, str(bad))
        else:
            messages.success(request, _("Saved. Runs that are started from now on go by it."))
            return redirect("moderation:perspective", slug, code)
    return _page(request, member, perspective, words=form, status=422)


@require_POST
def switch_perspective(request: PersonRequest, slug: str, code: str) -> HttpResponse:
    """Make the perspective active or inactive."""
    member, perspective = _perspective(request, slug, code)
    active = request.POST.get("active") == "1"
    edit.switch_perspective(perspective, active, member)
    message = _("The perspective is active.") if active else _("The perspective is inactive.")
    messages.success(request, message)
    return redirect("moderation:perspective", slug, code)


@require_POST
def import_file(request: PersonRequest, slug: str, code: str) -> HttpResponse:
    """Check a file of examples or store it, all rows or none."""
    member, perspective = _perspective(request, slug, code)
    form = ExamplesForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, member, perspective, examples=form, status=422)
    file = form.cleaned_data["file"]
    report = import_examples.import_examples(
        perspective,
        file,
        form.columns(),
        source=file.name[:200],
        dry_run=request.POST.get("do") != "store",
        actor=member,
        most=MOST_ROWS,
    )
    if report.stored:
        sentence = ngettext("%(count)s example was stored.", "%(count)s examples were stored.", report.new)
        messages.success(request, sentence % {"count": report.new})
        return redirect("moderation:perspective", slug, code)
    status = 422 if report.errors else 200
    return worked(_page(request, member, perspective, examples=form, report=report, status=status))


@require_POST
def remove_examples(request: PersonRequest, slug: str, code: str) -> HttpResponse:
    """Remove all examples of one source."""
    member, perspective = _perspective(request, slug, code)
    removed = edit.remove_examples(perspective, request.POST.get("source", ""), member)
    sentence = ngettext("%(count)s example was removed.", "%(count)s examples were removed.", removed)
    messages.success(request, sentence % {"count": removed})
    return redirect("moderation:perspective", slug, code)


def _perspective(request: PersonRequest, slug: str, code: str) -> tuple[Membership, Perspective]:
    member = member_of(request, slug, Role.ADMIN)
    perspective = found(Perspective.objects.filter(project=member.project, code=code).first())
    perspective.project = member.project
    return member, perspective


def _page(
    request: PersonRequest,
    member: Membership,
    perspective: Perspective,
    *,
    words: WordsForm | None = None,
    examples: ExamplesForm | None = None,
    report: import_examples.ExampleImportReport | None = None,
    status: int = 200,
) -> HttpResponse:
    rows = Example.objects.filter(perspective=perspective)
    context: dict[str, Any] = {
        "perspective": perspective,
        "words": words or WordsForm(instance=perspective, initial={"version": perspective.version}),
        "examples": examples or ExamplesForm(),
        "report": report,
        "shown_errors": report.errors[:SHOWN_ERRORS] if report else (),
        "page": Paginator(rows, PAGE).get_page(request.GET.get("page")),
        "sources": rows.values("source")
        .annotate(hateful_ones=Count("id", filter=Q(hateful=True)), others=Count("id", filter=Q(hateful=False)))
        .order_by("source"),
        "events": Event.objects.filter(project=member.project, row=perspective.public_id)
        .select_related("actor__user")
        .order_by("-id")[:20],
    }
    return project_page(request, member, "moderation/perspective.html", context, status=status)
