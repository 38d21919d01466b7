"""From settings to search engines and the fetcher: beside `wiring` the one module of this package that knows Django."""

from collections.abc import Sequence
from functools import lru_cache

from django.conf import settings
from django.utils.translation import gettext as _

from providers.breaking import Breaker
from providers.fetching import Fetcher
from providers.limiting import Gate
from providers.retrying import Patience
from providers.searching import GOOGLE, LOCAL, SEARXNG, Engine, Google, Hit, Searx
from providers.wiring import NotConfigured


def engines() -> list[str]:
    """The search engines that the settings name, the preferred one first; `local` is always among them."""
    named = [
        *([GOOGLE] if settings.GOOGLE_SEARCH_KEY and settings.GOOGLE_SEARCH_ENGINE else []),
        *([SEARXNG] if settings.SEARXNG_URL else []),
        LOCAL,
    ]
    first = settings.SEARCH_ENGINE
    return sorted(named, key=lambda name: name != first)


def engine(name: str) -> Engine:
    """The search engine that a run planned (`google:web`), behind retries, limits and breaker.

    Raises NotConfigured where the settings no longer name it; `local` is the app's that owns the documents.
    """
    word = name.partition(":")[0]
    if word not in engines() or word == LOCAL:
        raise NotConfigured(_("The search engine %(name)s is not set up on this site.") % {"name": word})
    return _Guarded(_engine(word), _breaker(word), _gate(word))


class _Guarded:
    """An engine behind gate, breaker and patience."""

    def __init__(self, engine: Engine, breaker: Breaker, gate: Gate) -> None:
        self.name = engine.name
        self._engine, self._breaker, self._gate = engine, breaker, gate

    def search(self, query: str, count: int) -> Sequence[Hit]:
        """See `Engine.search`."""
        backoff = (min(1.0, settings.MODEL_BACKOFF), float(settings.MODEL_BACKOFF))
        attempts = min(3, settings.MODEL_ATTEMPTS)
        patience = Patience(attempts=attempts, backoff=backoff, is_away=self._breaker.is_away)
        return patience.ask(lambda: self._once(query, count))[0]

    def _once(self, query: str, count: int) -> Sequence[Hit]:
        with self._gate:
            return self._breaker.watch(lambda: self._engine.search(query, count))


def fetcher() -> Fetcher:
    """The site's fetcher; one for the process, so that robots.txt is asked for once."""
    return _fetcher(f"InterplayBot/1.0 (+{settings.SITE_URL})")


@lru_cache(maxsize=4)
def _fetcher(agent: str) -> Fetcher:
    return Fetcher(agent)


def _engine(word: str) -> Engine:
    if word == GOOGLE:
        return Google(settings.GOOGLE_SEARCH_KEY, settings.GOOGLE_SEARCH_ENGINE, settings.GOOGLE_SEARCH_URL)
    return Searx(settings.SEARXNG_URL)


@lru_cache(maxsize=4)
def _breaker(word: str) -> Breaker:
    return Breaker(word)


@lru_cache(maxsize=4)
def _gate(word: str) -> Gate:
    return Gate(settings.SEARCHES_AT_ONCE)
