"""What searches and fetches bring to a run, as JSON that becomes a turn.

The roles are no models' roles: what searches and fetches is bound by what the site has set up, never by a user.
"""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from providers.addresses import FetchFault
from providers.fetching import Fetcher
from providers.page_text import read_page
from providers.searching import Engine, Hit

SEARCHER, FETCHER = "searcher", "fetcher"


class Found(BaseModel):
    """One hit of a search."""

    url: str
    title: str = ""
    snippet: str = ""


class SearchAnswer(BaseModel):
    """What a search brought."""

    hits: list[Found]


class FetchAnswer(BaseModel):
    """What became of fetching a page: its text, or `code` and `fault` that say why there is none.

    `sha256` is of the bytes that came, `bytes` their number, `fetched_at` an ISO time (UTC).
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


def search(engine: Engine, query: str, count: int) -> dict[str, Any]:
    """A SearchAnswer as JSON; raises as `Engine.search` does."""
    return found(engine.search(query, count)).model_dump(mode="json")


def fetch(fetcher: Fetcher, url: str) -> dict[str, Any]:
    """A FetchAnswer as JSON. A page that cannot be had is an answer, not a fault: the run goes on without it (F29)."""
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


def found(hits: Sequence[Hit]) -> SearchAnswer:
    """The hits as an answer."""
    return SearchAnswer(hits=[Found(url=hit.url, title=hit.title, snippet=hit.snippet) for hit in hits])
