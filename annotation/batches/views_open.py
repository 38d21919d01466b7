"""Opening for an admin: ready items go to labelling, and the project hands things out or not."""

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation.batches import open_items as batch_open_items
from annotation.batches.views import AT_MOST, say_opened
from annotation.core.access import PersonRequest, member_of
from annotation.domain.choices import Role
from annotation.models import Batch, Item, Project


@require_http_methods(["GET", "POST"])
def open_items(request: PersonRequest, slug: str) -> HttpResponse:
    """Open one batch (`batch`), or all that wait. The page itself is that of the batches."""
    member = member_of(request, slug, Role.ADMIN)
    if request.method == "POST":
        batch = request.POST.get("batch")
        if batch is not None and not _is_there(member.project, batch):
            raise BadRequest("no batch has such a name")
        say_opened(request, batch_open_items.open_items(member.project, member, batch, at_most=AT_MOST))
    return redirect("annotation:batches", slug)


@require_POST
def open_project(request: PersonRequest, slug: str) -> HttpResponse:
    """Open the project for labelling, or close it (`open` is 1 or 0)."""
    member = member_of(request, slug, Role.ADMIN)
    wanted = request.POST.get("open") == "1"
    batch_open_items.set_project_open(member.project, member, is_open=wanted)
    if wanted:
        messages.success(request, _("The project is open: annotators get items again."))
    else:
        messages.success(request, _("The project is closed. Answers that are under way are still stored."))
    return redirect("annotation:batches", slug)


def _is_there(project: Project, batch: str) -> bool:
    """Whether the project has a batch of this name, by its row or by an item that names it."""
    if "\x00" in batch:
        return False
    named = Batch.objects.filter(project=project, name=batch)
    return named.exists() or Item.objects.filter(project=project, batch=batch).exists()
