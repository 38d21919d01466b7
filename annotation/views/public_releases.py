"""Published releases, for whoever knows their address: the page, asking for access, the download."""

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_safe

from annotation import publishing
from annotation.forms.access import AskForm
from annotation.models import AccessRequest, Publication
from annotation.release_papers import bibtex
from annotation.release_shown import facts
from annotation.serving_parts import part_of_file


@never_cache
@login_not_required
@require_GET
def show(request: HttpRequest, key: str) -> HttpResponse:
    """A published release: figures, terms, how to cite it, how to get it."""
    shown = _published(key)
    context = facts(shown.release) | {"publication": shown, "citation": bibtex(shown.release.manifest)}
    return render(request, "annotation/public_release.html", context)


@never_cache
@login_not_required
@require_http_methods(["GET", "POST"])
def ask(request: HttpRequest, key: str) -> HttpResponse:
    """Ask for access; leads to the request's own page, which is the only way back to it."""
    shown = _published(key)
    form = AskForm(request.POST if request.method == "POST" else None)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            made = publishing.ask(shown, **form.cleaned_data)
        except publishing.TooManyWaiting:
            form.add_error(None, _("Too many requests wait for an answer; please ask again in some days."))
            status = 503
        else:
            return redirect("annotation:public-request", key, made.token)
    context = {"publication": shown, "m": shown.release.manifest, "form": form}
    return render(request, "annotation/public_ask.html", context, status=status)


@never_cache
@login_not_required
@require_http_methods(["GET", "POST"])
def asked(request: HttpRequest, key: str, token: str) -> HttpResponse:
    """How a request stands; accepting the terms once it is approved."""
    shown, row = _request(key, token)
    if request.method == "POST":
        publishing.accept(shown, row)
        return redirect("annotation:public-request", key, token)
    context = {
        "publication": shown,
        "m": shown.release.manifest,
        "asked": row,
        "standing": publishing.standing_of(row, timezone.now()).value,
        "terms": publishing.terms_of(shown.release.project),
        "token": token,
    }
    return render(request, "annotation/public_asked.html", context)


@never_cache
@login_not_required
@require_safe
def download(request: HttpRequest, key: str, token: str) -> HttpResponseBase:
    """The whole release as a ZIP, from any byte on; for as long as the access lasts."""
    shown, row = _request(key, token)
    path = publishing.archive_for(shown, row)
    if path is None:
        raise Http404
    made = shown.release
    name = f"{made.manifest['project']['slug']}-release-{made.number}.zip"
    answer, begins = part_of_file(request, path, name, shown.archive_size, shown.archive_sha256)
    if begins:
        publishing.count_download(row)
    return answer


def _published(key: str) -> Publication:
    shown = publishing.find(key)
    if shown is None:
        raise Http404
    return shown


def _request(key: str, token: str) -> tuple[Publication, AccessRequest]:
    shown = _published(key)
    row = publishing.find_request(shown, token)
    if row is None:
        raise Http404
    return shown, row
