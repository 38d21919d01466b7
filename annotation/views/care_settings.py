"""What a project does for its people, and figures about many of them: for its admins."""

import csv
from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import caring, keeping_from
from annotation.care_figures import DAYS, care_figures
from annotation.domain.care import FEWEST_PEOPLE
from annotation.domain.released import cell
from annotation.domain.viewing import Viewing, read_viewing
from annotation.domain.words import Role
from annotation.forms.care import CareSettingsForm, ViewingDefaultsForm
from annotation.models import Membership, Project
from annotation.views.scope import PersonRequest, member_of


@never_cache
@require_http_methods(["GET", "POST"])
def care_settings(request: PersonRequest, slug: str) -> HttpResponse:
    """Caps, breaks and support; below them how the project's people fare, without anybody's name."""
    member = member_of(request, slug, Role.ADMIN)
    project = Project.objects.get(
        pk=member.project_id
    )  # the form writes into it, the page's frame shows the stored one
    form = CareSettingsForm(request.POST if request.method == "POST" else None, instance=project)
    if form.is_valid():
        caring.change_care(member, form.save(commit=False), form.changed_data)
        messages.success(request, _("The settings are stored."))
        return redirect("annotation:care-settings", slug)
    return _page(request, member, form, _viewing_form(member.project), 422 if form.is_bound else 200)


@require_POST
def viewing_defaults(request: PersonRequest, slug: str) -> HttpResponse:
    """What people who join see until they choose for themselves."""
    member = member_of(request, slug, Role.ADMIN)
    form = ViewingDefaultsForm(request.POST)
    if not form.is_valid():
        return _page(request, member, CareSettingsForm(instance=member.project), form, 422)
    project = member.project
    chosen = read_viewing(form.cleaned_data).stored()
    changed = ["viewing_defaults"] if chosen != read_viewing(project.viewing_defaults).stored() else []
    project.viewing_defaults = chosen
    caring.change_care(member, project, changed)
    messages.success(request, _("Stored. It holds for people who join from now on and have chosen nothing yet."))
    return redirect("annotation:care-settings", slug)


@require_GET
def opted_out_items(request: PersonRequest, slug: str) -> HttpResponseBase:
    """How many people opt-outs keep from each item, as CSV; nothing where fewer than five people annotate."""
    member = member_of(request, slug, Role.ADMIN)
    if not keeping_from.counts_may_be_told(member.project):
        raise Http404
    answer = StreamingHttpResponse(_lines(member.project), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = content_disposition_header(True, f"{slug}-opt-outs.csv") or "attachment"
    return answer


def _lines(project: Project) -> Iterator[str]:
    """The lines of the file; a byte order mark first, so that spreadsheets read it as UTF-8."""
    writer = csv.writer(_Echo(), lineterminator="\r\n")
    yield "\ufeff"
    yield writer.writerow(["id", "people_kept_from_it"])
    for external_id, people in keeping_from.barred_from_each(project):
        yield writer.writerow([cell(external_id), people])


class _Echo:
    """A file that hands back what is written, for a writer whose lines are streamed."""

    def write(self, line: str) -> str:
        return line


def _viewing_form(project: Project) -> ViewingDefaultsForm:
    return ViewingDefaultsForm(initial=read_viewing(project.viewing_defaults or Viewing().stored()).stored())


def _page(
    request: PersonRequest, member: Membership, form: CareSettingsForm, viewing: ViewingDefaultsForm, status: int
) -> HttpResponse:
    figures = care_figures(member.project, timezone.localdate())
    context: dict[str, Any] = {
        "project": member.project,
        "membership": member,
        "form": form,
        "viewing": viewing,
        "figures": figures,
        "weeks_told": any(week.people for week in figures.weeks),
        "days": DAYS,
        "fewest": FEWEST_PEOPLE,
        "items_counted": keeping_from.counts_may_be_told(member.project),
    }
    return render(request, "annotation/care_settings.html", context, status=status)
