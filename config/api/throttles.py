"""The API's rate limits per user: only the API knows the person behind a token."""

from typing import Any

from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from config.web.rate_counters import Full
from config.web.rate_limits import caller, note_place, take_place, whole_seconds


class UserRateThrottle(BaseThrottle):
    """Counts reads as `api_read`, and all else as the view's `rate` (a name of RATE_LIMITS) or `submit`.

    The middleware `RateLimits` gives the place of a refused request back.
    """

    def __init__(self) -> None:
        self._wait: int | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        name = "api_read" if request.method in SAFE_METHODS else getattr(view, "rate", "submit")
        place = take_place(name, caller(request))
        if isinstance(place, Full):
            self._wait = whole_seconds(place)
            return False
        if name != "api_read":
            note_place(request._request, place)
        return True

    def wait(self) -> float | None:
        return self._wait
