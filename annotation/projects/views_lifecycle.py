"""Pages for a project as a whole: create, copy, archive, delete in seven days, cancel the deletion."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.choices import Policy, Role
from annotation.models import Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.error_messages import sentence_for
from annotation.pages.project_page import project_page
from annotation.projects import clone as project_clone
from annotation.projects import create, lifecycle, purge
from annotation.projects.forms_lifecycle import CloneForm, DeleteForm, NewProjectForm


@require_http_methods(["GET", "POST"])
def new(request: PersonRequest) -> HttpResponse:
    """Create a project; for staff of the site, who become its admin."""
    if not request.user.is_staff:
        raise Http404
    form = NewProjectForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if form.is_valid():
        values = form.cleaned_data
        try:
            project = create.create_project(
                values["slug"],
                name=values["name"],
                design=values["design"],
                seats=values["seats"],
                policy=Policy(values["policy"]),
                creator=request.user,
            )
        except create.BadProject as bad:
            form.add_error(bad.field, sentence_for(bad.code, bad.sentence))
        else:
            messages.success(request, _("Project created. Next: import posts and invite people."))
            return redirect("annotation:project-settings", project.slug)
    return render(request, "annotation/project_new.html", {"form": form}, status=422 if form.errors else 200)


@require_GET
def life(request: PersonRequest, slug: str) -> HttpResponse:
    """Show what an admin can do with the project as a whole."""
    member = member_of(request, slug, Role.ADMIN)
    return project_page(request, member, "annotation/project_life.html")


@require_http_methods(["GET", "POST"])
def clone(request: PersonRequest, slug: str) -> HttpResponse:
    """Copy this project without its items."""
    member = member_of(request, slug, Role.ADMIN)
    form = CloneForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        values = form.cleaned_data
        try:
            new_project = project_clone.clone_project(
                member, values["slug"], values["name"], with_people=values["with_people"]
            )
        except create.BadProject as bad:
            form.add_error(bad.field, sentence_for(bad.code, bad.sentence))
        else:
            messages.success(request, _("Copy created: same settings, categories and guidelines, no items."))
            return redirect("annotation:project-settings", new_project.slug)
    return project_page(request, member, "annotation/project_clone.html", status=422 if form.errors else 200, form=form)


@require_POST
def archive(request: PersonRequest, slug: str) -> HttpResponse:
    """Archive the project (`archived` is 1) or unarchive it (0)."""
    member = member_of(request, slug, Role.ADMIN)
    to_archive = request.POST.get("archived") == "1"
    try:
        (lifecycle.archive if to_archive else lifecycle.unarchive)(member.project, member)
    except lifecycle.UnderWay:
        messages.error(request, _under_way())
    except lifecycle.NotSo:
        messages.info(request, _("Nothing to change: that is already the case."))
    else:
        messages.success(
            request,
            _("The project is archived: it can be read, and nothing in it changes.")
            if to_archive
            else _("The project is active again. Nothing is handed out until you open it."),
        )
    return redirect("annotation:project-life", slug)


@require_http_methods(["GET", "POST"])
def delete(request: PersonRequest, slug: str) -> HttpResponse:
    """Show what is lost with the project; with its name and a password, schedule its deletion in seven days."""
    member = member_of(request, slug, Role.ADMIN)
    if member.project.delete_after is not None:
        return redirect("annotation:project-life", slug)
    data = request.POST if request.method == "POST" else None
    form = DeleteForm(data, project=member.project, user=request.user)
    if form.is_valid():
        try:
            lifecycle.ask_deletion(member.project, member)
        except lifecycle.UnderWay:
            form.add_error(None, _under_way())
        except lifecycle.NotSo:
            return redirect("annotation:project-life", slug)
        else:
            messages.warning(request, _("The project is closed and will be deleted in seven days."))
            return redirect("annotation:project-life", slug)
    return _ask(request, member, form)


@require_POST
def keep(request: PersonRequest, slug: str) -> HttpResponse:
    """Cancel the deletion."""
    member = member_of(request, slug, Role.ADMIN)
    try:
        lifecycle.cancel_deletion(member.project, member)
    except lifecycle.NotSo:
        messages.error(request, _("There is no deletion that could still be cancelled."))
    else:
        messages.success(request, _("Deletion cancelled. Nothing is handed out until you open the project."))
    return redirect("annotation:project-life", slug)


def _ask(request: PersonRequest, member: Membership, form: DeleteForm) -> HttpResponse:
    context = {
        "form": form,
        "losses": purge.losses(member.project),
        "has_password": request.user.has_usable_password(),
    }
    return project_page(request, member, "annotation/project_delete.html", context, status=422 if form.errors else 200)


def _under_way() -> str:
    return _(
        "An import, a release or a change of many items is under way. Wait until it ends, or cancel it, then try again."
    )
