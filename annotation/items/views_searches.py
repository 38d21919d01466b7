"""Saved searches over items, and the found items as a file: for a project's admins and reviewers."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.items import export, saved_searches
from annotation.items import search as item_search
from annotation.items.forms import SaveSearchForm
from annotation.items.views import asked_by
from annotation.models import Membership, SavedSearch
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page

_FILES = {
    "csv": (export.as_csv, "text/csv; charset=utf-8"),
    "jsonl": (export.as_jsonl, "application/jsonl"),
}


@require_GET
def searches(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the member's own searches to rename, share and delete, and shared ones of others."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    return project_page(request, member, "annotation/searches.html", searches=saved_searches.open_to(member))


@require_POST
def save(request: PersonRequest, slug: str) -> HttpResponse:
    """Save the search of the form under a name, and show its items again."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    form = SaveSearchForm(request.POST)
    back = f"{reverse('annotation:items', args=[slug])}?{request.POST.get('query', '')}"
    if not form.is_valid():
        messages.error(request, _("Give the search a name of 1 to 80 characters."))
        return redirect(back)
    values = form.cleaned_data
    try:
        saved = saved_searches.save(member, values["name"], values["query"], shared=values["shared"])
    except item_search.UnknownFilter as unknown:
        messages.error(request, unknown.sentence)
    except saved_searches.NameTaken:
        messages.error(request, _("You have a search named “%(name)s” already.") % {"name": values["name"]})
    except saved_searches.TooMany:
        messages.error(request, _("You keep as many searches as one person may; delete one first."))
    else:
        messages.success(request, _("Saved as “%(name)s”.") % {"name": saved.name})
        back = f"{reverse('annotation:items', args=[slug])}?{saved.query}"
    return redirect(back)


@require_POST
def change(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Rename, share or delete one's own search."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    search = _own(member, public_id)
    form = SaveSearchForm(request.POST)
    if request.POST.get("delete"):
        search.delete()
        messages.success(request, _("The search is deleted."))
    elif not form.is_valid():
        messages.error(request, _("Give the search a name of 1 to 80 characters."))
    else:
        try:
            saved_searches.change(search, form.cleaned_data["name"], shared=form.cleaned_data["shared"])
        except saved_searches.NameTaken:
            messages.error(request, _("You have another search of that name."))
        else:
            messages.success(request, _("Saved."))
    return redirect("annotation:searches", slug)


@require_GET
def items_file(request: PersonRequest, slug: str, kind: str) -> HttpResponseBase:
    """Stream the items that the URL selects as one file; a wrong filter redirects to the list."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    if kind not in _FILES:
        raise Http404
    write, media_type = _FILES[kind]
    filters = asked_by(request)
    try:
        item_search.find_items(member, filters)
    except item_search.UnknownFilter:
        return redirect(f"{reverse('annotation:items', args=[slug])}?{request.GET.urlencode()}")
    answer = StreamingHttpResponse(write(member, filters), content_type=media_type)
    answer["Content-Disposition"] = content_disposition_header(True, f"{slug}-items.{kind}") or "attachment"
    return answer


def _own(member: Membership, public_id: UUID) -> SavedSearch:
    return found(SavedSearch.objects.filter(member=member, public_id=public_id).first())
