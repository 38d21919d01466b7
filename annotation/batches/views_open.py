"""Opening for an admin: ready items go to labelling, and the project hands things out or not."""

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation.batches import open_items as batch_open_items
from annotation.batches.open_items import AT_MOST
from annotation.batches.views import say_opened
from annotation.domain.choices import Role
from annotation.pages.access import PersonRequest, member_of


@require_http_methods(["GET", "POST"])
def open_items(request: PersonRequest, slug: str) -> HttpResponse:
    """Open one batch (`batch`), or all that wait. The page itself is that of the batches."""
    member = member_of(request, slug, Role.ADMIN)
    if request.method == "POST":
        batch = request.POST.get("batch")
        if batch is not None and not batch_open_items.is_batch(member.project, batch):
            raise BadRequest("no batch has such a name")
        say_opened(request, batch_open_items.open_items(member.project, member, batch, at_most=AT_MOST))
    return redirect("annotation:batches", slug)


@require_POST
def open_project(request: PersonRequest, slug: str) -> HttpResponse:
    """Open the project for labelling, or close it (`open` is 1 or 0)."""
    member = member_of(request, slug, Role.ADMIN)
    is_open = request.POST.get("open") == "1"
    batch_open_items.set_project_open(member.project, member, is_open=is_open)
    if is_open:
        messages.success(request, _("The project is open: annotators get items again."))
    else:
        messages.success(request, _("The project is closed. Answers that are under way are still stored."))
    return redirect("annotation:batches", slug)
