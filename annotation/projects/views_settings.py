"""A project's settings, for its admins."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from annotation.domain.choices import Role
from annotation.models import Project
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.navigation import places_of
from annotation.pages.project_page import project_page
from annotation.projects import settings as project_settings
from annotation.projects.forms_settings import SettingsForm
from annotation.projects.named_settings import store_settings

_OWN_FIRST = gettext_lazy("Set up two-step sign-in for your own account first: you would shut yourself out.")


@require_GET
def home(request: PersonRequest, slug: str) -> HttpResponse:
    """Redirect to the member's first page of the project: the first link of its header."""
    member = member_of(request, slug)
    return redirect(places_of(member, member.project)[0]["href"])


@require_http_methods(["GET", "POST"])
def settings(request: PersonRequest, slug: str) -> HttpResponse:
    """Show and change the settings: policy, priors, assignment, consent and others."""
    member = member_of(request, slug, Role.ADMIN)
    project = Project.objects.get(pk=member.project_id)
    form = SettingsForm(request.POST or None, instance=project)
    if request.method == "POST" and form.is_valid():
        try:
            store_settings(member, form)
        except project_settings.OwnSecondFactorMissing:
            form.add_error("second_factor", _OWN_FIRST)
        else:
            messages.success(request, _("Settings saved."))
            return redirect("annotation:project-settings", slug)
    return project_page(
        request, member, "annotation/project_settings.html", status=422 if form.errors else 200, form=form
    )
