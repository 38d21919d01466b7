"""Views of a project's wellbeing settings and of figures about many people, for admins."""

from itertools import chain
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.choices import Role
from annotation.domain.wellbeing.opt_outs import FEWEST_PEOPLE
from annotation.domain.wellbeing.viewing import Viewing, read_viewing
from annotation.models import Membership, Project
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.csv_response import streamed_csv_response
from annotation.pages.project_page import project_page
from annotation.wellbeing import opt_out_counts, preferences
from annotation.wellbeing.forms import CareSettingsForm, ViewingDefaultsForm
from annotation.wellbeing.statistics import DAYS, care_figures


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
        preferences.change_care_settings(member, form.save(commit=False), form.changed_data)
        messages.success(request, _("Settings saved."))
        return redirect("annotation:care-settings", slug)
    return _page(request, member, form, _viewing_form(member.project), 422 if form.is_bound else 200)


@require_POST
def viewing_defaults(request: PersonRequest, slug: str) -> HttpResponse:
    """Set how people who join see posts until they choose for themselves."""
    member = member_of(request, slug, Role.ADMIN)
    form = ViewingDefaultsForm(request.POST)
    if not form.is_valid():
        return _page(request, member, CareSettingsForm(instance=member.project), form, 422)
    project = member.project
    chosen = read_viewing(form.cleaned_data).stored()
    changed = ["viewing_defaults"] if chosen != read_viewing(project.viewing_defaults).stored() else []
    project.viewing_defaults = chosen
    preferences.change_care_settings(member, project, changed)
    messages.success(request, _("Saved. It applies to people who join from now on and have not chosen yet."))
    return redirect("annotation:care-settings", slug)


@require_GET
def opted_out_items(request: PersonRequest, slug: str) -> HttpResponseBase:
    """Send as CSV how many people opt-outs exclude from each item; 404 with fewer than five annotators."""
    member = member_of(request, slug, Role.ADMIN)
    if not opt_out_counts.are_counts_anonymous(member.project):
        raise Http404
    rows = opt_out_counts.count_excluded_by_item(member.project)
    return streamed_csv_response(f"{slug}-opt-outs.csv", chain([("id", "people_kept_from_it")], rows))


def _viewing_form(project: Project) -> ViewingDefaultsForm:
    return ViewingDefaultsForm(initial=read_viewing(project.viewing_defaults or Viewing().stored()).stored())


def _page(
    request: PersonRequest, member: Membership, form: CareSettingsForm, viewing: ViewingDefaultsForm, status: int
) -> HttpResponse:
    figures = care_figures(member.project, timezone.localdate())
    context: dict[str, Any] = {
        "form": form,
        "viewing": viewing,
        "figures": figures,
        "weeks_told": any(week.people for week in figures.weeks),
        "days": DAYS,
        "fewest": FEWEST_PEOPLE,
        "items_counted": opt_out_counts.are_counts_anonymous(member.project),
    }
    return project_page(request, member, "annotation/care_settings.html", context, status=status)
