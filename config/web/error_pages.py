"""Responses to failed requests: a page with one clear sentence, or {"code", "detail", …} for callers that want JSON."""

import re
import sys
from typing import Any

from django.conf import settings
from django.core.exceptions import (
    DisallowedHost,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse, RawPostDataException, UnreadablePostError
from django.shortcuts import redirect
from django.template import loader
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import requires_csrf_token

from annotation.core import disk_faults
from annotation.core.sealed import CannotOpen
from annotation.core.second_factor import SecondFactorNeeded
from annotation.core.stored_files import StoreAway, away_sentence
from annotation.pages.access import page_before
from config import pending_migrations
from runs.sql.sqlstates import outage as database_outage

RETRY_SECONDS = 10
"""The seconds after which to try again if the database cannot be reached."""
_WITHOUT_ACCOUNT = {500, 503}
"""The failures whose page must not query the database."""
_SECRET = re.compile(r"passw|again|secret|token|code|key", re.IGNORECASE)
"""Names of fields that no page repeats."""
_TYPED_FROM = 8
"""Characters from which a text is shown again."""
_SQLITE_PASSING = ("locked", "busy", "unable to open", "disk", "readonly")


def speaks_json(request: HttpRequest) -> bool:
    """Return whether the caller wants JSON: on API paths, or by its Accept header."""
    return request.path.startswith(("/api/", "/healthz", "/livez", "/readyz", "/metrics")) or (
        request.get_preferred_type(["text/html", "application/json"]) == "application/json"
    )


def failure(request: HttpRequest, status: int, code: str, detail: str, **more: Any) -> HttpResponse:
    """Return a response with a status, a stable code and one sentence; `more` names a field, line or limit.

    `retry_after` (seconds) also sets the Retry-After header.
    """
    if speaks_json(request):
        response: HttpResponse = JsonResponse({"code": code, "detail": detail, **more}, status=status)
    else:
        context = {"code": code, "detail": detail, "status": status, **more}
        page_request = None if status in _WITHOUT_ACCOUNT else request
        page = loader.select_template([f"{status}.html", "400.html"])
        response = HttpResponse(page.render(context, page_request), status=status)
    if "retry_after" in more:
        response["Retry-After"] = str(more["retry_after"])
    return response


def is_outage(error: BaseException | None) -> bool:
    """Return whether the database could not be reached or was busy, as opposed to a fault in our code."""
    if isinstance(error, InterfaceError) or database_outage(error) is not None:
        return True
    if not isinstance(error, OperationalError):
        return False
    return connection.vendor != "sqlite" or any(word in str(error).lower() for word in _SQLITE_PASSING)


@requires_csrf_token
def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return 400, or 413 if the body was too large."""
    match exception:
        case RequestDataTooBig():
            return failure(request, 413, "too_large", _("The form is too large; nothing was stored."))
        case TooManyFilesSent():
            most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
            detail = _("At most %(most)s files can be sent at a time; nothing was stored.") % {"most": most}
            return failure(request, 400, "too_many_files", detail)
        case TooManyFieldsSent():
            return failure(request, 400, "too_many_fields", _("The form has too many fields; nothing was stored."))
        case DisallowedHost():
            # The response repeats nothing of the request: no link, no host name.
            return JsonResponse(
                {"code": "bad_host", "detail": "This site does not answer under that host name."}, status=400
            )
        case _:
            detail = _("The request was not understood; nothing was stored.")
            return failure(request, 400, "bad_request", detail)


@requires_csrf_token
def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return 403 with the reason of the refusal; a missing second factor has its own page."""
    if isinstance(exception, SecondFactorNeeded):
        if not speaks_json(request):
            return HttpResponse(loader.render_to_string("annotation/second_factor.html", request=request), status=403)
        return failure(request, 403, exception.code, str(exception))
    reason = str(exception) or _("That is not open to you. Ask an admin of the project if you need it for your work.")
    if speaks_json(request):
        return failure(request, 403, "forbidden", reason)
    return failure(request, 403, "forbidden", reason, typed=_typed_text(request), back=_page_of_form(request))


def _page_of_form(request: HttpRequest) -> str:
    """Return the page whose form was refused; empty if that is not known."""
    before = page_before(request) if request.method == "POST" else "/"
    return "" if before == "/" else before


def _typed_text(request: HttpRequest) -> str:
    """Return the longer texts of a refused form, so that nobody loses them; no password and nothing of the form's own.

    The caller knows that the form was one of ours, so that the text is the person's own.
    """
    try:
        values = list(request.POST.items())
    except (SuspiciousOperation, RawPostDataException, UnreadablePostError):
        return ""
    texts = [str(value).strip() for name, value in values if not _SECRET.search(name)]
    return "\n\n".join(text for text in texts if len(text) >= _TYPED_FROM and " " in text)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return 403 for a form without a valid token. Who signed in in another tab is led on from the sign-in page."""
    if request.user.is_authenticated and request.path == reverse("account_login"):
        return redirect(request.get_full_path())
    detail = _("The form was no longer valid; nothing was stored. Load the page again and send it once more.")
    if speaks_json(request):
        return failure(request, 403, "csrf_failed", detail)
    context = {"detail": detail}
    if request.headers.get("Sec-Fetch-Site") == "same-origin":  # a page of ours, from before a sign-in in another tab
        context |= {"typed": _typed_text(request), "back": _page_of_form(request)}
    return HttpResponse(loader.get_template("403_csrf.html").render(context, request), status=403)


@requires_csrf_token
def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return 404; what does not exist and what is not open to the caller look exactly the same."""
    return failure(request, 404, "not_found", _("There is nothing here, or it is not open to you."))


@requires_csrf_token
def server_error(request: HttpRequest) -> HttpResponse:
    """Return 503 if a disk is full, or database, stored files or a key are not there or cannot be used, else 500."""
    fault = sys.exc_info()[1]
    if pending_migrations.says_that_some_are_missing(fault):
        detail = _("The site is newer than its database: its operator has to run `manage.py migrate`. Try again later.")
        return failure(request, 503, "missing_migrations", detail, retry_after=60)
    if disk_faults.is_disk_fault(fault):
        return failure(request, 503, "disk_full", disk_faults.disk_sentence(), retry_after=60)
    if isinstance(fault, StoreAway):
        return failure(request, 503, "files_away", away_sentence(), retry_after=60)
    if disk_faults.is_forbidden(fault):
        return failure(request, 503, "files_forbidden", disk_faults.forbidden_sentence(), retry_after=60)
    if isinstance(fault, CannotOpen):
        detail = _("This was closed with a key that the site no longer has. Tell the people who run the site.")
        return failure(request, 503, "key_lost", detail)
    if is_outage(fault):
        return outage(request)
    return failure(request, 500, "server_error", _("The server failed. The last step may not be stored; try again."))


def outage(request: HttpRequest) -> HttpResponse:
    """Return 503 with the seconds to wait."""
    detail = _("The database cannot be reached for the moment. What you sent may not be stored; try again soon.")
    return failure(request, 503, "unavailable", detail, retry_after=RETRY_SECONDS)
