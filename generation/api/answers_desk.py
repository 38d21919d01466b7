"""What the API of the counterspeech desk answers, as types: its description is generated from them.

Every key is always there, and a key that is not named is never there.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict
from uuid import UUID

from annotation.api.answers import KeyedPage
from annotation.api.problems import Problem
from generation.api.answers import ClaimJson
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.platforms import Platform
from generation.domain.counterspeech.preferences import WinRate
from generation.domain.counterspeech.rating import BetterSide
from generation.domain.counterspeech.registers import Register
from generation.domain.counterspeech.safety_flags import Flag, FlaggedWords
from generation.domain.counterspeech.states import ReplyState
from generation.domain.counterspeech.writers import Writer
from generation.files.reply_types import Edit
from runs.domain.states import RunState

# ── A post and its explanations ───────────────────────────────────────────────


class ExplanationsJson(TypedDict):
    """One version of the seven explanations. `author` is null if a model wrote it, and `model` if a person did.

    `missing` says of each explanation that no model gave why not.
    """

    number: int
    offensiveness: str
    target_group: str
    speaker_intent: str
    power_dynamics: str
    implication: str
    emotional_reaction: str
    cognitive_reaction: str
    insults: list[str]
    author: str | None
    model: str | None
    run: UUID | None
    missing: dict[str, str]
    created_at: datetime


class ModelsWork(TypedDict):
    """The newest run of one kind: where it stands, why it ended without a result, and what it took so far."""

    run: UUID
    state: RunState
    reason: str | None
    detail: str | None
    spent: "SpentJson"


class SpentJson(TypedDict):
    """What a run took. `cost` is null where no price is known."""

    calls: int
    tokens: int
    cost: float | None
    currency: str


class ExpectedJson(TypedDict):
    """What a step takes at most. `cost` is null where a model has no price, and `calls_left` without a budget."""

    calls: int
    calls_left: int | None
    cost: float | None
    currency: str
    unpriced: list[str]


class ExchangeCosts(TypedDict):
    """What each step of a post takes at most; null: no model can be asked."""

    explain: ExpectedJson | None
    candidates: ExpectedJson | None
    score: ExpectedJson | None
    translate: ExpectedJson | None


class TranslationJson(TypedDict):
    """A text of a post in another language, by a model: for reading only, and in no file.

    `of` is `post`, or the id of a reply or candidate. `text` is null as long as there is no translation.
    """

    of: str
    language: str
    text: str | None
    model: str | None
    asked_by: str | None
    work: ModelsWork | None


class ExchangeRow(TypedDict):
    """A post that is answered: an item, or a pasted text (`item` is null).

    `target_group`: the item's own, or the one named at the desk; `theme`: what is said of it, in a word.
    `not_hateful`: people decided so. `looks_like_order`: it looks like an order to a model. `leads_to_person`: it holds
    a handle, an address or a number. `injected`: a model wrote it as a sample.
    """

    id: UUID
    item: str | None
    text: str
    picture_description: str | None
    target_group: str | None
    theme: str | None
    opened_by: str | None
    opened_at: datetime
    injected: bool
    not_hateful: bool
    looks_like_order: bool
    leads_to_person: bool


class ExchangeJson(ExchangeRow):
    """A post that is answered, with the explanations in force and what models do for it.

    `explanations` is null as long as nobody has explained it.
    """

    explanations: ExplanationsJson | None
    explaining: ModelsWork | None
    writing: ModelsWork | None


class ExchangePage(KeyedPage):
    """A page of posts that are answered."""

    results: list[ExchangeRow]


class ExplainQueued(TypedDict):
    """The run that explains a post; `new` is false if it was there already."""

    exchange: UUID
    run: UUID
    new: bool


class ModelsStopped(TypedDict):
    """How many runs were still open."""

    stopped: int


# ── Replies ───────────────────────────────────────────────────────────────────


class ReplyRow(TypedDict):
    """A reply as it stands. A correction names the reply that it `replaces`; that one names its correction.

    `version` grows with each change. `scored`: the scores are about the present text; else they are about an earlier
    one. `flags` and `override_reason` are those of its approval.
    """

    id: UUID
    item: str | None
    exchange: UUID
    injected: bool
    state: ReplyState
    version: int
    intent: Intent
    registers: list[Register]
    text: str
    author: str
    approver: str | None
    candidate: UUID | None
    created_at: datetime
    changed_at: datetime
    submitted_at: datetime | None
    approved_at: datetime | None
    pc: float | None
    aq: float | None
    t: float | None
    reward: float | None
    seen_intent: str | None
    scored: bool
    flags: list[Flag]
    override_reason: str | None
    replaces: UUID | None
    correction_reason: str | None
    replaced_by: UUID | None
    withdrawn_by: str | None
    withdrawn_at: datetime | None
    withdrawal_reason: str | None


class ReplyVersion(TypedDict):
    """A text as it was handed in, who returned it, when and why, and what it changed in the one before.

    `edits` of the first one are against the reply that it corrects; they are null where there is nothing before it.
    """

    number: int
    intent: Intent
    text: str
    submitted_at: datetime
    returned_by: str | None
    returned_at: datetime | None
    comment: str | None
    edits: list[Edit] | None


class CommentJson(TypedDict):
    """A comment on a reply."""

    author: str
    text: str
    created_at: datetime


class Happened(TypedDict):
    """Something that was done with a reply; `who` is null if the site did it."""

    what: str
    who: str | None
    at: datetime


class LengthJson(TypedDict):
    """How long the present text is on a platform, as that platform counts, and by how much it is too long there."""

    platform: Platform
    length: int
    most: int
    over: int


class ReplyStanding(ReplyRow):
    """A reply as it stands, with every text that was handed in, what was said and done, and what marks its text.

    `edits` are against the text of the `candidate`; null without one. `scoring` is the run in which critics read the
    present text. `claims` are statements to check, with their states.
    """

    versions: list[ReplyVersion]
    comments: list[CommentJson]
    history: list[Happened]
    marks: Sequence[FlaggedWords]
    claims: list[ClaimJson]
    lengths: list[LengthJson]
    edits: list[Edit] | None
    scoring: ModelsWork | None


class ReplyPage(KeyedPage):
    """A page of replies."""

    results: list[ReplyRow]


class Meanwhile(Problem, total=False):
    """The reply changed since it was read; `version` is the present one. Or why else nothing was done."""

    version: int


# ── Comparing blind, and the dataset ──────────────────────────────────────────


class Compared(TypedDict):
    """A candidate, without its writer."""

    id: UUID
    text: str


class PairJson(TypedDict):
    """Two candidates to compare, side by side, with the post that they answer. Both were meant to have this intent."""

    exchange: UUID
    item: str | None
    post: str
    intent: Intent
    left: Compared
    right: Compared


class RatingJson(TypedDict):
    """The stored comparison of two candidates; the first answer of a person counts."""

    left: UUID
    right: UUID
    independence: BetterSide
    adequacy: BetterSide
    relevance: BetterSide
    effectiveness: BetterSide
    category: BetterSide


class StandingJson(TypedDict):
    """The win rates of one model or prompt by criterion; null if it was compared with nobody else.

    `kind` is what wrote: null where a row stands for a prompt.
    """

    name: str
    kind: Writer | None
    independence: WinRate | None
    adequacy: WinRate | None
    relevance: WinRate | None
    effectiveness: WinRate | None
    category: WinRate | None


class WinRates(TypedDict):
    """Win rates by model, by prompt, and by model within each intent."""

    model: list[StandingJson]
    prompt: list[StandingJson]
    informative: list[StandingJson]
    positive: list[StandingJson]
    questioning: list[StandingJson]
    denouncing: list[StandingJson]


class GroupCounts(TypedDict):
    """The approved replies about one target group, by type."""

    group: str
    counts: dict[str, int]
    total: int


class DatasetFigures(TypedDict):
    """Approved replies: by target group and type, mean tokens, splits, and the share of the models' text that was kept.

    `imported`: examples from files, which are in no file of the dataset. `files`: what can be downloaded.
    """

    count: int
    imported: int
    groups: list[GroupCounts]
    totals: dict[str, int]
    mean_tokens: dict[str, float | None]
    splits: dict[str, int]
    kept: float | None
    files: list[str]


class RulesJson(TypedDict):
    """The weights of the reward, and the words that no reply may contain."""

    weight_pc: float
    weight_aq: float
    weight_t: float
    lexicon: list[str]
