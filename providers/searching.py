"""Web search behind one interface: Google Programmable Search and SearXNG, at addresses of the server's settings only.

The third engine, `local`, looks through documents that an admin uploaded; its rows belong to the site, so that the app
that owns them answers for it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from providers.addresses import FetchFault, checked
from providers.faults import hidden, provider_fault, transport_fault
from providers.messages import ProviderBusy, ProviderError, Refused
from providers.transport import Answer, Bounds, TransportFault, get

GOOGLE, SEARXNG, LOCAL = "google", "searxng", "local"
GOOGLE_ADDRESS = "https://www.googleapis.com/customsearch/v1"
_TITLE, _SNIPPET, _QUERY = 300, 600, 400


@dataclass(frozen=True)
class Hit:
    """One result: a URL that could be fetched, and what the engine says about the page."""

    url: str
    title: str
    snippet: str


class Engine(Protocol):
    """Something that finds pages. `name` is `engine:what`."""

    @property
    def name(self) -> str: ...

    def search(self, query: str, count: int) -> Sequence[Hit]:
        """At most `count` hits, best first; raises ProviderError, ProviderBusy or ProviderPaused."""
        ...


@dataclass(frozen=True)
class Google:
    """Google Programmable Search (the Custom Search JSON API): a key, and the id of the search engine."""

    key: str = field(repr=False)
    engine: str
    address: str = GOOGLE_ADDRESS
    bounds: Bounds = Bounds(wall=20.0)
    name: str = f"{GOOGLE}:web"

    def search(self, query: str, count: int) -> Sequence[Hit]:
        """See `Engine.search`. Google gives ten hits at most."""
        asked = {"key": self.key, "cx": self.engine, "q": query[:_QUERY], "num": str(min(10, max(1, count)))}
        answer = _get(GOOGLE, self.address, asked, self.bounds, secret=self.key)
        return _hits(answer.get("items", ()), "link", "title", "snippet")[:count]


@dataclass(frozen=True)
class Searx:
    """A SearXNG server; its settings must list `json` among the formats."""

    address: str
    bounds: Bounds = Bounds(wall=20.0)
    name: str = f"{SEARXNG}:web"

    def search(self, query: str, count: int) -> Sequence[Hit]:
        """See `Engine.search`."""
        asked = {"q": query[:_QUERY], "format": "json", "safesearch": "0"}
        answer = _get(SEARXNG, f"{self.address.rstrip('/')}/search", asked, self.bounds)
        return _hits(answer.get("results", ()), "url", "title", "content")[:count]


def _get(provider: str, address: str, asked: Mapping[str, str], bounds: Bounds, secret: str = "") -> Mapping[str, Any]:
    """The JSON object that the engine answers."""
    try:
        answer = get(address, asked, bounds)
    except TransportFault as fault:
        raise transport_fault(provider, fault) from fault
    except ValueError as fault:
        raise ProviderError(f"{provider}: its address in the settings is no URL.", code="bad_request") from fault
    if answer.status != 200:
        raise _fault(provider, answer, secret)
    try:
        found = json.loads(answer.content)
    except ValueError:
        raise ProviderBusy(f"{provider} answered 200 with something that is not JSON") from None
    if not isinstance(found, dict):
        raise ProviderBusy(f"{provider} answered 200 with JSON that is no search result")
    return found


def _fault(provider: str, answer: Answer, secret: str) -> Exception:
    try:
        said = json.loads(answer.content)
        error = said.get("error") if isinstance(said, dict) else None
    except ValueError:
        error = None
    given = error if isinstance(error, dict) else {}
    message = hidden(str(given.get("message") or ""), secret)
    if provider == SEARXNG and answer.status == 403:
        message = "its settings must allow the format json (search: formats)"
    fault = provider_fault(provider, answer.status, str(given.get("status") or ""), message, answer.headers)
    # No engine refuses a query as a model does.
    return ProviderError(str(fault)) if isinstance(fault, Refused) else fault


def _hits(rows: Any, url: str, title: str, snippet: str) -> list[Hit]:
    """The rows that name a page which may be fetched; an engine's mistakes are passed over."""
    hits, seen = [], set()
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        try:
            address = checked(str(row.get(url) or "").strip()).url
        except FetchFault:
            continue
        if address not in seen:
            seen.add(address)
            hits.append(Hit(address, _plain(row.get(title), _TITLE), _plain(row.get(snippet), _SNIPPET)))
    return hits


def _plain(text: Any, most: int) -> str:
    words = " ".join(str(text or "").replace("\x00", "").encode("utf-8", "replace").decode("utf-8").split())
    return words if len(words) <= most else words[: most - 1] + "…"
