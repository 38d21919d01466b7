"""Rate limits: count requests in a sliding window, and return 429 if there are too many.

`RateLimits` counts pages as their URLs say (`limited`); `config.api.throttles` counts the API, where the person is
known by the token. Passwords and codes take a second place, for their account (`config.web.guesses`). A request takes a
place before it is answered. What it did decides whether it keeps it: limits of work (imports, releases, runs …) count
what was done, limits of guesses count what was wrong. All web workers share the counters: files on one machine, Redis
for several (REDIS_URL). While Redis is away each machine counts in files, while a disk is full each process counts in
memory: limits hold, and people can sign in.
"""

import math
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv6Address, IPv6Network
from pathlib import Path
from typing import Any, Protocol

from allauth.account.forms import ChangePasswordForm
from django.conf import settings
from django.contrib.messages import SUCCESS, get_messages
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _

from config.web.error_pages import failure
from config.web.fallbacks import Fallbacks
from config.web.guesses import guess_of, remember_browser
from config.web.rate_counters import Counters, FileCounters, Full, MemoryCounters, RedisCounters
from config.web.rate_limit_table import GUESSES, OF_AN_ACCOUNT, Rate

ACCOUNT_PAGES = {
    "account_login": "login",
    "account_reauthenticate": "login",
    "account_change_password": "login",
    "account_set_password": "login",
    "account_reset_password": "login",
    "account_reset_password_from_key": "login",
    "mfa_authenticate": "login",
    "mfa_reauthenticate": "login",
    "mfa_reauthenticate_webauthn": "login",
    "mfa_activate_totp": "login",
    "openid_connect_login": "login",
}
"""The pages of allauth whose POST requests are limited. The apps limit their own pages in their `urls.py`."""

PROOFS = ACCOUNT_PAGES.keys() - {"account_set_password", "account_reset_password"}
"""The pages that try a password, a code or a link; a correct one redirects and is not counted."""

PATIENCE = 8.0
"""The longest time in seconds that a sign-in waits for others from its address whose passwords are being checked."""
_LOOK_AGAIN = 0.05


@cache
def counters() -> Fallbacks[Counters]:
    """Return the counters that the site is configured with, and those that serve while they are away."""
    stores: list[Counters] = [RedisCounters(settings.REDIS_URL)] if settings.REDIS_URL else []
    return Fallbacks([*stores, FileCounters(Path(settings.RATE_LIMITS_FOLDER)), MemoryCounters()])


@dataclass(frozen=True)
class Place:
    """The place that one request takes within a limit."""

    name: str
    who: str
    ticket: int
    proof: bool = False

    def keep(self) -> None:
        """Count the request for good."""
        counters().ask(lambda store: store.settle(f"{self.name}:{self.who}", self.ticket))

    def give_back(self) -> None:
        """Count the request no longer."""
        counters().ask(lambda store: store.give_back(f"{self.name}:{self.who}", self.ticket))


def take_place(name: str, who: str, *, proof: bool = False) -> Place | Full | None:
    """Take a place within the limit `name` for `who`; a `proof` waits while others of the same key are being checked.

    Returns None if the limit is switched off.
    """
    rate: Rate | None = settings.RATE_LIMITS.get(name)
    if rate is None:
        return None
    allowance, place = rate, Place(name, who, secrets.randbits(63) + 1, proof)
    latest = time.monotonic() + (PATIENCE if proof else 0)
    while True:
        full = counters().ask(lambda store: store.spend(f"{name}:{who}", allowance, place.ticket))
        if full is None:
            return place
        if not (proof and full.under_way):
            return full
        if time.monotonic() >= latest:
            return Full(1, under_way=True)
        if not connection.in_atomic_block:
            connection.close()  # others need it while this request waits
        time.sleep(_LOOK_AGAIN)


def spend(name: str, who: str) -> int | None:
    """Count one request of the limit `name` for `who`. Return the whole seconds to wait.

    Returns None if the request is allowed, also if the limit is switched off.
    """
    place = take_place(name, who)
    return whole_seconds(place) if isinstance(place, Full) else None


def whole_seconds(full: Full) -> int:
    """Return the whole seconds to wait."""
    return max(1, math.ceil(full.wait))


def too_many(request: HttpRequest, wait: int) -> HttpResponse:
    """Return 429 with the seconds to wait."""
    detail = _("That was too fast. Nothing was stored; wait %(wait)s seconds and try again.") % {"wait": wait}
    return failure(request, 429, "too_many", detail, retry_after=wait)


def caller(request: Any) -> str:
    """Return the key of the caller: the user, or before login the address."""
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return f"user:{user.pk}"
    return _address(request)


def _address(request: Any) -> str:
    """Return the key of the caller's address; of IPv6 the first 64 bits, since one household has all of the rest."""
    address: str = request.META.get("REMOTE_ADDR", "")
    with suppress(ValueError):
        known = IPv6Address(address)
        address = str(known.ipv4_mapped or IPv6Network((known, 64), strict=False))
    return f"address:{address}"


def note_place(request: HttpRequest, place: Place | None) -> list[Place]:
    """Note the place that a request took: `RateLimits` gives it back if the request is refused. Return the list."""
    places = [place] if place else []
    vars(request)["rate_places"] = places
    return places


class RateLimits:
    """Counts requests that change something by the name of their page, and responses with 404."""

    def __init__(self, get_response: "GetResponse") -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        remember_browser(request, response)
        places: list[Place] = getattr(request, "rate_places", [])
        is_refused = [_close(request, place, response) for place in places]
        name = "not_found" if response.status_code == 404 else "refused" if any(is_refused) else None
        wait = spend(name, caller(request)) if name else None
        return response if wait is None else too_many(request, wait)

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: object) -> HttpResponse | None:
        match = request.resolver_match
        if match is None or request.method != "POST":
            return None
        name: str | None = getattr(match.func, "rate_limit", None) or ACCOUNT_PAGES.get(match.view_name)
        if name is None:
            return None
        who = _address(request) if name == "login" else caller(request)
        is_proof = match.view_name in PROOFS or getattr(match.func, "takes_proof", False)
        if is_proof:
            request.POST  # noqa: B018  # a body that comes slowly holds no place that others wait for
        place = take_place(name, who, proof=is_proof and who.startswith("address:"))
        if isinstance(place, Full):
            return too_many(request, whole_seconds(place))
        places = note_place(request, place)
        return _account_is_full(request, match.view_name, places) if is_proof and name == "login" else None


def _account_is_full(request: HttpRequest, view_name: str, places: list[Place]) -> HttpResponse | None:
    """Add a place of the account whose password or code is tried. Returns None if there is one."""
    guess = guess_of(request, view_name)
    place = take_place(guess.limit, guess.who, proof=True) if guess else None
    if guess and isinstance(place, Full):
        if not place.under_way:
            guess.tell_owner()
        response = too_many(request, whole_seconds(place))
        response.looked_at_nothing = True  # type: ignore[attr-defined]  # ours, read when the places are closed
        return response
    if isinstance(place, Place):
        places.append(place)
    return None


def _close(request: HttpRequest, place: Place, response: HttpResponseBase) -> bool:
    """Let the request count, or not. Return whether it was refused and does not count."""
    looked_at_nothing = getattr(response, "looked_at_nothing", False)
    if place.name in OF_AN_ACCOUNT:
        counts = not _was_right(response) and response.status_code != 403  # a form without its token was not read
    elif place.name in GUESSES:
        counts = not (looked_at_nothing or (place.proof and _was_right(response)))
    else:
        counts = not _did_nothing(request, response)
    if counts:
        place.keep()
    else:
        place.give_back()
    return looked_at_nothing or (not counts and place.name not in GUESSES)


def _was_right(response: HttpResponseBase) -> bool:
    """Return whether a proof was right. The form of a new password may still come back, if that is too weak."""
    form = (getattr(response, "context_data", None) or {}).get("form")
    is_new_password_refused = isinstance(form, ChangePasswordForm) and "oldpassword" not in form.errors
    return response.status_code == 302 or is_new_password_refused


def _did_nothing(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Return whether the request was refused before any work: by its status, or by a message on the next page."""
    if getattr(response, "worked", False):
        return False
    if 300 <= response.status_code < 400:
        said = [message.level for message in getattr(get_messages(request), "_queued_messages", ())]
        return bool(said) and SUCCESS not in said
    return 400 <= response.status_code < 500 or response.status_code == 503


class GetResponse(Protocol):
    """The next layer of middleware."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase: ...
