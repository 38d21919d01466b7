"""The state of an investigation, computed from its turns: queries, hits, pages, evidence, judgments. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from moderation.domain.antihateagent.actions import InvestigationOptions, Retrieval
from moderation.domain.antihateagent.doubts import Doubt, doubts_of, rated_claim
from moderation.domain.antihateagent.hosts import domain_of
from moderation.domain.antihateagent.page_windows import Window, is_copy, shingles, windows
from moderation.domain.antihateagent.passages import Span, find_quote, sentence_of
from moderation.domain.antihateagent.searches import (
    RunFault,
    Search,
    TurnLike,
    engines_out,
    faults_of,
    searches_of,
)

MOST_HITS = 20
"""The most results that the model sees in one round."""


Turns = Mapping[str, TurnLike]


@dataclass(frozen=True)
class Hit:
    """A result, numbered within its round."""

    id: int
    url: str
    title: str
    snippet: str
    query: str

    @property
    def domain(self) -> str:
        """The host of the URL, as it is displayed."""
        return domain_of(self.url)


@dataclass(frozen=True)
class KeptPassage:
    """A passage that was found on its page, the place of its sentence, and why it may not mean what it says alone."""

    quote: str
    start: int
    end: int
    stance: str
    relevance: int
    bearing: str
    sentence: Span = Span(0, 0)
    doubts: tuple[Doubt, ...] = ()


@dataclass
class Page:
    """A selected page; if it could not be fetched, `fault` says why. `number` is its evidence's, 0 if it holds none.

    `copy_of` is the URL of an earlier page with the same text; `rejected` are quotations that are not on the page.
    `source` is what it states of itself (`providers/pages/source.py`); from `comments_at` on it is what its readers
    wrote, 0: nothing is. `goes_on`: the page has more text than was read. `parts_read` counts the windows that the
    model was asked about; `read`: it could use at least one of them.
    """

    key: str
    hit: Hit
    requested: bool = False
    url: str = ""
    title: str = ""
    text: str = ""
    sha256: str = ""
    size: int = 0
    fetched_at: str = ""
    language: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)
    comments_at: int = 0
    cut: bool = False
    code: str = ""
    fault: str = ""
    copy_of: str = ""
    copies: list[str] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    read: bool = False
    parts_read: int = 0
    goes_on: bool = False
    passages: list[KeptPassage] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    weighed: Mapping[str, Any] | None = None
    number: int = 0

    @property
    def is_readable(self) -> bool:
        """Whether the page was fetched and is not a copy of another one."""
        return self.requested and not self.fault and not self.copy_of

    @property
    def is_read_through(self) -> bool:
        """Whether every window of the page was read, so that it can be weighed."""
        return self.read and self.parts_read == len(self.windows)

    @property
    def domain(self) -> str:
        """The host that it came from."""
        return domain_of(self.url or self.hit.url)

    def read_keys(self) -> list[str]:
        """Return the keys of the steps that read it."""
        return [f"read.{self.key}.{number}" for number in range(1, len(self.windows) + 1)]


@dataclass
class Round:
    """One round: queries, their results, and the pages that were read."""

    number: int
    thought: str = ""
    queries: list[str] = field(default_factory=list)
    searches: list[Search] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)
    selected: bool = False
    choice: str = ""
    may_go_on: bool = True
    pages: list[Page] = field(default_factory=list)
    is_sufficient: bool = False
    """Whether what was read up to the end of this round suffices."""

    @property
    def failed(self) -> list[str]:
        """The queries that no engine answered, though one was asked."""
        answered = {search.query for search in self.searches if not search.code}
        searched = {search.query for search in self.searches}
        return [query for number, query in enumerate(self.queries, 1) if number in searched - answered]

    @property
    def was_answered(self) -> bool:
        """Whether a search engine answered at least one query."""
        return any(not search.code for search in self.searches)


@dataclass
class Walk:
    """The state of the whole investigation."""

    rounds: list[Round] = field(default_factory=list)
    verdict: Mapping[str, Any] | None = None

    @property
    def pages(self) -> list[Page]:
        """All pages in the order of their selection."""
        return [page for row in self.rounds for page in row.pages]

    @property
    def evidence(self) -> list[Page]:
        """The pages that hold evidence, by number."""
        return [page for page in self.pages if page.number]

    @property
    def read_pages(self) -> list[Page]:
        """The pages that were fetched and read."""
        return [page for page in self.pages if page.read]

    @property
    def unreadable_pages(self) -> list[Page]:
        """The pages that were found but could not be fetched or read."""
        return [page for page in self.pages if page.fault]

    @property
    def size(self) -> int:
        """The bytes of all pages."""
        return sum(page.size for page in self.pages)

    @property
    def queries(self) -> list[str]:
        """All queries so far."""
        return [query for row in self.rounds for query in row.queries]

    @property
    def is_sufficient(self) -> bool:
        """Whether all that was read so far suffices for a verdict.

        Each judgment is about everything read until then. One that calls it enough stands until a page with evidence
        brings another judgment that does not: a page about something else takes nothing away.
        """
        enough_for = ""
        for page in self.pages:
            if page.weighed is None:
                continue
            if page.weighed["sufficient"]:
                enough_for = page.weighed["judgment"]
            elif page.passages and page.weighed["judgment"] != enough_for:
                enough_for = ""
        return bool(enough_for)

    @property
    def searches(self) -> list[Search]:
        """All searches so far."""
        return [search for row in self.rounds for search in row.searches]

    @property
    def search_faults(self) -> list[RunFault]:
        """What went wrong with searches."""
        return faults_of(self.searches)

    @property
    def engines_out(self) -> set[str]:
        """The engines that are not asked any more."""
        return engines_out(row.searches for row in self.rounds)

    @property
    def was_search_impossible(self) -> bool:
        """Whether searches were made and every one ended with a fault."""
        return bool(self.searches) and all(search.code for search in self.searches)


def walk(turns: Turns, options: InvestigationOptions) -> Walk:
    """Return the state of the investigation after these turns."""
    state = Walk()
    for number in range(1, options.reformulations + 2):
        opened = turns.get(f"{'urls' if options.retrieval is Retrieval.MODEL_URLS else 'queries'}.{number}")
        if opened is None:
            break
        _round(state, number, opened, turns, options)
        state.rounds[-1].is_sufficient = state.is_sufficient
    judged = turns.get("verdict")
    state.verdict = arguments(judged) if judged else None
    return state


def arguments(turn: TurnLike) -> dict[str, Any]:
    """Return the arguments of a turn's action; empty if the turn was refused or unreadable."""
    value = turn.value
    return dict(value["action_input"]) if isinstance(value, dict) and "action_input" in value else {}


def _thought(turn: TurnLike) -> str:
    return str(turn.value.get("thought", "")) if isinstance(turn.value, dict) else ""


def _round(state: Walk, number: int, opened: TurnLike, turns: Turns, options: InvestigationOptions) -> None:
    current = Round(number, _thought(opened))
    state.rounds.append(current)
    values = arguments(opened)
    known = {page.hit.url for page in state.pages}
    pages_left = max(0, options.pages - len(state.pages))
    most = min(options.pages_at_once, pages_left)
    if options.retrieval is Retrieval.MODEL_URLS:
        urls = [url for url in dict.fromkeys(values.get("urls", ())) if url not in known]
        chosen = [Hit(at, url, "", "", "") for at, url in enumerate(urls, 1)]
        current.selected = True
    else:
        current.queries = list(values.get("queries", ()))
        current.hits = _hits(current, turns, known)
        choice = turns.get(f"select.{number}")
        current.selected = choice is not None
        answer = arguments(choice) if choice else {}
        current.choice = _thought(choice) if choice else ""
        current.may_go_on = bool(answer.get("other_queries_may_help", True))
        chosen = [hit for hit_id in answer.get("pages", ()) for hit in current.hits if hit.id == hit_id]
    for at, hit in enumerate(chosen[:most], 1):
        current.pages.append(_page(state, f"{number}.{at}", hit, turns, options))


def _hits(current: Round, turns: Turns, known: set[str]) -> list[Hit]:
    """Return the results of all queries: first those of rank 1, then rank 2 …, without pages of earlier rounds."""
    current.searches = searches_of(current.number, len(current.queries), turns)
    columns = [
        [Hit(0, row["url"], row["title"], row["snippet"], current.queries[search.query - 1]) for row in search.hits]
        for search in current.searches
    ]
    seen, merged = set(known), []
    for rank in range(max(map(len, columns), default=0)):
        for column in columns:
            if rank < len(column) and column[rank].url not in seen:
                seen.add(column[rank].url)
                merged.append(column[rank])
    return [Hit(at, hit.url, hit.title, hit.snippet, hit.query) for at, hit in enumerate(merged[:MOST_HITS], 1)]


def _page(state: Walk, key: str, hit: Hit, turns: Turns, options: InvestigationOptions) -> Page:
    page = Page(key, hit)
    turn = turns.get(f"fetch.{key}")
    if turn is None:
        return page
    page.requested = True
    value: Mapping[str, Any] = (
        turn.value if isinstance(turn.value, dict) else {"fault": "The page could not be fetched.", "code": "fault"}
    )
    page.url, page.title = value.get("url", hit.url), value.get("title") or hit.title
    page.text, page.sha256 = value.get("text", ""), value.get("sha256", "")
    page.size, page.fetched_at = int(value.get("bytes", 0)), value.get("fetched_at", "")
    page.language = value.get("language", "")
    page.source = value.get("source") or {}
    page.comments_at = int(value.get("comments_at", 0))
    page.cut, page.code, page.fault = bool(value.get("cut")), value.get("code", ""), value.get("fault", "")
    if page.fault:
        return page
    first = next((earlier for earlier in state.pages if earlier.is_readable and _is_same(page, earlier)), None)
    if first is not None:
        page.copy_of = first.url
        if page.domain != first.domain and page.domain not in first.copies:
            first.copies.append(page.domain)
        return page
    page.windows = _windows(value, page.text, options.windows)
    page.goes_on = sum(len(window.text) for window in page.windows) < len(page.text)
    _read(page, turns)
    if page.passages:
        page.number = len(state.evidence) + 1
    weighed = turns.get(f"weigh.{key}")
    page.weighed = arguments(weighed) or None if weighed else None
    return page


def _windows(value: Mapping[str, Any], text: str, most: int) -> list[Window]:
    """Return the windows that were chosen when the page was fetched; else the first of it."""
    if chosen := value.get("windows"):
        return [Window(start, text[start:end]) for start, end in chosen]
    return windows(text, most)


def _is_same(page: Page, earlier: Page) -> bool:
    return page.url == earlier.url or is_copy(_shingles(page.text), _shingles(earlier.text))


_shingles = lru_cache(maxsize=64)(shingles)


def _read(page: Page, turns: Turns) -> None:
    """Keep the extracted passages that are on the page; other quotations are rejected and never shown as evidence."""
    read_turns = [turns.get(key) for key in page.read_keys()]
    answered = [turn for turn in read_turns if turn is not None]
    # A window that the model refuses to read is skipped; a page with only such windows counts as unread.
    page.parts_read = len(answered)
    page.read = any(arguments(turn) for turn in answered)
    for window, turn in zip(page.windows, read_turns, strict=True):
        for segment in arguments(turn).get("segments", ()) if turn else ():
            span = find_quote(segment["quote"], page.text, window)
            if span is None:
                page.rejected.append(segment["quote"])
            elif not any(span.start < passage.end and passage.start < span.end for passage in page.passages):
                page.passages.append(_kept(page, span, segment))


def _kept(page: Page, span: Span, segment: Mapping[str, Any]) -> KeptPassage:
    return KeptPassage(
        page.text[span.start : span.end],
        span.start,
        span.end,
        segment["stance"],
        segment["relevance"],
        segment["bearing"],
        sentence_of(page.text, span),
        doubts_of(page.text, span, comments_at=page.comments_at, rated_claim=rated_claim(page.source)),
    )


def unstruck_evidence(state: Walk, struck: Sequence[int]) -> list[Page]:
    """Return the evidence that no person removed."""
    return [page for page in state.evidence if page.number not in struck]
