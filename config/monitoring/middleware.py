"""Count every request with the name of its view, method, status and duration. Installed only where it is wanted.

Ours and not django-prometheus: its outer middleware knows no view, and its inner one sees no answer of a middleware,
such as 429 or 503. So neither counts refusals by status. It also keeps twenty numbers where two are needed.
"""

import logging
import time
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.monitoring import counters

log = logging.getLogger(__name__)

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_NO_VIEW = "none"
"""The view of requests whose address leads nowhere, or that were refused before it was looked at."""


class RequestCounts:
    """The outermost middleware: it sees the answer that is sent, whoever gave it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._has_failed = False

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        response = self._get_response(request)
        try:
            _count(request, response.status_code, time.perf_counter() - began)
        except Exception:  # a disk that takes no more must not cost the answer
            if not self._has_failed:
                log.exception("A request was not counted. This process says so once.")
            self._has_failed = True
        return response


def _count(request: HttpRequest, status: int, seconds: float) -> None:
    view = request.resolver_match.view_name if request.resolver_match else _NO_VIEW
    method = request.method if request.method in _METHODS else "other"
    counters.REQUESTS.labels(view, method, status).inc()
    counters.REQUEST_SECONDS.labels(view).observe(seconds)
