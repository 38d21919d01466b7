"""Middleware for every request: the caller's address, checks of the request, headers of the response."""

import re
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
    HttpResponsePermanentRedirect,
)
from django.middleware.common import CommonMiddleware
from django.middleware.gzip import GZipMiddleware
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext as _

from annotation.domain.one_line import NotOneLine
from annotation.pages.error_messages import sentence_for
from config.web.body_limits import always_taken, body_limit
from config.web.content_type import FOREIGN_CHARSET
from config.web.error_pages import failure
from config.web.rate_limits import GetResponse

_PORT = re.compile(r"^(?:\[(.+)\]|([\d.]+))(?::\d+)?$")
"""An address with its port, as some proxies write it."""
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
# Not what ends or joins fields (& ; = +), what begins an escape (%), and what no form may hold (NUL).
_ESCAPED_LETTERS = re.compile(rb"(?:%(?!2[56b]|3[bd]|00)[0-9a-f]{2})++", re.IGNORECASE)
_MOST_SIGNS = 300_000
# NUL and encoded surrogates are refused here, because each database would refuse them in a different way.
_UNSTORABLE = re.compile(r"%00|%ED%[AB][0-9A-F]%[89AB][0-9A-F]|\x00", re.IGNORECASE)
_COMPRESSIBLE = ("text/", "application/json", "application/javascript", "application/x-ndjson", "image/svg+xml")


class CallerAddress(MiddlewareMixin):
    """Puts the caller's own address into REMOTE_ADDR if the site is behind trusted proxies.

    What is no address is passed over: then the nearest proxy counts as the caller.
    """

    def process_request(self, request: HttpRequest) -> None:
        depth = settings.TRUSTED_PROXIES
        hops = [hop.strip() for hop in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if hop.strip()]
        if depth and len(hops) >= depth:
            with suppress(ValueError):
                request.META["REMOTE_ADDR"] = str(ip_address(_PORT.sub(r"\1\2", hops[-depth])))


class FrontDoor(MiddlewareMixin):
    """Refuses requests that no page of the site can handle."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if request.method not in _METHODS:
            response = failure(request, 405, "method_not_allowed", _("This method is not used here."))
            response["Allow"] = ", ".join(sorted(_METHODS))
            return response
        if _UNSTORABLE.search(request.META.get("QUERY_STRING", "")) or "\x00" in request.path_info:
            return failure(request, 400, "nul_character", _("The address holds a character that cannot be stored."))
        return self._body_refused(request)

    def _body_refused(self, request: HttpRequest) -> HttpResponse | None:
        encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
        if encoding not in {"", "identity"}:
            return failure(request, 415, "content_encoding", _("Send the body uncompressed, without Content-Encoding."))
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not (length.isascii() and length.isdigit()):
            return failure(request, 400, "content_length", _("Content-Length must be a number."))
        if int(length) and FOREIGN_CHARSET in request.META:
            return failure(request, 415, "charset", _("Send the body as UTF-8."))
        return self._large_body_refused(request, int(length)) if int(length) > always_taken() else None

    def _large_body_refused(self, request: HttpRequest, length: int) -> HttpResponse | None:
        limit = body_limit(request.path_info, request.content_type or "")
        if length <= limit:
            return None
        detail = _("This address takes at most %(limit)s bytes and was sent %(length)s; nothing was stored.")
        if limit == settings.UPLOAD_MAX_BYTES:
            detail = _("The upload has %(length)s bytes; at most %(limit)s are taken. A command takes larger files.")
        return failure(request, 413, "too_large", detail % {"length": length, "limit": limit}, limit=limit)


class _SameRequest(HttpResponsePermanentRedirect):
    """308: clients send the same method and body to the other address. After 301 they send GET."""

    status_code = 308


class EndSlash(CommonMiddleware):
    """Leads to the address with the slash at its end."""

    response_redirect_class = _SameRequest


def _unescaped(form: bytes) -> bytes:
    """Return the form with its letters as they are, not as %41: each escape that Django reads takes 240 bytes.

    Those of signs that have a meaning in a form stay. Raises UnicodeDecodeError if the form is not UTF-8.
    """
    plain = _ESCAPED_LETTERS.sub(lambda run: bytes.fromhex(run[0].replace(b"%", b"").decode()), form)
    plain.decode()
    return plain


class WholeText(MiddlewareMixin):
    """Refuses forms that are not UTF-8; Django would replace the unreadable bytes and store a changed text."""

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        if request.content_type != "application/x-www-form-urlencoded":
            return None
        try:
            form = _unescaped(request.body)
        except UnicodeDecodeError:
            return failure(request, 400, "invalid_unicode", _("The form is not valid UTF-8; nothing was stored."))
        if form.count(b"%") > _MOST_SIGNS:
            return failure(request, 413, "too_large", _("The form is too large; nothing was stored."))
        request._body = form  # what Django has read, and parses next
        return None


class NotAllowed:
    """Answers HEAD wherever GET is answered, and gives the empty 405 of a view its page.

    Whoever reloads where a form was sent to must not meet a blank.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, HttpResponseNotAllowed) or response.content:
            return response
        allowed = set(response["Allow"].split(", "))
        if "GET" in allowed and request.method == "HEAD":
            request.method = "GET"
            response = self.get_response(request)
            request.method = "HEAD"  # the server sends no body
            return response
        refusal = failure(request, 405, "method_not_allowed", _("This address only takes what its page sends."))
        refusal["Allow"] = ", ".join(sorted(allowed | {"HEAD"} if "GET" in allowed else allowed))
        return refusal


class OneLineNames(MiddlewareMixin):
    """Answers a name that is no single line, where no form has checked it."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, NotOneLine):
            return None
        return failure(request, 422, exception.code, sentence_for(exception.code, exception.sentence))


class Headers(MiddlewareMixin):
    """Adds headers that Django's security middleware does not set: no device access, no shared caching of pages."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault(
            "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()"
        )
        response.headers.setdefault("X-Robots-Tag", "noindex, nofollow")
        response.headers.setdefault("Cache-Control", "private, no-cache")
        return response


class CompressedText(GZipMiddleware):
    """Compresses text responses; pictures and archives are already compressed."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not response.get("Content-Type", "").startswith(_COMPRESSIBLE):
            return response
        return super().process_response(request, response)
