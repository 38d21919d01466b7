"""The glossary's pages, for reviewers and admins: search, propose, approve, import, export."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.found import one
from annotation.domain.choices import GlossarySourceKind, GlossaryStatus, Role
from annotation.domain.glossary.entry import TERM_LIMIT, key_of
from annotation.glossary import entries, files, forms
from annotation.models import GlossaryEntry, Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from annotation.projects import settings

PAGE_LENGTH = 50
_RULED = {
    GlossaryStatus.APPROVED: gettext_lazy("“%(term)s” is approved."),
    GlossaryStatus.RETIRED: gettext_lazy("“%(term)s” is retired."),
    GlossaryStatus.PROPOSED: gettext_lazy("“%(term)s” is a proposal again."),
}
_FILES = {"csv": (files.as_csv, "text/csv"), "jsonl": (files.as_jsonl, "application/jsonl")}


def _member(request: PersonRequest, slug: str) -> Membership:
    return member_of(request, slug, Role.REVIEWER, Role.ADMIN)


@require_GET
def glossary(request: PersonRequest, slug: str) -> HttpResponse:
    """List the entries by term, filtered."""
    member = _member(request, slug)
    form = forms.SearchForm(request.GET)
    matching = _entries(member)
    if form.is_valid():
        words, status = form.cleaned_data["q"], form.cleaned_data["status"]
        if words:
            matching = matching.filter(Q(key__contains=key_of(words)) | Q(meaning__icontains=words))
        if status:
            matching = matching.filter(status=status)
    context = {
        "page": Paginator(matching.order_by("key"), PAGE_LENGTH).get_page(request.GET.get("page")),
        "form": form,
        "narrowed": bool(request.GET.get("q") or request.GET.get("status")),
        "waiting": _entries(member).filter(status=GlossaryStatus.PROPOSED).count(),
        "use": forms.UseForm(initial=vars(member.project)) if member.administers else None,
    }
    return project_page(request, member, "annotation/glossary.html", context)


@require_http_methods(["GET", "POST"])
def propose(request: PersonRequest, slug: str) -> HttpResponse:
    """Create an entry. The query may give `term`, `meaning` and sources (`run`, `decision`, `evidence`, `item`)."""
    member = _member(request, slug)
    origins = _origins(request, member)
    if request.method == "GET":
        form = forms.EntryForm(
            initial={"term": request.GET.get("term", "")[:TERM_LIMIT], "meaning": request.GET.get("meaning", "")[:2000]}
        )
        return project_page(request, member, "annotation/glossary_new.html", {"form": form, "origins": origins})
    form = forms.EntryForm(request.POST)
    known = None
    if form.is_valid():
        try:
            entry = entries.propose(
                member, form.values, origins, approved=member.administers and "approve" in request.POST
            )
        except entries.TermKnown as already:
            known = already.entry
            form.add_error("term", _("The glossary has this term already: add to its entry."))
        except entries.GlossaryFull:
            form.add_error(None, _("The glossary is full: remove terms that no post uses."))
        else:
            messages.success(request, _("“%(term)s” is in the glossary.") % {"term": entry.term})
            return redirect("annotation:glossary-entry", slug, entry.public_id)
    context = {"form": form, "origins": origins, "known": known}
    return project_page(request, member, "annotation/glossary_new.html", context, status=422)


@require_http_methods(["GET", "POST"])
def entry(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show one entry with its sources and its history, or change it."""
    member = _member(request, slug)
    row = _entry(member, public_id)
    form, status = forms.EntryForm(initial=forms.initial_of(row)), 200
    if request.method == "POST":
        form, status = forms.EntryForm(request.POST), 422
        if form.is_valid():
            try:
                entries.change(member, row, form.values, form.cleaned_data["version"] or 0)
            except entries.TermKnown as already:
                form.add_error("term", _("“%(term)s” has an entry of its own.") % {"term": already.entry.term})
            except entries.ChangedMeanwhile as meanwhile:
                status, row = 409, meanwhile.entry
                form.add_error(None, _meanwhile())
            else:
                messages.success(request, _("Saved."))
                return redirect("annotation:glossary-entry", slug, public_id)
    context = {
        "entry": row,
        "form": form,
        "sources": row.sources.all(),
        "versions": row.versions.select_related("member"),
        "uses": row.uses.values("run").distinct().count(),
        "may_approve": _may_approve(member, row),
    }
    return project_page(request, member, "annotation/glossary_entry.html", context, status=status)


@require_POST
def rule(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Approve an entry, retire it, or make it a proposal again."""
    member = _member(request, slug)
    row = _entry(member, public_id)
    form = forms.RuleForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose what becomes of the entry."))
    elif form.cleaned_data["status"] == GlossaryStatus.APPROVED and not _may_approve(member, row):
        messages.error(request, _("Somebody else approves what you proposed."))
    else:
        try:
            status = GlossaryStatus(form.cleaned_data["status"])
            entries.rule(member, row, status, form.cleaned_data["version"])
            messages.success(request, _RULED[status] % {"term": row.term})
        except entries.ChangedMeanwhile:
            messages.error(request, _meanwhile())
    return redirect("annotation:glossary-entry", slug, public_id)


@require_http_methods(["GET", "POST"])
def import_file(request: PersonRequest, slug: str) -> HttpResponse:
    """Import a file of entries: all of them or, if rows have errors, none; the errors are shown."""
    member = _member(request, slug)
    form, imported, status = forms.FileForm(), None, 200
    if request.method == "POST":
        form, status = forms.FileForm(request.POST, request.FILES), 422
        if form.is_valid():
            approved = form.cleaned_data["approved"] and member.administers
            imported = files.import_entries(member, form.cleaned_data["file"].file, approved=approved)
            if not imported.errors:
                sentence = _("%(added)d entries came in; %(known)d terms were here already and stay as they are.")
                messages.success(request, sentence % {"added": imported.added, "known": imported.known})
                return redirect("annotation:glossary", slug)
    return project_page(
        request, member, "annotation/glossary_import.html", {"form": form, "came": imported}, status=status
    )


@require_GET
def file(request: PersonRequest, slug: str, kind: str) -> HttpResponseBase:
    """Return the glossary as one file, streamed; it can be imported again."""
    member = _member(request, slug)
    if kind not in _FILES:
        raise Http404
    write, media_type = _FILES[kind]
    answer = StreamingHttpResponse(write(member.project), content_type=media_type)
    answer["Content-Disposition"] = content_disposition_header(True, f"{slug}-glossary.{kind}") or "attachment"
    return answer


@require_POST
def use(request: PersonRequest, slug: str) -> HttpResponse:
    """Store where approved entries are used; for admins."""
    member = member_of(request, slug, Role.ADMIN)
    form = forms.UseForm(request.POST)
    if form.is_valid():
        changed = [name for name, value in form.cleaned_data.items() if getattr(member.project, name) != value]
        for name in changed:
            setattr(member.project, name, form.cleaned_data[name])
        settings.change_settings(member, member.project, changed)
        messages.success(request, _("Saved."))
    return redirect("annotation:glossary", slug)


def _entries(member: Membership) -> QuerySet[GlossaryEntry]:
    return GlossaryEntry.objects.filter(project=member.project_id)


def _entry(member: Membership, public_id: UUID) -> GlossaryEntry:
    return one(GlossaryEntry.objects.select_related("author"), member.project, public_id)


def _may_approve(member: Membership, entry: GlossaryEntry) -> bool:
    """Return whether the member may approve the entry: admins always, reviewers if somebody else proposed it."""
    return member.administers or entry.author_id != member.pk


def _origins(request: PersonRequest, member: Membership) -> list[entries.Origin]:
    """Return the sources that the query names. What does not exist in this project is ignored."""
    project = member.project
    named = {kind: _named(request, kind, rows(project)) for kind, rows in entries.source_rows().items()}
    references = {kind: reference for kind, reference in named.items() if reference}
    item = _named(request, "item", project.items.all())
    if item is not None and not references:
        return [entries.Origin(GlossarySourceKind.REFERENCE, item, item)]
    return [entries.Origin(kind, reference, item) for kind, reference in references.items()]


def _named(request: PersonRequest, name: str, rows: QuerySet[Any, Any]) -> UUID | None:
    """Return the public id under this name of the query. Returns None if none of the rows has it."""
    try:
        public_id = UUID(request.GET.get(name, ""))
    except ValueError:
        return None
    return public_id if rows.filter(public_id=public_id).exists() else None


def _meanwhile() -> str:
    return _(
        "Somebody changed this entry in the meantime. Your text is kept here; look at the current entry and try again."
    )
