"""Pages of the documents for the local search: admins upload and remove them, reviewers read them."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.found import one
from annotation.domain.choices import Role
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from moderation.methods import local_documents
from moderation.models import Document
from providers import wiring_web

PAGE_LENGTH = 100


class UploadForm(forms.Form):
    """A file for the index."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy("Text, Markdown, HTML or PDF, up to 20 MB. Its text is kept, the file is not."),
        widget=forms.ClearableFileInput(attrs={"accept": ".txt,.md,.markdown,.html,.htm,.pdf"}),
        error_messages={"required": gettext_lazy("Choose a file."), "empty": gettext_lazy("The file is empty.")},
    )


@require_http_methods(["GET", "POST"])
def documents(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the project's documents and the form that adds more."""
    member = member_of(request, slug, Role.ADMIN)
    form = UploadForm(request.POST or None, request.FILES or None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            file = form.cleaned_data["file"]
            try:
                if file.size > local_documents.MOST_BYTES:
                    raise local_documents.BadDocument(
                        _("The file has more than %(most)d MB.") % {"most": local_documents.MOST_BYTES // 1_000_000}
                    )
                row = local_documents.add_document(member.project, file.name, file.read(), member)
            except local_documents.BadDocument as bad:
                form.add_error("file", str(bad))
                status = 503 if bad.is_busy else 422
            else:
                messages.success(request, _("%(title)s can be found now.") % {"title": row.title})
                return redirect("moderation:documents", slug)
    rows = Document.objects.filter(project=member.project).select_related("uploaded_by")
    context = {
        "form": form,
        "page": Paginator(rows, PAGE_LENGTH).get_page(request.GET.get("page")),
        "engines": wiring_web.configured_engines(),
    }
    response = project_page(request, member, "moderation/documents.html", context, status=status)
    if status == 503:
        response["Retry-After"] = "30"
    return response


@require_GET
def document(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the text of a document, twenty passages a page."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    row = one(Document.objects, member.project, public_id)
    context = {
        "document": row,
        "page": Paginator(row.passages.order_by("number"), 20).get_page(request.GET.get("page")),
    }
    return project_page(request, member, "moderation/document.html", context)


@require_POST
def remove_document(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Remove a document."""
    member = member_of(request, slug, Role.ADMIN)
    row = one(Document.objects, member.project, public_id)
    local_documents.remove_document(row, member)
    messages.success(
        request, _("%(title)s is removed. Evidence that quotes it keeps its own copy.") % {"title": row.title}
    )
    return redirect("moderation:documents", slug)
