"""What the API of scores answers, as types: its description is generated from them.

Every key is always there, and a key that is not named is never there.
"""

from typing import TypedDict
from uuid import UUID

from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.record import ReadingJson
from moderation.models.scores import ScoreSource, ScoreState


class ScoreJson(TypedDict):
    """A score with its parts and what it was made with; the parts are null until it is scored."""

    id: UUID
    state: ScoreState
    reason: str | None
    source: ScoreSource
    method: str
    run: UUID | None
    said_by: str
    explanation: str
    prediction: bool | None
    htc: int | None
    qf: float | None
    tgi: int | None
    cc: int | None
    score: float | None
    p: float | None
    p_masked: float | None
    rule: Rule
    threshold: float
    weights: list[float]
    list: str
    language: str
    estimator: Estimator
    estimated_by: str
    reading: ReadingJson


class ExplanationJson(TypedDict):
    """An explanation that can be scored; `unscorable` says why it cannot."""

    key: str
    source: ScoreSource
    method: str
    said_by: str
    prediction: bool | None
    unscorable: str | None


class ItemScoresJson(TypedDict):
    """The scores of an item, and its explanations."""

    scores: list[ScoreJson]
    explanations: list[ExplanationJson]


class GroupListJson(TypedDict):
    """A list of groups: category → terms."""

    name: str
    groups: dict[str, list[str]]


class GroupListsJson(TypedDict):
    """The built-in lists by name, and the project's own."""

    built_in: list[str]
    own: list[GroupListJson]
