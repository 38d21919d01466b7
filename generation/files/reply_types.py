"""What the files and the API say of an approved reply, as types."""

from datetime import date
from typing import Literal, TypedDict
from uuid import UUID

from generation.domain.counterspeech.claim_states import ClaimState
from generation.domain.counterspeech.first_step import FirstChoice
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.registers import Register
from generation.domain.counterspeech.safety_flags import Flag
from generation.domain.counterspeech.writers import Writer, WriterMode


class Edit(TypedDict):
    """A part of the text that a person added or removed."""

    kind: Literal["added", "removed"]
    text: str


class ReleasedClaim(TypedDict):
    """A claim of an approved reply in the files: its state, and the page that it rests on.

    `publisher` to `rating` are what the page states of itself; null is "not said", or no page.
    """

    sentence: str
    state: ClaimState
    source: str | None
    publisher: str | None
    author: str | None
    published: str | None
    changed: str | None
    language: str | None
    paywall: bool | None
    rated_claim: str | None
    rating: str | None
    read_on: date | None
    reason: str | None


class ReadMark(TypedDict):
    """A mark that no rule raised, and what it is `by`: `weights` (of words), or the model that read it."""

    flag: Flag
    words: str
    by: str


class ReplyJson(TypedDict):
    """An approved reply in the columns of IntentCONANv2, then its origin and what a person changed.

    `target_group` is the post's own, in a word, and `theme` what is said of that group. `minutes` were spent on the
    text; `post_edit_rate` is how much of the model's text was changed (null without one).
    """

    id: UUID
    hatespeech: str
    csType: str
    counterspeech: str
    hatespeechOffensiveness: str
    targetGroup: str
    speakerIntent: str
    relevantPowerDynamics: str
    hatespeechImplication: str
    targetGroupEmotionalReaction: str
    targetGroupCognitiveReaction: str
    registers: list[Register]
    target_group: str | None
    theme: str | None
    first_step: FirstChoice | None
    split: Literal["train", "validation", "test"]
    item: str | None
    picture_description: str | None
    author: str
    approver: str | None
    approved_on: date | None
    model: str | None
    written_by: Writer
    trained: str | None
    mode: WriterMode | None
    asked_for: int | None
    prompt_digest: str | None
    run: UUID | None
    exemplars: int
    model_text: str | None
    kept: float | None
    post_edit_rate: float | None
    minutes: float | None
    edits: list[Edit]
    pc: float | None
    aq: float | None
    t: float | None
    reward: float | None
    seen_intent: Intent | None
    flags: list[str]
    read_marks: list[ReadMark]
    override_reason: str | None
    claims: list[ReleasedClaim]
    injected: bool
