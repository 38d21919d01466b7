"""What the API of runs answers, as types: its description is generated from them.

Every key is always there unless it is `NotRequired`, and a key that is not named is never there.
"""

from datetime import datetime
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from annotation.api.answers import KeyedPage
from moderation.debates.disagreement import RunDisagreement
from moderation.debates.waiting import WaitsFor
from moderation.domain.antihateagent.doubts import Doubt
from moderation.domain.hatexscore.second_reading import ReadBy
from runs.domain.states import RunState

RunWait = TypedDict("RunWait", {"for": WaitsFor, "until": datetime | None, "detail": str | None, "of": list[str]})
RunWait.__doc__ = "What an open run waits for: until when, in the provider's words, and which of its steps."


class RunFault(TypedDict):
    """What went wrong without ending the run: with what, the kind of fault, the last one in words, and how often."""

    of: str
    code: str
    detail: str
    times: int


class RunLimit(TypedDict):
    """The limit at which a run ended early with what it had."""

    name: str
    detail: str


class ExplanationReading(TypedDict):
    """Who read an explanation: the `rules`, the `reader`, or `nobody`; and, where it answered, what the reader read."""

    by: ReadBy
    model: NotRequired[str]
    refusal: NotRequired[bool]
    conclusion: NotRequired[bool | None]
    group: NotRequired[str]
    tie: NotRequired[str]


class RunSummary(TypedDict):
    """How far a run is and what it came to; null is what is not known, or not open to the caller.

    `warnings`: `injection_suspected` if something that the models read looks like an order to them, `led_astray` if an
    answer repeats our own instructions, `reason_disagrees` if the reason concludes the opposite of the verdict.
    `faults` are those of searches that the run went on without; `no_search` says that no search was answered. `limit`
    is where it ended early, with a verdict on what it had. `read_by` is there where an explanation had a second reader.
    `missing` maps each perspective that gave no usable answer to its reason. `disagreement` is that inside the debate,
    empty for other methods. `prompts` is the set that the models were asked with. `seconds` are those of work, without
    waiting.
    """

    item: str | None
    run: UUID
    state: RunState
    reason_code: str | None
    hateful: bool | None
    category: int | None
    reason: str | None
    warnings: list[str]
    faults: list[RunFault]
    no_search: bool
    limit: RunLimit | None
    read_by: NotRequired[ExplanationReading]
    missing: dict[str, str]
    disagreement: list[RunDisagreement]
    calls: int
    prompts: str | None
    prompts_version: str | None
    seconds: float
    waits: RunWait | None


class RunRow(RunSummary):
    """A run of the list."""

    method: str
    repeat: int


class WorkersLoad(TypedDict):
    """How busy the workers of the whole site are; times in seconds.

    `runs` are at work; `waiting` are due, and no worker has them yet. `delay` is how late a worker woke, because its
    machine was busy.
    """

    workers: int
    runs: int
    delay: float
    waiting: int
    longest_wait: float


class RunPage(KeyedPage):
    """A page of runs; `load` is null for who is no admin."""

    results: list[RunRow]
    load: WorkersLoad | None


class TurnJson(TypedDict):
    """One saved reply; `parsed` is what was read in it, null where it was unreadable.

    `cached_tokens` are those of `input_tokens` that the provider had read shortly before.
    """

    key: str
    role: str
    parsed: Any
    input_tokens: int
    cached_tokens: int
    output_tokens: int


class RunStep(TypedDict):
    """A step under way: what it does and what it is about, how many steps were taken and are left at most."""

    key: str
    what: str
    about: str
    done: int
    left: int | None


class RunWithTurns(RunSummary):
    """A run with the steps that are under way, and its turns.

    `orders` says where something stands that looks like an order to the models: the post, or what certain steps read.
    `saved` is the money that caching of prompts saved, null where nothing was.
    """

    steps: list[RunStep]
    orders: list[str]
    saved: float | None
    turns: list[TurnJson]


class RunsQueued(TypedDict):
    """How many runs are new, and how many posts are left out because nobody can describe their picture.

    `answered_before` are the runs that answer the request already, or are about to; `to_ask_anew` names the field that
    asks anew.
    """

    queued: int
    left_out: NotRequired[int]
    why_left_out: NotRequired[str]
    answered_before: NotRequired[list[UUID]]
    to_ask_anew: NotRequired[str]


class PassageJson(TypedDict):
    """An exact passage of a page in its sentence; `page` is that of a PDF, from 1.

    `doubts`: `denied` (beside it the page denies it), `quoted` (the page quotes somebody), `rated` (it is the claim
    that the page rates), `comment` (a reader wrote it).
    """

    quote: str
    sentence: str
    stance: str
    relevance: int
    bearing: str
    page: int | None
    doubts: list[Doubt]


class CardJson(TypedDict):
    """A page that holds evidence. `source` is what it states of itself; null is "not said"."""

    id: UUID
    number: int
    url: str
    domain: str
    title: str
    query: str
    fetched_at: datetime
    sha256: str
    source: dict[str, Any]
    copies: list[str]
    struck_at: datetime | None
    struck_because: str
    passages: list[PassageJson]


class InvestigationJson(TypedDict):
    """A run that gathered evidence. `outdated`: cards were struck or restored since the judgment that is shown."""

    run: UUID
    judgment: UUID
    state: RunState
    outcome: dict[str, Any] | None
    outdated: bool
    judgments: list[UUID]
    cards: list[CardJson]


class EvidenceJson(TypedDict):
    """The investigations of an item, newest first."""

    investigations: list[InvestigationJson]


class RunCancelled(TypedDict):
    """Whether the request ended the run; false if it had ended already."""

    cancelled: bool


class RunContinued(TypedDict):
    """The run that goes on: a failed run itself, else a new one."""

    run: UUID


class CheckQueued(TypedDict):
    """The run that looks for evidence; `new` is false if it was there already."""

    run: UUID
    new: bool


class JudgeQueued(TypedDict):
    """The run that judges again; null if one is under way."""

    run: UUID | None
