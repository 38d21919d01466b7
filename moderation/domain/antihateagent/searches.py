"""The searches of an investigation: which engine is asked for which query, and what went wrong. Pure functions.

The first search of a query has the key `search.ROUND.QUERY`; where it ends with a fault, another engine is asked under
`search.ROUND.QUERY.ENGINE`. An engine is out for the rest of the run once a round in which it was asked brought only
faults.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict

ENGINES = ("google", "searxng", "local")


class TurnLike(Protocol):
    """A turn as a method or a page sees it."""

    @property
    def state(self) -> Any: ...

    @property
    def value(self) -> Any: ...

    @property
    def reason(self) -> str: ...

    @property
    def detail(self) -> str: ...


@dataclass(frozen=True)
class Search:
    """One search that was made: its query, its engine, and its results, or the fault that it ended with.

    `engine` is empty for runs from before it was stored.
    """

    query: int
    engine: str
    hits: Sequence[Mapping[str, str]] = ()
    code: str = ""
    fault: str = ""


class RunFault(TypedDict):
    """What went wrong without ending the run: with what, the kind of fault, the last one in words, and how often."""

    of: str
    code: str
    detail: str
    times: int


def searches_of(round_number: int, queries: int, turns: Mapping[str, TurnLike]) -> list[Search]:
    """Return the searches of a round, query by query; `queries` is the number of its queries."""
    searches = []
    for query in range(1, queries + 1):
        keys = [search_key(round_number, query), *(search_key(round_number, query, name) for name in ENGINES)]
        searches += [_search(query, turns[key]) for key in keys if key in turns]
    return searches


def search_key(round_number: int, query: int, engine: str = "") -> str:
    """Return the key of a query's first search, or of its search with another `engine`."""
    return f"search.{round_number}.{query}" + (f".{engine}" if engine else "")


def _search(query: int, turn: TurnLike) -> Search:
    if not isinstance(turn.value, dict):
        return Search(query, "", code=turn.reason or "provider_error", fault=turn.detail)
    value = turn.value
    engine = str(value.get("engine", ""))
    return Search(query, engine, value["hits"], str(value.get("code", "")), str(value.get("fault", "")))


def engines_out(rounds: Iterable[Sequence[Search]]) -> set[str]:
    """Return the engines that brought only faults in the last round in which they were asked."""
    out: set[str] = set()
    for searches in rounds:
        answered = {search.engine for search in searches if not search.code}
        failed = {search.engine for search in searches if search.code}
        out = (out | failed) - answered
    return out


def next_engine(query: int, searches: Sequence[Search], engines: Sequence[str], out: Iterable[str]) -> str | None:
    """Return the engine to ask next for this query of the current round: the first that may answer.

    Returns None if the query is answered, or if no engine is left.
    """
    query_searches = [search for search in searches if search.query == query]
    if any(not search.code for search in query_searches):
        return None
    tried = {search.engine for search in query_searches} | set(out)
    if "" in tried:  # a run from before the engine was stored: its own engine failed
        tried.add(engines[0] if engines else "")
    return next((name for name in engines if name not in tried), None)


def faults_of(searches: Iterable[Search]) -> list[RunFault]:
    """Return the faults by engine and kind, in the order in which they first came."""
    failed = [search for search in searches if search.code]
    times = Counter((search.engine, search.code) for search in failed)
    last = {(search.engine, search.code): search.fault for search in failed}
    return [
        RunFault(of=engine, code=code, detail=last[engine, code], times=count)
        for (engine, code), count in times.items()
    ]
