"""What the investigator may do, and in which form it says so (AntiHateAgent, Appendices C and E).

Every answer is a thought, an action and the action's arguments: a known action, exactly its arguments. Anything else
goes back with the error, five times at most (MLAgentBench, on which the paper's form is built).
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

REASKS = 5
LEAST_QUERIES, MOST_QUERIES = 3, 6
MOST_SEGMENTS = 6
LONGEST_CLAIM = 500
CONFIRMED = 300
"""Characters of the post that the investigator copies, to show that it still has the same text before it."""


class Retrieval(StrEnum):
    """Where knowledge comes from (Table 4)."""

    SEARCH = "search"
    NONE = "none"
    MODEL_URLS = "model_urls"
    """URLs that the model makes up; for evaluations only, and through the same guarded fetcher."""


class Instructions(StrEnum):
    """How much the investigator is told (Table 4)."""

    FULL = "full"
    SHORT = "short"


class InvestigationOptions(BaseModel):
    """What may be chosen. `bytes` are those of all pages together; a temperature of None is the provider's own.

    `struck` are numbers of evidence that a person took out before a new judgment.
    """

    model_config = ConfigDict(extra="forbid")

    engine: Literal["", "google", "searxng", "local"] = ""
    retrieval: Retrieval = Retrieval.SEARCH
    instructions: Instructions = Instructions.FULL
    reformulations: Annotated[int, Field(ge=0, le=6)] = 3
    pages_at_once: Annotated[int, Field(ge=1, le=6)] = 3
    pages: Annotated[int, Field(ge=1, le=24)] = 8
    windows: Annotated[int, Field(ge=1, le=8)] = 3
    bytes: Annotated[int, Field(ge=10_000, le=50_000_000)] = 10_000_000
    steps: Annotated[int, Field(ge=10, le=150)] = 80
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    struck: tuple[int, ...] = ()
    glossary: bool = False
    """Approved entries of the project's glossary go with the post."""
    claim: Annotated[str, Field(max_length=LONGEST_CLAIM)] = ""
    """A statement in a reply to the post: where there is one, the investigation is about its truth."""


class Arguments(BaseModel):
    """The arguments of an action: exactly these."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Segment(Arguments):
    """A passage of a page and what it does for the question: whether the post is hateful, or a claim true."""

    quote: str = Field(min_length=1, max_length=1500)
    stance: Literal["supports", "refutes"]
    relevance: Annotated[int, Field(ge=1, le=3, strict=True)]
    bearing: str = Field(min_length=1, max_length=800)


class Segments(Arguments):
    """What a window of a page holds; nothing is an answer."""

    segments: list[Segment] = Field(max_length=MOST_SEGMENTS)


Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]


def search_web(earlier: Sequence[str]) -> type[BaseModel]:
    """`SearchWeb`: at least three queries, distinct from each other and from all earlier ones."""
    known = frozenset(_same(query) for query in earlier)

    def distinct(queries: list[str]) -> list[str]:
        mine = [_same(query) for query in queries]
        if len(set(mine)) < len(mine):
            raise ValueError("two of the queries are the same")
        if repeated := [query for query, same in zip(queries, mine, strict=True) if same in known]:
            raise ValueError(f"this query was made before: {repeated[0]}")
        return queries

    query = Annotated[str, Field(min_length=2, max_length=300)]
    several = Annotated[list[query], Field(min_length=LEAST_QUERIES, max_length=MOST_QUERIES), AfterValidator(distinct)]
    return _action("SearchWeb", queries=(several, ...))


def visit_pages(most: int) -> type[BaseModel]:
    """`VisitPages`: URLs out of the model's head (an ablation)."""
    urls = Annotated[list[Annotated[str, Field(min_length=8, max_length=2000)]], Field(min_length=1, max_length=most)]
    return _action("VisitPages", urls=(urls, ...))


def select_pages(ids: Collection[int], most: int) -> type[BaseModel]:
    """`SelectPages`: which of the hits to read, most telling first, none is an answer."""

    def known(pages: list[int]) -> list[int]:
        if unknown := [page for page in pages if page not in ids]:
            raise ValueError(f"there is no result {unknown[0]}")
        return list(dict.fromkeys(pages))

    pages = Annotated[list[Annotated[int, Field(strict=True)]], Field(max_length=most), AfterValidator(known)]
    return _action("SelectPages", pages=(pages, ...), other_queries_may_help=(Annotated[bool, Field(strict=True)], ...))


def extract_evidence() -> type[BaseModel]:
    """`ExtractEvidence`: passages of a page, word for word."""
    return _fixed("ExtractEvidence", Segments)


def reconfirm_text(text: str, *, claimed: bool = False) -> type[BaseModel]:
    """`ReconfirmText`: the text is still the same; how the page changes the judgment; whether it is enough.

    The text is the post, and where something is `claimed`, the claim.
    """
    words: Any = Literal["TRUE", "FALSE", "OPEN"] if claimed else Literal["HATE", "NON-HATE", "OPEN"]
    return _action(
        "ReconfirmText",
        text=_confirmation(text),
        judgment=(words, ...),
        confidence=(Confidence, ...),
        effect=(Annotated[str, Field(min_length=1, max_length=1500)], ...),
        sufficient=(Annotated[bool, Field(strict=True)], ...),
    )


def final_judgment(text: str, *, claimed: bool = False) -> type[BaseModel]:
    """`FinalJudgment`: HATE or NON-HATE, how sure, and why, citing evidence by number.

    Of a claim: TRUE, FALSE, or OPEN where the evidence settles neither.
    """
    words: Any = Literal["TRUE", "FALSE", "OPEN"] if claimed else Literal["HATE", "NON-HATE"]
    return _action(
        "FinalJudgment",
        text=_confirmation(text),
        verdict=(words, ...),
        confidence=(Confidence, ...),
        rationale=(Annotated[str, Field(min_length=1, max_length=6000)], ...),
    )


def opening_of(text: str) -> str:
    """Return the part of the post that is to be copied."""
    return text[:CONFIRMED]


def is_confirmed(said: str, text: str) -> bool:
    """Whether what was copied is the post's opening, but for spacing, case and a stray character."""
    wanted, given = _same(opening_of(text)), _same(said)
    if not wanted:
        return True
    return SequenceMatcher(None, wanted, given[: len(wanted) + 20], autojunk=False).ratio() >= 0.85


def _confirmation(text: str) -> Any:
    def confirmed(said: str) -> str:
        if not is_confirmed(said, text):
            raise ValueError(f"this is not how the text begins; copy its first {CONFIRMED} characters word for word")
        return said

    return (Annotated[str, Field(max_length=4 * CONFIRMED), AfterValidator(confirmed)], ...)


def _action(name: str, **arguments: Any) -> type[BaseModel]:
    return _of(name, create_model(f"{name}Arguments", __base__=Arguments, **arguments))


@lru_cache(maxsize=8)
def _fixed(name: str, arguments: type[Arguments]) -> type[BaseModel]:
    return _of(name, arguments)


def _of(name: str, arguments: type[Arguments]) -> type[BaseModel]:
    thought = (Annotated[str, Field(min_length=1, max_length=4000)], ...)
    fields: dict[str, Any] = {"thought": thought, "action": (Literal[name], ...), "action_input": (arguments, ...)}
    return create_model(name, __base__=Arguments, **fields)


def _same(text: str) -> str:
    """Return the text as it is compared: without marks, case, spacing."""
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()
