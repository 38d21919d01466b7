"""The results of searches and fetches as JSON that becomes a turn.

The roles are not models' roles: the site's settings decide what searches and fetches, never a user.
"""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from providers.http.fetch import Fetcher
from providers.http.html_text import read_page
from providers.http.safe_urls import FetchFault
from providers.search.engines import SearchEngine, SearchHit

SEARCHER, FETCHER = "searcher", "fetcher"


class FoundPage(BaseModel):
    """One hit of a search."""

    url: str
    title: str = ""
    snippet: str = ""


class SearchAnswer(BaseModel):
    """The result of a search."""

    hits: list[FoundPage]


class FetchAnswer(BaseModel):
    """The result of fetching a page: its text, or `code` and `fault` that say why there is none.

    `sha256` is of the bytes received, `bytes` their number, `fetched_at` an ISO time (UTC).
    """

    url: str
    title: str = ""
    text: str = ""
    sha256: str = ""
    bytes: int = 0
    fetched_at: str = ""
    cut: bool = False
    code: str = ""
    fault: str = ""


def search(engine: SearchEngine, query: str, count: int) -> dict[str, Any]:
    """Return a SearchAnswer as JSON; raise as `SearchEngine.search` does."""
    return search_answer(engine.search(query, count)).model_dump(mode="json")


def fetch(fetcher: Fetcher, url: str) -> dict[str, Any]:
    """Return a FetchAnswer as JSON. A page that cannot be fetched is an answer: the run continues without it (F29)."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        page = fetcher.fetch(url)
    except FetchFault as fault:
        return FetchAnswer(url=url, fetched_at=now, code=fault.code, fault=fault.sentence).model_dump(mode="json")
    text = read_page(page)
    answer = FetchAnswer(
        url=page.url,
        title=text.title,
        text=text.text,
        sha256=hashlib.sha256(page.content).hexdigest(),
        bytes=len(page.content),
        fetched_at=now,
        cut=page.cut or text.cut,
    )
    if not text.text:
        answer.code, answer.fault = "no_text", "The page holds no text to read."
    return answer.model_dump(mode="json")


def search_answer(hits: Sequence[SearchHit]) -> SearchAnswer:
    """Return the hits as an answer."""
    return SearchAnswer(hits=[FoundPage(url=hit.url, title=hit.title, snippet=hit.snippet) for hit in hits])
