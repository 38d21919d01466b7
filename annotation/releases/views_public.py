"""Public pages of published releases, for anyone who knows the address: the page, requests for access, downloads."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_safe

from annotation.core.found import found
from annotation.media.responses import part_of_file
from annotation.models import AccessRequest, Publication
from annotation.releases import publication
from annotation.releases.documents import bibtex
from annotation.releases.forms_access import AskForm
from annotation.releases.summary import facts


@never_cache
@login_not_required
@require_GET
def show_published(request: HttpRequest, key: str) -> HttpResponse:
    """Show a published release: figures, terms, how to cite it, how to get it."""
    shown = _published(key)
    citation = bibtex(shown.release.manifest, url=shown.address())
    context = facts(shown.release) | {"publication": shown, "citation": citation}
    return render(request, "annotation/public_release.html", context)


@never_cache
@login_not_required
@require_http_methods(["GET", "POST"])
def ask_access(request: HttpRequest, key: str) -> HttpResponse:
    """Request access; redirect to the request's own page, the only place that shows its state."""
    shown = _published(key)
    form = AskForm(request.POST if request.method == "POST" else None)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            access_request = publication.request_access(shown, **form.cleaned_data)
        except publication.TooManyWaiting:
            form.add_error(None, _("Too many requests wait for an answer; please ask again in some days."))
            status = 503
        else:
            return redirect("annotation:public-request", key, access_request.token)
    context = {"publication": shown, "m": shown.release.manifest, "form": form}
    return render(request, "annotation/public_ask.html", context, status=status)


@never_cache
@login_not_required
@require_http_methods(["GET", "POST"])
def asked(request: HttpRequest, key: str, token: str) -> HttpResponse:
    """Show the state of a request; accept the terms once it is approved."""
    shown, row = _request(key, token)
    terms = publication.access_terms_of(shown.release.project)
    if request.method == "POST":
        read = request.POST.get("terms", "")
        if not publication.accept_terms(shown, row, read) and read != publication.digest_of_terms(shown, terms):
            messages.warning(request, _("The text has changed since you opened it: please read it again."))
        return redirect("annotation:public-request", key, token)
    context = {
        "publication": shown,
        "m": shown.release.manifest,
        "asked": row,
        "standing": publication.standing_of(row, timezone.now()).value,
        "terms": terms,
        "terms_digest": publication.digest_of_terms(shown, terms),
        "token": token,
    }
    return render(request, "annotation/public_asked.html", context)


@never_cache
@login_not_required
@require_safe
def download(request: HttpRequest, key: str, token: str) -> HttpResponseBase:
    """Send the release as a ZIP archive, from any byte on, while the access is valid."""
    shown, row = _request(key, token)
    stored = found(publication.archive_for(shown, row))
    release = shown.release
    name = f"{release.manifest['project']['slug']}-release-{release.number}.zip"
    answer, begins = part_of_file(request, stored, name, shown.archive_size, shown.archive_sha256)
    if begins:
        publication.count_download(row)
    return answer


def _published(key: str) -> Publication:
    return found(publication.find_publication(key))


def _request(key: str, token: str) -> tuple[Publication, AccessRequest]:
    shown = _published(key)
    row = found(publication.find_request(shown, token))
    return shown, row
