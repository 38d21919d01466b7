"""A project's settings and people, for its admins."""

from uuid import UUID

from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation import governing, joining, taking_part
from annotation.domain.words import Role
from annotation.forms.project import NewMemberForm, RolesForm, SettingsForm
from annotation.models import Membership, Project
from annotation.refusals import sentence_for
from annotation.views.scope import PersonRequest, member_of


@require_http_methods(["GET", "POST"])
def settings(request: PersonRequest, slug: str) -> HttpResponse:
    """Policy, priors, handing out, consent."""
    member = member_of(request, slug, Role.ADMIN)
    project = Project.objects.get(pk=member.project_id)
    form = SettingsForm(request.POST or None, instance=project)
    if request.method == "POST" and form.is_valid():
        governing.change_settings(member, form.save(commit=False), form.changed_data)
        messages.success(request, _("The settings are stored."))
        return redirect("annotation:project-settings", slug)
    context = {"project": member.project, "membership": member, "form": form}
    return render(request, "annotation/project_settings.html", context, status=422 if form.errors else 200)


@never_cache
@require_http_methods(["GET", "POST"])
def members(request: PersonRequest, slug: str) -> HttpResponse:
    """Who is in the project; add somebody. A new account's password is shown once, on this answer alone."""
    member = member_of(request, slug, Role.ADMIN)
    form = NewMemberForm(request.POST or None)
    joined = None
    if form.is_valid():
        try:
            joined = joining.add_member(
                member.project, form.cleaned_data["username"], Role(form.cleaned_data["role"]), actor=member
            )
            form = NewMemberForm()
        except joining.BadMember as bad:
            form.add_error("username", sentence_for(bad.code, bad.sentence))
    context = {
        "project": member.project,
        "membership": member,
        "form": form,
        "joined": joined,
        "people": _people(member.project),
        "imported": Membership.objects.filter(project=member.project, user=None).count(),
    }
    return render(request, "annotation/members.html", context, status=422 if form.errors else 200)


@require_POST
def member_roles(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Give and take a member's roles."""
    admin = member_of(request, slug, Role.ADMIN)
    member = _member(admin.project, public_id)
    form = RolesForm(request.POST, instance=Membership(pk=member.pk))
    if form.is_valid():
        try:
            governing.change_roles(admin, member, form.cleaned_data)
        except governing.LastAdmin:
            messages.error(request, _("A project needs an admin: make somebody else admin first."))
        else:
            messages.success(request, _("The roles of %(name)s are stored.") % {"name": member.pseudonym})
    return redirect("annotation:members", slug)


@require_POST
def member_deactivate(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """End somebody's access to the project; seats they hold are freed, their labels stay."""
    admin = member_of(request, slug, Role.ADMIN)
    member = _member(admin.project, public_id)
    if member.pk == admin.pk:
        messages.error(request, _("You cannot end your own access; ask another admin."))
    else:
        taking_part.deactivate(member, by=admin)
        messages.success(request, _("%(name)s has no access any more; labels stay.") % {"name": member.pseudonym})
    return redirect("annotation:members", slug)


def _member(project: Project, public_id: UUID) -> Membership:
    found = Membership.objects.filter(project=project, public_id=public_id, user__isnull=False).first()
    if found is None:
        raise Http404
    return found


def _people(project: Project) -> list[Membership]:
    """Members with an account, each with the number of labels in force."""
    people = Membership.objects.filter(project=project, user__isnull=False).select_related("user")
    counted = people.annotate(labels_in_force=Count("seat_rows", filter=Q(seat_rows__label__isnull=False)))
    return list(counted.order_by("-active", "user__username"))
