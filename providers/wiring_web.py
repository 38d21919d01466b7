"""Search engines and the page fetcher, from settings.

Beside `bindings` and `wiring` this is the only module of the package that knows Django.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import BinaryIO

from django.conf import settings
from django.utils.translation import gettext as _

from providers.bindings import NotConfigured
from providers.http import buckets
from providers.http.buckets import BucketAccess
from providers.http.fetch import Fetcher, FetchLimits
from providers.http.post import Poster
from providers.http.safe_urls import FetchFault
from providers.resilience.circuit_breaker import CircuitBreaker
from providers.resilience.rate_limit import ProviderRateLimit
from providers.resilience.retry import RetryPolicy
from providers.search.engines import GOOGLE, LOCAL, SEARXNG, Google, SearchEngine, SearchHit, Searx
from providers.search.faults import SearchFault

_ATTEMPTS = 3
_FILE_BYTES, _BUCKET_BYTES = 100_000_000, 2_000_000_000
"""The largest file of an https address, which passes through memory, and of a bucket, which does not."""


def configured_engines() -> list[str]:
    """Return the search engines that the settings name, the preferred one first; `local` is always among them."""
    named = [
        *([GOOGLE] if settings.GOOGLE_SEARCH_KEY and settings.GOOGLE_SEARCH_ENGINE else []),
        *([SEARXNG] if settings.SEARXNG_URL else []),
        LOCAL,
    ]
    first = settings.SEARCH_ENGINE
    return sorted(named, key=lambda name: name != first)


def search_engine(name: str) -> SearchEngine:
    """Return the search engine that a run planned (`google:web`), behind retries, limits and circuit breaker.

    `local` is not built here: the app that owns the documents answers for it.

    Raises NotConfigured if the settings no longer name the engine.
    """
    word = name.partition(":")[0]
    if word not in configured_engines() or word == LOCAL:
        sentence = _("The search engine %(name)s is not set up on this site.")
        raise NotConfigured(sentence % {"name": word}, code=SearchFault.NOT_SET_UP)
    return _Guarded(_engine(word), _breaker(word), _gate(word))


class _Guarded:
    """A search engine behind rate limit, circuit breaker and retries."""

    def __init__(self, engine: Google | Searx, breaker: CircuitBreaker, gate: ProviderRateLimit) -> None:
        self.name = engine.name
        self._engine, self._breaker, self._gate = engine, breaker, gate

    def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Return the hits; see `SearchEngine.search`. All attempts together end within SEARCH_SECONDS."""
        seconds = float(settings.SEARCH_SECONDS)
        patience = RetryPolicy(
            attempts=min(_ATTEMPTS, settings.MODEL_ATTEMPTS),
            patience=seconds,
            backoff=(min(1.0, settings.MODEL_BACKOFF), float(settings.MODEL_BACKOFF)),
            longest_wait=seconds,
        )
        until = time.monotonic() + seconds
        return patience.ask(lambda: self._once(query, count, until))[0]

    def _once(self, query: str, count: int, until: float) -> Sequence[SearchHit]:
        with self._gate.place_until(until):
            bounds, seconds_left = self._engine.bounds, max(0.1, round(until - time.monotonic(), 1))
            engine = replace(self._engine, bounds=replace(bounds, wall=min(bounds.wall, seconds_left)))
            return self._breaker.watch(lambda: engine.search(query, count))


def page_fetcher() -> Fetcher:
    """Return the process's fetcher; shared, so that a robots.txt is read once."""
    return _fetcher(f"InterplayBot/1.0 (+{settings.SITE_URL})")


def file_fetcher() -> Fetcher:
    """Return the fetcher for files that people import: larger than pages, and with more time."""
    return _file_fetcher(f"InterplayBot/1.0 (+{settings.SITE_URL})")


def copy_from_bucket(address: str, target: BinaryIO) -> None:
    """Write the file behind s3://BUCKET/KEY to `target`. Raises FetchFault with a code and one sentence."""
    bucket, _slash, key = address.removeprefix("s3://").partition("/")
    if not bucket or not key:
        raise FetchFault("bad_url", _("Name the bucket and the file: s3://BUCKET/KEY."))
    if not settings.S3_ACCESS_KEY or not settings.S3_SECRET_KEY:
        raise FetchFault("not_set_up", _("No bucket is set up on this site: set S3_ACCESS_KEY and S3_SECRET_KEY."))
    access = BucketAccess(settings.S3_ENDPOINT, settings.S3_REGION, settings.S3_ACCESS_KEY, settings.S3_SECRET_KEY)
    buckets.copy_from_bucket(access, bucket, key, target, _BUCKET_BYTES)


@lru_cache(maxsize=4)
def _file_fetcher(agent: str) -> Fetcher:
    return Fetcher(agent, limits=FetchLimits(seconds=300, size=_FILE_BYTES), denied=settings.FETCH_DENIED)


def webhook_poster() -> Poster:
    """Return what sends messages to webhooks, within ten seconds each."""
    return _poster(f"Interplay-Webhook/1.0 (+{settings.SITE_URL})", tuple(settings.WEBHOOK_ALLOW))


@lru_cache(maxsize=4)
def _poster(agent: str, receivers: tuple[str, ...]) -> Poster:
    return Poster(agent, receivers=receivers, denied=settings.FETCH_DENIED, limits=FetchLimits(seconds=10))


@lru_cache(maxsize=4)
def _fetcher(agent: str) -> Fetcher:
    return Fetcher(agent, denied=settings.FETCH_DENIED)


def _engine(word: str) -> Google | Searx:
    if word == GOOGLE:
        return Google(settings.GOOGLE_SEARCH_KEY, settings.GOOGLE_SEARCH_ENGINE, settings.GOOGLE_SEARCH_URL)
    return Searx(settings.SEARXNG_URL)


@lru_cache(maxsize=4)
def _breaker(word: str) -> CircuitBreaker:
    return CircuitBreaker(word)


@lru_cache(maxsize=4)
def _gate(word: str) -> ProviderRateLimit:
    return ProviderRateLimit(settings.SEARCHES_AT_ONCE)
