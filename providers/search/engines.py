"""Web search behind one interface: Google Programmable Search and SearXNG, at addresses of the settings only.

The third engine, `local`, searches documents that an admin uploaded; the app that owns those rows implements it.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from urllib.parse import urlsplit

from providers.http import transport
from providers.http.bounds import Bounds, HttpAnswer, Redirected, TimedOut, TooLarge, TransportFault, Unreachable
from providers.http.errors import error_of_status, error_of_transport, hide_key
from providers.http.fetch import system_resolve
from providers.http.safe_urls import FetchFault, check_url
from providers.messages import ProviderBusy, ProviderError, ProviderPaused, Refused
from providers.search.faults import SearchFault

Resolve = Callable[[str, int, float], Sequence[str]]
"""Returns the addresses of a host and port within so many seconds, as `providers.http.fetch.system_resolve` does."""

GOOGLE, SEARXNG, LOCAL = "google", "searxng", "local"
GOOGLE_ADDRESS = "https://www.googleapis.com/customsearch/v1"
_TITLE, _SNIPPET, _QUERY = 300, 600, 400


@dataclass(frozen=True)
class SearchHit:
    """One result: a URL that may be fetched, and what the engine says about the page."""

    url: str
    title: str
    snippet: str


class SearchEngine(Protocol):
    """Something that finds pages. `name` is `engine:what`."""

    @property
    def name(self) -> str: ...

    def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Return at most `count` hits, best first.

        Raises ProviderError, ProviderBusy or ProviderPaused.
        """
        ...


@dataclass(frozen=True)
class Google:
    """Google Programmable Search (the Custom Search JSON API): a key, and the id of the search engine."""

    key: str = field(repr=False)
    engine: str
    address: str = GOOGLE_ADDRESS
    bounds: Bounds = Bounds(wall=20.0)
    name: str = f"{GOOGLE}:web"
    resolve: Resolve = field(default=system_resolve, repr=False)

    def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Return the hits; see `SearchEngine.search`. Google gives ten at most."""
        parameters = {"key": self.key, "cx": self.engine, "q": query[:_QUERY], "num": str(min(10, max(1, count)))}
        answer = _get(GOOGLE, self.address, parameters, self.bounds, self.resolve, secret=self.key)
        return _hits(answer.get("items", ()), "link", "title", "snippet")[:count]


@dataclass(frozen=True)
class Searx:
    """A SearXNG server; its settings must list `json` among the formats."""

    address: str
    bounds: Bounds = Bounds(wall=20.0)
    name: str = f"{SEARXNG}:web"
    resolve: Resolve = field(default=system_resolve, repr=False)

    def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Return the hits; see `SearchEngine.search`."""
        parameters = {"q": query[:_QUERY], "format": "json", "safesearch": "0"}
        answer = _get(SEARXNG, f"{self.address.rstrip('/')}/search", parameters, self.bounds, self.resolve)
        rows = answer.get("results")
        if not isinstance(rows, list):
            raise _no_results(SEARXNG)
        if not rows and (silent := _silent_sources(answer.get("unresponsive_engines"))):
            sentence = f"{SEARXNG} found nothing, and of its sources these did not answer: {silent}"
            raise ProviderError(sentence, code=SearchFault.NO_SOURCE)
        return _hits(rows, "url", "title", "content")[:count]


def _get(
    provider: str, address: str, parameters: Mapping[str, str], bounds: Bounds, resolve: Resolve, secret: str = ""
) -> Mapping[str, Any]:
    """Return the JSON object that the engine answers."""
    try:
        bounds_left = replace(bounds, wall=_wall_after_lookup(address, bounds.wall, resolve))
        answer = transport.http_get(address, parameters, bounds_left)
    except TransportFault as fault:
        raise _unanswered(provider, fault) from fault
    except ValueError as fault:
        sentence = f"{provider}: its address in the settings is no URL."
        raise ProviderError(sentence, code=SearchFault.NOT_SET_UP) from fault
    if answer.status != 200:
        raise _fault(provider, answer, secret)
    if not answer.content.strip():
        raise ProviderBusy(f"{provider} answered 200 with an empty body", code=SearchFault.EMPTY)
    try:
        content = json.loads(answer.content)
    except (ValueError, RecursionError):
        what = "a page of HTML" if answer.content.lstrip()[:1] == b"<" else "something"
        raise ProviderBusy(
            f"{provider} answered 200 with {what} that is not JSON", code=SearchFault.NOT_RESULTS
        ) from None
    if not isinstance(content, dict):
        raise _no_results(provider)
    return content


def _wall_after_lookup(address: str, seconds: float, resolve: Resolve) -> float:
    """Return the seconds that are left once the name server has answered; connecting alone would wait for it for ever.

    Raises TransportFault if it does not answer in time or knows no such host, ValueError if the address is no URL.
    """
    began, parts = time.monotonic(), urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("no URL")
    try:
        resolve(parts.hostname, parts.port or 0, seconds)
    except TimeoutError as fault:
        raise TimedOut("the name server did not answer in time") from fault
    except OSError as fault:
        raise Unreachable(f"the name server knows no {parts.hostname}") from fault
    return max(0.1, round(seconds - (time.monotonic() - began), 1))


def _no_results(provider: str) -> ProviderBusy:
    return ProviderBusy(f"{provider} answered 200 with JSON that is no search result", code=SearchFault.NOT_RESULTS)


def _unanswered(provider: str, fault: TransportFault) -> ProviderError:
    error = (
        ProviderBusy(f"{provider}: {fault}") if isinstance(fault, Redirected) else error_of_transport(provider, fault)
    )
    names = {TimedOut: SearchFault.TIMEOUT, TooLarge: SearchFault.TOO_LARGE}
    error.code = names.get(type(fault), SearchFault.UNREACHABLE)
    return error


def _silent_sources(rows: Any) -> str:
    """Return the sources of a SearXNG server that did not answer, each with the reason that it gives."""
    pairs = [row for row in rows if isinstance(row, list) and row] if isinstance(rows, list) else []
    return _plain("; ".join(": ".join(str(part) for part in row[:2]) for row in pairs[:5]), _TITLE)


def _fault(provider: str, answer: HttpAnswer, secret: str) -> ProviderError:
    try:
        content = json.loads(answer.content)
        given = content.get("error") if isinstance(content, dict) else None
    except (ValueError, RecursionError):
        given = None
    details = given if isinstance(given, dict) else {}
    message = hide_key(str(details.get("message") or ""), secret)
    if provider == SEARXNG and answer.status == 403:
        message = "its settings must allow the format json (search: formats)"
    fault = error_of_status(provider, answer.status, str(details.get("status") or ""), message, answer.headers)
    # No engine refuses a query as a model does.
    error = ProviderError(str(fault)) if isinstance(fault, Refused) else fault
    if isinstance(error, ProviderPaused):  # what may be unclear of a post is not of a query
        error = ProviderPaused(str(error), retry_after=error.retry_after)
    error.code = _name_of_status(answer.status, error)
    return error


def _name_of_status(status: int, error: ProviderError) -> SearchFault:
    if isinstance(error, ProviderPaused):
        return SearchFault.TURNED_AWAY
    if status == 429:
        return SearchFault.BUSY
    return SearchFault.REJECTED if 400 <= status < 500 else SearchFault.SERVER_ERROR


def _hits(rows: Any, url: str, title: str, snippet: str) -> list[SearchHit]:
    """Return the rows that name a page which may be fetched; ignore malformed rows."""
    hits, seen = [], set()
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        try:
            address = check_url(str(row.get(url) or "").strip()).url
        except FetchFault:
            continue
        if address not in seen:
            seen.add(address)
            hits.append(SearchHit(address, _plain(row.get(title), _TITLE), _plain(row.get(snippet), _SNIPPET)))
    return hits


def _plain(text: Any, most: int) -> str:
    words = " ".join(str(text or "").replace("\x00", "").encode("utf-8", "replace").decode("utf-8").split())
    return words if len(words) <= most else words[: most - 1] + "…"
