"""The API's rate limits per user: only the API knows the person behind a token."""

from typing import Any

from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from config.web.rate_limits import caller, spend


class UserRateThrottle(BaseThrottle):
    """Counts reads as `api_read`, and all else as the view's `rate` (a name of RATE_LIMITS) or `submit`."""

    def __init__(self) -> None:
        self._wait: int | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        name = "api_read" if request.method in SAFE_METHODS else getattr(view, "rate", "submit")
        self._wait = spend(name, caller(request))
        return self._wait is None

    def wait(self) -> float | None:
        return self._wait
