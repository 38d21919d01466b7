"""The results of searches and fetches as JSON that becomes a turn.

The roles are not models' roles: the site's settings decide what searches and fetches, never a user.
"""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, Field

from providers.http.fetch import FetchedPage, Fetcher
from providers.http.safe_urls import FetchFault
from providers.messages import ProviderBusy, ProviderError
from providers.pages.dates import not_after
from providers.pages.source import NOT_SAID
from providers.pages.text import read_page
from providers.search.engines import SearchEngine
from providers.search.faults import fault_named

SEARCHER, FETCHER = "searcher", "fetcher"
_FAULT = 400


class FoundPage(BaseModel):
    """One hit of a search."""

    url: str
    title: str = ""
    snippet: str = ""


class SearchAnswer(BaseModel):
    """The result of a search by an engine (`engine:what`), or `code` and `fault` that say why there is none."""

    hits: list[FoundPage]
    engine: str = ""
    code: str = ""
    fault: str = ""


class FetchAnswer(BaseModel):
    """The result of fetching a page: its text, or `code` and `fault` that say why there is none.

    `sha256` is of the bytes received, `bytes` their number, `fetched_at` an ISO time (UTC). In the text of a PDF a form
    feed stands between pages. From `comments_at` on it is what readers wrote under the page; 0: nothing is. `source` is
    what the page states of itself (`source.PageSource`); a date after it was fetched is none.
    """

    url: str
    type: str = ""
    encoding: str = ""
    language: str = ""
    title: str = ""
    text: str = ""
    sha256: str = ""
    bytes: int = 0
    fetched_at: str = ""
    cut: bool = False
    comments_at: int = 0
    source: dict[str, Any] = Field(default_factory=NOT_SAID.as_json)
    code: str = ""
    fault: str = ""


def search(engine: SearchEngine, query: str, count: int) -> dict[str, Any]:
    """Return a SearchAnswer as JSON.

    A search that fails is an answer: the run continues with another engine or without one.
    """
    try:
        hits = engine.search(query, count)
    except ProviderError as error:
        return failed_search(engine.name, error)
    pages = [FoundPage(url=hit.url, title=hit.title, snippet=hit.snippet) for hit in hits]
    return SearchAnswer(hits=pages, engine=engine.name).model_dump(mode="json")


def failed_search(engine: str, error: ProviderError) -> dict[str, Any]:
    """Return the answer of a search that ended with this error, as JSON."""
    asks = error.retry_after if isinstance(error, ProviderBusy) else None
    sentence = f"{error}; it asks for a pause of {asks:,.0f} s" if asks else str(error)
    answer = SearchAnswer(hits=[], engine=engine, code=fault_named(error), fault=sentence[:_FAULT])
    return answer.model_dump(mode="json")


def fetch(fetcher: Fetcher, url: str) -> dict[str, Any]:
    """Return a FetchAnswer as JSON. A page that cannot be fetched is an answer: the run continues without it (F29)."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        page = fetcher.fetch(url)
    except FetchFault as fault:
        return FetchAnswer(url=url, fetched_at=now, code=fault.code, fault=fault.sentence).model_dump(mode="json")
    return read_answer(page, now).model_dump(mode="json")


def read_answer(page: FetchedPage, fetched_at: str) -> FetchAnswer:
    """Return what is read of a page that was received."""
    read = read_page(page)
    return FetchAnswer(
        url=page.url,
        type=read.media_type,
        encoding=read.encoding,
        language=read.language,
        title=read.title,
        text=read.text,
        sha256=hashlib.sha256(page.content).hexdigest(),
        bytes=len(page.content),
        fetched_at=fetched_at,
        cut=read.cut,
        comments_at=read.comments_at,
        source=_believable(read.source, fetched_at),
        code=read.code,
        fault=read.fault,
    )


def _believable(source: Mapping[str, Any], fetched_at: str) -> dict[str, Any]:
    moment = datetime.fromisoformat(fetched_at) if fetched_at else datetime.now(UTC)
    dates = {name: not_after(source.get(name) or "", moment) or None for name in ("published", "changed")}
    return {**source, **dates}
