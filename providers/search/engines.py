"""Web search behind one interface: Google Programmable Search and SearXNG, at addresses of the settings only.

The third engine, `local`, searches documents that an admin uploaded; the app that owns those rows implements it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from providers.http.errors import error_of_status, error_of_transport, hide_key
from providers.http.safe_urls import FetchFault, check_url
from providers.http.transport import Bounds, HttpAnswer, TransportFault, http_get
from providers.messages import ProviderBusy, ProviderError, Refused

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

    def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Return the hits; see `SearchEngine.search`. Google gives ten at most."""
        parameters = {"key": self.key, "cx": self.engine, "q": query[:_QUERY], "num": str(min(10, max(1, count)))}
        answer = _get(GOOGLE, self.address, parameters, self.bounds, secret=self.key)
        return _hits(answer.get("items", ()), "link", "title", "snippet")[:count]


@dataclass(frozen=True)
class Searx:
    """A SearXNG server; its settings must list `json` among the formats."""

    address: str
    bounds: Bounds = Bounds(wall=20.0)
    name: str = f"{SEARXNG}:web"

    def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Return the hits; see `SearchEngine.search`."""
        parameters = {"q": query[:_QUERY], "format": "json", "safesearch": "0"}
        answer = _get(SEARXNG, f"{self.address.rstrip('/')}/search", parameters, self.bounds)
        return _hits(answer.get("results", ()), "url", "title", "content")[:count]


def _get(
    provider: str, address: str, parameters: Mapping[str, str], bounds: Bounds, secret: str = ""
) -> Mapping[str, Any]:
    """Return the JSON object that the engine answers."""
    try:
        answer = http_get(address, parameters, bounds)
    except TransportFault as fault:
        raise error_of_transport(provider, fault) from fault
    except ValueError as fault:
        raise ProviderError(f"{provider}: its address in the settings is no URL.", code="bad_request") from fault
    if answer.status != 200:
        raise _fault(provider, answer, secret)
    try:
        content = json.loads(answer.content)
    except ValueError:
        raise ProviderBusy(f"{provider} answered 200 with something that is not JSON") from None
    if not isinstance(content, dict):
        raise ProviderBusy(f"{provider} answered 200 with JSON that is no search result")
    return content


def _fault(provider: str, answer: HttpAnswer, secret: str) -> Exception:
    try:
        content = json.loads(answer.content)
        error = content.get("error") if isinstance(content, dict) else None
    except ValueError:
        error = None
    details = error if isinstance(error, dict) else {}
    message = hide_key(str(details.get("message") or ""), secret)
    if provider == SEARXNG and answer.status == 403:
        message = "its settings must allow the format json (search: formats)"
    fault = error_of_status(provider, answer.status, str(details.get("status") or ""), message, answer.headers)
    # No engine refuses a query as a model does.
    return ProviderError(str(fault)) if isinstance(fault, Refused) else fault


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
