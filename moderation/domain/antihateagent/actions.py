"""The investigator's actions and the form of its answers (AntiHateAgent, Appendices C and E).

Every answer has a thought, a known action, and the arguments of that action. Any other answer is asked again with its
error, at most five times (as in MLAgentBench, on which the paper's form is built). Slips that leave no doubt are read:
surplus arguments, a query that is there twice.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model

from moderation.domain.prompt_options import PromptOptions
from moderation.domain.tongue import TONGUE_WORDS, Tongue
from moderation.domain.verdicts import HATEFUL_FORMS, NOT_HATEFUL_FORMS
from vocabulary.refusals import gettext_noop as _
from vocabulary.requests import Asked
from vocabulary.written_values import (
    NO_FORMS,
    OWN_WORDS,
    YES_FORMS,
    WholeNumber,
    YesNo,
    one_of,
    read_share,
    reader_of,
)

REASKS = 5
LEAST_QUERIES, MOST_QUERIES = 3, 6
MOST_SEGMENTS = 6
LONGEST_CLAIM = 500
CONFIRMED = 300
"""The number of characters of the post that the investigator copies, to show that it still works on the same text."""


class Retrieval(StrEnum):
    """The source of knowledge (Table 4)."""

    SEARCH = "search"
    NONE = "none"
    MODEL_URLS = "model_urls"
    """URLs that the model writes from memory; for evaluations only, and through the same guarded fetcher."""


class Instructions(StrEnum):
    """The length of the investigator's instructions (Table 4)."""

    FULL = "full"
    SHORT = "short"


class InvestigationOptions(PromptOptions):
    """The options of an investigation. `bytes` limits all pages together; temperature None is the provider's default.

    `struck` are the numbers of the evidence that a person removed before a new judgment.
    """

    engine: Annotated[Literal["", "google", "searxng", "local"], Asked(_("Search with"), offered=True)] = ""
    reformulations: Annotated[
        int,
        Field(ge=0, le=6),
        Asked(_("New queries, at most"), _("How often the agent may search again where it has not found enough.")),
    ] = 3
    pages: Annotated[int, Field(ge=1, le=24), Asked(_("Pages, at most"))] = 8
    pages_at_once: Annotated[int, Field(ge=1, le=6), Asked(_("Pages at once"))] = 3
    bytes: Annotated[
        int,
        Field(ge=10_000, le=50_000_000),
        Asked(_("Megabytes of pages, at most"), name="megabytes", unit=1_000_000),
    ] = 10_000_000
    steps: Annotated[int, Field(ge=10, le=150), Asked(_("Steps, at most"))] = 80
    retrieval: Annotated[
        Retrieval,
        Asked(
            _("Where knowledge comes from"),
            words={
                Retrieval.SEARCH: _("pages that it searches for"),
                Retrieval.NONE: _("none: it judges by the post alone"),
            },
            option="where it knows from",
            compared=_("Sources of AntiHateAgent"),
            only_compared={Retrieval.MODEL_URLS: _("pages whose addresses the model makes up")},
        ),
    ] = Retrieval.SEARCH
    instructions: Annotated[
        Instructions,
        Asked(
            _("Instructions"),
            words={Instructions.FULL: _("in full"), Instructions.SHORT: _("short")},
            option="in full, or short",
            compared=_("Instructions of AntiHateAgent"),
        ),
    ] = Instructions.FULL
    language: Annotated[
        Tongue,
        Asked(
            _("Language of the rationale"),
            name="rationale_language",
            words={Tongue.ENGLISH: TONGUE_WORDS[Tongue.ENGLISH]} | TONGUE_WORDS,
            option="of the rationale (default: en)",
        ),
    ] = Tongue.ENGLISH
    """The language of the rationale, and of what is noted about pages."""
    windows: Annotated[int, Field(ge=1, le=8)] = 3
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    struck: tuple[int, ...] = ()
    glossary: bool = False
    """Whether the prompts contain approved entries of the project's glossary."""
    claim: Annotated[str, Field(max_length=LONGEST_CLAIM)] = ""
    """A statement in a reply to the post; if it is set, the investigation is about whether it is true."""


class Arguments(BaseModel):
    """The arguments of an action. Surplus ones are ignored; the model's schema allows none."""

    model_config = ConfigDict(
        extra="ignore", str_strip_whitespace=True, json_schema_extra={"additionalProperties": False}
    )


_STANCE_FORMS = {
    "supports": (
        *("supports", "support", "supported", "supporting", "supportive"),
        *("지지", "지지함", "지지한다", "뒷받침", "뒷받침함", "뒷받침한다", "찬성", "支持", "证实", "证明", "佐证"),
    ),
    "refutes": (
        *("refutes", "refute", "refuted", "refuting", "contradicts", "contradict", "does not support"),
        *("contradicting", "opposes", "oppose", "opposing", "against", "반대"),
        *("반박", "반박함", "반박한다", "반증", "지지하지 않음", "反驳", "驳斥", "否定", "不支持", "反对"),
    ),
}
_OPEN_FORMS = (
    *("OPEN", "undecided", "unclear", "unsure", "uncertain", "undetermined"),
    *(
        "미정",
        "불확실",
        "불분명",
        "보류",
        "판단 보류",
        "판단 불가",
        "알 수 없음",
        "未定",
        "待定",
        "不确定",
        "未决",
        "无法判断",
    ),
)
_HATE_VERDICTS = {"HATE": HATEFUL_FORMS, "NON-HATE": NOT_HATEFUL_FORMS}
_TRUTH_VERDICTS = {
    "TRUE": ("true", "참", "사실", "사실임", "진실", "真", "真实", "属实", "正确"),
    "FALSE": ("false", "거짓", "허위", "거짓임", "사실 아님", "사실이 아님", "假", "虚假", "不实", "不属实", "错误"),
}


_Sufficient = Annotated[
    bool,
    Field(strict=True),
    one_of(
        {
            True: (*YES_FORMS, "sufficient", "enough", "충분", "충분함", "充分", "足够"),
            False: (
                *NO_FORMS,
                "insufficient",
                "not enough",
                "불충분",
                "충분하지 않음",
                "부족",
                "不足",
                "不充分",
                "不够",
            ),
        }
    ),
]


def _verdict(*values: str, claimed: bool) -> Any:
    """Return the type of a verdict, about the claim or about the post, in any of its forms."""
    forms = {"OPEN": _OPEN_FORMS} | (_TRUTH_VERDICTS if claimed else _HATE_VERDICTS)
    read = reader_of({value: forms[value] for value in values})

    def read_truth(written: Any) -> Any:
        return read(str(written) if claimed and isinstance(written, bool) else written)

    return Annotated[Literal[values], BeforeValidator(read_truth)]


class Segment(Arguments):
    """A passage of a page, and its stance on the question: whether the post is hateful, or the claim true."""

    quote: str = Field(min_length=1, max_length=1500)
    stance: Annotated[Literal["supports", "refutes"], one_of(_STANCE_FORMS)]
    relevance: Annotated[int, Field(ge=1, le=3, strict=True), WholeNumber]
    bearing: str = Field(min_length=1, max_length=800)


class Segments(Arguments):
    """The passages of a window of a page; an empty list is a valid answer."""

    segments: list[Segment] = Field(max_length=MOST_SEGMENTS)


def _as_share(value: Any) -> Any:
    """Return a confidence in percent as a share. What could be a grade of another scale, as 2 or 5, stays as it is."""
    value = read_share(value)
    is_percent = isinstance(value, int | float) and not isinstance(value, bool) and _LEAST_PERCENT <= value <= 100
    return value / 100 if is_percent else value


_LEAST_PERCENT = 10
Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True), BeforeValidator(_as_share)]


def search_web(earlier: Sequence[str]) -> type[BaseModel]:
    """Return the form of `SearchWeb`: at least three queries.

    One that equals another, or an earlier one, is left out; at least one new query must remain.
    """
    known = frozenset(_same(query) for query in earlier)

    def distinct(queries: list[str]) -> list[str]:
        by_words: dict[str, str] = {}
        for query in queries:
            by_words.setdefault(_same(query), query)
        new = [query for words, query in by_words.items() if words not in known]
        if not new:
            raise ValueError(f"this query was made before, and no other is new: {queries[0]}")
        return new

    query = Annotated[str, Field(min_length=2, max_length=300)]
    several = Annotated[list[query], Field(min_length=LEAST_QUERIES, max_length=MOST_QUERIES), AfterValidator(distinct)]
    return _action("SearchWeb", queries=(several, ...))


def visit_pages(most: int) -> type[BaseModel]:
    """Return the form of `VisitPages`: URLs that the model writes from memory (an ablation)."""
    urls = Annotated[list[Annotated[str, Field(min_length=8, max_length=2000)]], Field(min_length=1, max_length=most)]
    return _action("VisitPages", urls=(urls, ...))


def select_pages(ids: Collection[int], most: int) -> type[BaseModel]:
    """Return the form of `SelectPages`: the results to read, the most relevant first; an empty list is valid."""

    def known(pages: list[int]) -> list[int]:
        if unknown := [page for page in pages if page not in ids]:
            raise ValueError(f"there is no result {unknown[0]}")
        return list(dict.fromkeys(pages))

    among = WithJsonSchema({"type": "integer", "enum": sorted(ids)} if ids else {"type": "integer"})
    page = Annotated[int, Field(strict=True), WholeNumber, among]
    pages = Annotated[list[page], Field(max_length=most), AfterValidator(known)]
    return _action("SelectPages", pages=(pages, ...), other_queries_may_help=(YesNo, ...))


def extract_evidence() -> type[BaseModel]:
    """Return the form of `ExtractEvidence`: exact passages of a page."""
    return _fixed("ExtractEvidence", Segments)


@lru_cache(maxsize=64)  # asked for with each round of calls
def reconfirm_text(text: str, *, claimed: bool = False) -> type[BaseModel]:
    """Return the form of `ReconfirmText`: the text's opening, the page's effect on the judgment, whether it is enough.

    The text is the post; if something is `claimed`, it is the claim.
    """
    words = _verdict(*(("TRUE", "FALSE") if claimed else ("HATE", "NON-HATE")), "OPEN", claimed=claimed)
    return _action(
        "ReconfirmText",
        text=_confirmation(text),
        judgment=(words, ...),
        confidence=(Confidence, ...),
        effect=(Annotated[str, Field(min_length=1, max_length=1500), OWN_WORDS], ...),
        sufficient=(_Sufficient, ...),
    )


@lru_cache(maxsize=64)  # asked for with each round of calls
def final_judgment(text: str, *, claimed: bool = False) -> type[BaseModel]:
    """Return the form of `FinalJudgment`: HATE or NON-HATE, confidence, and a rationale that cites evidence by number.

    For a claim: TRUE, FALSE, or OPEN if the evidence settles neither.
    """
    words = _verdict(*(("TRUE", "FALSE", "OPEN") if claimed else ("HATE", "NON-HATE")), claimed=claimed)
    return _action(
        "FinalJudgment",
        text=_confirmation(text),
        verdict=(words, ...),
        confidence=(Confidence, ...),
        rationale=(Annotated[str, Field(min_length=1, max_length=6000), OWN_WORDS], ...),
    )


def opening_of(text: str) -> str:
    """Return the part of the post that the investigator has to copy."""
    return text[:CONFIRMED]


def is_confirmed(copied: str, text: str) -> bool:
    """Return whether the copied text is the post's opening, apart from spacing, case and a few characters."""
    opening, plain = _same(opening_of(text)), _same(copied)
    if not opening:
        return True
    return SequenceMatcher(None, opening, plain[: len(opening) + 20], autojunk=False).ratio() >= 0.85


def _confirmation(text: str) -> Any:
    def confirmed(copied: str) -> str:
        if not is_confirmed(copied, text):
            raise ValueError(f"this is not how the text begins; copy its first {CONFIRMED} characters word for word")
        return copied

    return (Annotated[str, Field(max_length=4 * CONFIRMED), AfterValidator(confirmed)], ...)


def _action(name: str, **arguments: Any) -> type[BaseModel]:
    return _of(name, create_model(f"{name}Arguments", __base__=Arguments, **arguments))


@lru_cache(maxsize=8)
def _fixed(name: str, arguments: type[Arguments]) -> type[BaseModel]:
    return _of(name, arguments)


def _of(name: str, arguments: type[Arguments]) -> type[BaseModel]:
    thought = (Annotated[str, Field(min_length=1, max_length=4000)], ...)
    fields: dict[str, Any] = {
        "thought": thought,
        "action": (Annotated[Literal[name], one_of({name: (name,)})], ...),
        "action_input": (arguments, ...),
    }
    return create_model(name, __base__=Arguments, **fields)


def _same(text: str) -> str:
    """Return the text for comparison: without punctuation, case and extra spaces."""
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()
