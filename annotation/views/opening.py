"""Opening for an admin: which batches can go to labelling, and whether the project hands anything out."""

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation import opening
from annotation.domain.words import Role
from annotation.views.scope import PersonRequest, member_of

AT_MOST = 50_000
"""Items that one press of the button opens, so that the page answers within seconds."""
LISTED = 100
"""Items named on the page that nobody is left for."""


@require_http_methods(["GET", "POST"])
def open_items(request: PersonRequest, slug: str) -> HttpResponse:
    """The batches and what of each can be opened; open one of them (`batch`), or all."""
    member = member_of(request, slug, Role.ADMIN)
    if request.method == "POST":
        batch = request.POST.get("batch")
        if "\x00" in (batch or ""):
            raise BadRequest("no batch has such a name")
        done = opening.open_items(member.project, member, batch, at_most=AT_MOST)
        _say(request, done)
        return redirect("annotation:open-items", slug)
    batches = opening.batches(member.project)
    left = opening.skipped_by_everyone(member.project)
    context = {
        "project": member.project,
        "membership": member,
        "batches": batches,
        "ready": sum(batch.ready for batch in batches),
        "nobody_left": left[:LISTED],
    }
    return render(request, "annotation/opening.html", context)


@require_POST
def open_project(request: PersonRequest, slug: str) -> HttpResponse:
    """Open the project for labelling, or close it (`open` is 1 or 0)."""
    member = member_of(request, slug, Role.ADMIN)
    wanted = request.POST.get("open") == "1"
    opening.set_open(member.project, member, is_open=wanted)
    if wanted:
        messages.success(request, _("The project is open: annotators get items again."))
    else:
        messages.success(request, _("The project is closed. Answers that are under way are still stored."))
    return redirect("annotation:open-items", slug)


def _say(request: PersonRequest, done: opening.Opened) -> None:
    if done.opened:
        count = done.opened
        text = ngettext("%(count)d item is open for labelling.", "%(count)d items are open for labelling.", count)
        messages.success(request, text % {"count": count})
    else:
        messages.info(request, _("Nothing was ready to be opened."))
    if done.opened == AT_MOST:
        messages.info(request, _("More are ready: open again for the rest."))
