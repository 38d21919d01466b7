"""Rate limits: count requests in a sliding window, and return 429 if there are too many.

`RateLimits` counts pages as their URLs say (`limited`); `config.api.throttles` counts the API, where the person is
known by the token. All web workers share the counters: files on one machine, Redis for several (REDIS_URL). While Redis
is away each machine counts in files, while a disk is full each process counts in memory: limits hold, and people can
sign in.
"""

import fcntl
import hashlib
import math
import struct
import threading
import time
from contextlib import suppress
from functools import cache
from ipaddress import IPv6Address, IPv6Network
from pathlib import Path
from typing import Any, Protocol, cast

import redis
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _

from config.web.error_pages import failure
from config.web.fallbacks import Fallbacks
from config.web.rate_limit_table import Rate

_BY_THE_HOUR = ("export", "access")
"""Limits of few requests an hour; a form that comes back with an error is not counted."""

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

PROOFS = {
    "account_login",
    "account_reauthenticate",
    "account_change_password",
    "mfa_authenticate",
    "mfa_reauthenticate",
    "mfa_reauthenticate_webauthn",
    "mfa_activate_totp",
}
"""The pages that try a password or a code; a correct one redirects and is not counted."""


class Counters(Protocol):
    """Times of requests by key, shared by all workers."""

    def spend(self, key: str, rate: Rate) -> float | None:
        """Count one request. Return the seconds until the next one is allowed.

        Returns None if this one is allowed.
        """

    def give_back(self, key: str) -> None:
        """Remove the newest time of the key."""


class FileCounters:
    """Counters as one small, locked file of times per key; for many processes on one machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def spend(self, key: str, rate: Rate) -> float | None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._path(key).open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            now = time.time()
            times = [when for when in self._read(file) if now - rate.seconds < when <= now]
            if len(times) >= rate.count:
                return times[-rate.count] + rate.seconds - now
            self._write(file, [*times, now])
            return None

    def give_back(self, key: str) -> None:
        with self._path(key).open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self._write(file, self._read(file)[:-1])

    def forget(self, older_than: float) -> int:
        """Remove the files that have not changed for that many seconds. Return their number."""
        removed = 0
        for path in self._folder.glob("*"):
            if path.stat().st_mtime < time.time() - older_than:
                path.unlink(missing_ok=True)
                removed += 1
        return removed

    def _path(self, key: str) -> Path:
        return self._folder / hashlib.sha256(key.encode()).hexdigest()[:32]

    @staticmethod
    def _read(file: "BinaryFile") -> list[float]:
        file.seek(0)
        content = file.read()
        return [when for (when,) in struct.iter_unpack("<d", content[: len(content) // 8 * 8])]

    @staticmethod
    def _write(file: "BinaryFile", times: list[float]) -> None:
        file.truncate(0)
        file.write(struct.pack(f"<{len(times)}d", *times))
        file.flush()


class BinaryFile(Protocol):
    """The methods of a file that `FileCounters` uses."""

    def seek(self, offset: int) -> int: ...
    def read(self) -> bytes: ...
    def write(self, content: bytes) -> int: ...
    def truncate(self, size: int) -> int: ...
    def flush(self) -> None: ...


_SPEND = """
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1e6
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then
  local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  return tostring(first[2] + ARGV[2] - now)
end
redis.call('ZADD', KEYS[1], now, string.format('%.6f', now) .. redis.call('INCR', KEYS[1] .. ':n'))
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[1] .. ':n', ARGV[2])
return false
"""


class RedisCounters:
    """Counters as a sorted set of times per key in Redis; for several machines."""

    def __init__(self, url: str) -> None:
        self._server = redis.Redis.from_url(url, socket_timeout=3, socket_connect_timeout=3)
        self._spend = self._server.register_script(_SPEND)

    def spend(self, key: str, rate: Rate) -> float | None:
        wait = self._spend(keys=[f"interplay:rate:{key}"], args=[rate.count, rate.seconds])
        return None if wait is None else max(0.0, float(cast(bytes, wait)))

    def give_back(self, key: str) -> None:
        self._server.zpopmax(f"interplay:rate:{key}")


class MemoryCounters:
    """Times in this process's memory, for as long as nothing else can be written."""

    MOST_KEYS = 10_000

    def __init__(self) -> None:
        self._times: dict[str, list[float]] = {}
        self._lock = threading.Lock()

    def spend(self, key: str, rate: Rate) -> float | None:
        with self._lock:
            now = time.monotonic()
            times = [when for when in self._times.pop(key, []) if now - rate.seconds < when]
            allowed = len(times) < rate.count
            self._times[key] = [*times, now] if allowed else times
            if len(self._times) > self.MOST_KEYS:
                del self._times[next(iter(self._times))]  # the key that was used least lately
            return None if allowed else times[-rate.count] + rate.seconds - now

    def give_back(self, key: str) -> None:
        with self._lock:
            self._times[key] = self._times.get(key, [])[:-1]


@cache
def counters() -> Fallbacks[Counters]:
    """Return the counters that the site is configured with, and those that serve while they are away."""
    stores: list[Counters] = [RedisCounters(settings.REDIS_URL)] if settings.REDIS_URL else []
    return Fallbacks([*stores, FileCounters(Path(settings.RATE_LIMITS_FOLDER)), MemoryCounters()])


def spend(name: str, who: str) -> int | None:
    """Count one request of the limit `name` for `who`. Return the whole seconds to wait.

    Returns None if the request is allowed, also if the limit is switched off.
    """
    rate: Rate | None = settings.RATE_LIMITS.get(name)
    if rate is None:
        return None
    allowance = rate
    wait = counters().ask(lambda store: store.spend(f"{name}:{who}", allowance))
    return None if wait is None else max(1, math.ceil(wait))


def give_back(name: str, who: str) -> None:
    """Remove the time that `spend` counted last."""
    if name in settings.RATE_LIMITS:
        counters().ask(lambda store: store.give_back(f"{name}:{who}"))


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


class RateLimits:
    """Counts POST requests by the name of their page, and responses with 404."""

    def __init__(self, get_response: "GetResponse") -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code == 404:
            wait = spend("not_found", caller(request))
            return response if wait is None else too_many(request, wait)
        proving: str | None = getattr(request, "proving_from", None)
        if proving is not None and response.status_code == 302:
            give_back("login", proving)  # the password or code was right; only wrong ones count
        name = _limit_of(request)
        if name in _BY_THE_HOUR and response.status_code == 422:
            give_back(name, caller(request))  # the form came back with an error; nothing was done
        return response

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: object) -> HttpResponse | None:
        name = _limit_of(request)
        if name is None:
            return None
        who = _address(request) if name == "login" else caller(request)
        wait = spend(name, who)
        if wait is not None:
            return too_many(request, wait)
        match = request.resolver_match
        if match and (match.view_name in PROOFS or getattr(match.func, "takes_password", False)):
            request.proving_from = who  # type: ignore[attr-defined]  # ours, read by views
        return None


def _limit_of(request: HttpRequest) -> str | None:
    """Return the name of the limit of a POST request's page.

    Returns None if the page has no limit or the request is no POST.
    """
    match = request.resolver_match
    if match is None or request.method != "POST":
        return None
    limit: str | None = getattr(match.func, "rate_limit", None)
    return limit or ACCOUNT_PAGES.get(match.view_name)


class GetResponse(Protocol):
    """The next layer of middleware."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase: ...
