"""What the API of runs answers, as types: its description is generated from them.

Every key is always there unless it is `NotRequired`, and a key that is not named is never there.
"""

from datetime import datetime
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from annotation.api.answers import KeyedPage
from moderation.debates.run_json import RunSummary
from moderation.domain.antihateagent.doubts import Doubt
from runs.domain.states import RunState
from runs.queue.worker_load import SiteLoad


class RunRow(RunSummary):
    """A run of the list."""

    method: str
    repeat: int


class RunPage(KeyedPage):
    """A page of runs; `load` is null for who is no admin."""

    results: list[RunRow]
    load: SiteLoad | None


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
