"""Counting what people do in a sliding window, and answering 429 when it is too much.

Pages are counted by `RateLimits`, as their URLs say (`limited`); the API by `config.api.throttles`, where the person
behind a token is known. Counters are shared by all web workers: files on one machine, Redis for several (REDIS_URL).
"""

import fcntl
import hashlib
import logging
import math
import struct
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Protocol, cast

import redis
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _

from config.web.error_pages import failure
from config.web.rate_limit_table import Rate

log = logging.getLogger(__name__)

_BY_THE_HOUR = ("export", "access")
"""Few in an hour, so that a form with a slip of the pen is not one of them."""

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
"""The pages of allauth whose posts are limited. The apps name the limits of their own pages in their `urls.py`."""

PROOFS = {
    "account_login",
    "account_reauthenticate",
    "account_change_password",
    "mfa_authenticate",
    "mfa_reauthenticate",
    "mfa_reauthenticate_webauthn",
    "mfa_activate_totp",
}
"""Pages where a password or code is tried: the right one leads on and is not counted."""


class Counters(Protocol):
    """Times of what was done, by key, shared by all workers."""

    def spend(self, key: str, rate: Rate) -> float | None:
        """Count one; None if it was allowed, else the seconds until the next one is."""

    def give_back(self, key: str) -> None:
        """Take the newest one off again."""


class FileCounters:
    """One small file of times per key, under a lock; for any number of processes on one machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folder.mkdir(parents=True, exist_ok=True)

    def spend(self, key: str, rate: Rate) -> float | None:
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
        """Remove the files nobody touched for so many seconds; return how many."""
        gone = 0
        for path in self._folder.iterdir():
            if path.stat().st_mtime < time.time() - older_than:
                path.unlink(missing_ok=True)
                gone += 1
        return gone

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
    """The part of a file that `FileCounters` uses."""

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
    """A sorted set of times per key, for several machines."""

    def __init__(self, url: str) -> None:
        self._server = redis.Redis.from_url(url, socket_timeout=3, socket_connect_timeout=3)
        self._spend = self._server.register_script(_SPEND)

    def spend(self, key: str, rate: Rate) -> float | None:
        wait = self._spend(keys=[f"interplay:rate:{key}"], args=[rate.count, rate.seconds])
        return None if wait is None else max(0.0, float(cast(bytes, wait)))

    def give_back(self, key: str) -> None:
        self._server.zpopmax(f"interplay:rate:{key}")


@cache
def counters() -> Counters:
    """The counters this site is set up with."""
    if settings.REDIS_URL:
        return RedisCounters(settings.REDIS_URL)
    return FileCounters(Path(settings.RATE_LIMITS_FOLDER))


def spend(name: str, who: str) -> int | None:
    """Count one `name` for `who`; None if allowed, else whole seconds to wait.

    A limit that is lifted allows all, and so do counters that cannot be reached or written: people can still sign in
    while a disk is full.
    """
    rate: Rate | None = settings.RATE_LIMITS.get(name)
    if rate is None:
        return None
    try:
        wait = counters().spend(f"{name}:{who}", rate)
    except (redis.RedisError, OSError) as fault:
        log.error("Rates are not counted: %s", fault)
        return None
    return None if wait is None else max(1, math.ceil(wait))


def give_back(name: str, who: str) -> None:
    """Take back what `spend` counted last."""
    if name in settings.RATE_LIMITS:
        with suppress(redis.RedisError, OSError):
            counters().give_back(f"{name}:{who}")


def too_many(request: HttpRequest, wait: int) -> HttpResponse:
    """429 with the seconds to wait."""
    detail = _("That was too fast. Nothing was stored; wait %(wait)s seconds and try again.") % {"wait": wait}
    return failure(request, 429, "too_many", detail, retry_after=wait)


def caller(request: Any) -> str:
    """Who is counted: the user, before login the address."""
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return f"user:{user.pk}"
    return f"address:{request.META.get('REMOTE_ADDR', '')}"


class RateLimits:
    """Counts posts by the name of their page, and answers that say not found."""

    def __init__(self, get_response: "GetResponse") -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code == 404:
            wait = spend("not_found", caller(request))
            return response if wait is None else too_many(request, wait)
        proving: str | None = getattr(request, "proving_from", None)
        if proving is not None and response.status_code == 302:
            give_back("login", proving)  # the password or code was right: only wrong tries count
        name = _limit_of(request)
        if name in _BY_THE_HOUR and response.status_code == 422:
            give_back(name, caller(request))  # the form came back: nothing was done
        return response

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: object) -> HttpResponse | None:
        name = _limit_of(request)
        if name is None:
            return None
        who = f"address:{request.META.get('REMOTE_ADDR', '')}" if name == "login" else caller(request)
        wait = spend(name, who)
        if wait is not None:
            return too_many(request, wait)
        match = request.resolver_match
        if match and (match.view_name in PROOFS or getattr(match.func, "takes_password", False)):
            request.proving_from = who  # type: ignore[attr-defined]
        return None


def _limit_of(request: HttpRequest) -> str | None:
    """The limit that the request counts for: the one of its page, for posts."""
    match = request.resolver_match
    if match is None or request.method != "POST":
        return None
    limit: str | None = getattr(match.func, "rate_limit", None)
    return limit or ACCOUNT_PAGES.get(match.view_name)


class GetResponse(Protocol):
    """The next layer of the site."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase: ...
