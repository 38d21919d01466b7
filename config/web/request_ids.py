"""An id for each request: the proxy's if it sends one, else a new one. Logs name it, and the answer repeats it."""

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django.core.signals import request_finished
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from runs import origin

HEADER = "X-Request-ID"
_WELL_FORMED = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._:=-]{{0,{origin.REQUEST_ID_LENGTH - 1}}}")


class RequestIds:
    """The outermost middleware: whatever is logged from now on belongs to this request.

    Django logs a refusal after the last middleware, and a file is sent later still. So the id is forgotten when the
    request is finished, not here.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        sent = request.headers.get(HEADER, "")
        identifier = sent if _WELL_FORMED.fullmatch(sent) else uuid4().hex
        origin.request_id.set(identifier)
        response = self._get_response(request)
        response[HEADER] = identifier
        return response


def _forget(**_: Any) -> None:
    origin.request_id.set("")


request_finished.connect(_forget, dispatch_uid="config.web.request_ids")
