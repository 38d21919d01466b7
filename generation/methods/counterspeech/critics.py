"""The critics of a reply: stance (PC), quality (AQ), toxicity (T), and what it does, each asked by itself.

The topic is the post and the sentence is the reply. The critic of the intent is told neither the wanted intent nor the
post; the toxicity critic reads the reply alone, as the paper's classifier does. Which model answers is a matter of
the roles `critic` and `toxicity`: a language model, detoxify, or the built-in word lists.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generation.domain.counterspeech.options import Answer, Quality, SeenIntent, Stance, Toxicity
from generation.domain.counterspeech.reward import Weights, reward_or_none
from generation.methods.counterspeech.hate_case import Hate
from providers.roles import ModelRole
from runs.domain.states import TurnState
from runs.methods.method import SavedTurn, Step

ROLES = (ModelRole.CRITIC, ModelRole.TOXICITY)
_TOKENS = 400


@dataclass(frozen=True)
class Critic:
    """Who reads, in which form they answer, and where the number stands in it."""

    name: str
    role: ModelRole
    shape: type[Answer]
    field: str


CRITICS: Mapping[str, Critic] = {
    "pc": Critic("stance", ModelRole.CRITIC, Stance, "stance"),
    "aq": Critic("quality", ModelRole.CRITIC, Quality, "quality"),
    "t": Critic("toxicity", ModelRole.TOXICITY, Toxicity, "toxicity"),
    "intent": Critic("intent", ModelRole.CRITIC, SeenIntent, "intent"),
}


def questions(hate: Hate, reply: str, of: str, description: str) -> list[Step]:
    """The four questions about a reply; `of` tells the steps of several replies apart."""
    return [
        hate.step(
            f"{part}.{of}",
            critic.role,
            ("critics", critic.name),
            {"reply": hate.quoted(reply, "argument")},
            description,
            shape=critic.shape,
            temperature=0.0,
            max_tokens=_TOKENS,
            context={"task": critic.name, "reply": reply},
        )
        for part, critic in CRITICS.items()
    ]


def scores(turns: Mapping[str, SavedTurn], of: str, weights: Weights) -> dict[str, Any]:
    """`{"pc", "aq", "t", "reward", "seen_intent", "critics"}` as rows keep them; None for what nobody could tell."""
    found = {part: _said(turns[f"{part}.{of}"], critic.field) for part, critic in CRITICS.items()}
    told = {part: {"model": turn.model, "reason": _reason(turn)} for part in CRITICS if (turn := turns[f"{part}.{of}"])}
    reward = reward_or_none(found["pc"], found["aq"], found["t"], weights)
    parts = {part: found[part] for part in ("pc", "aq", "t")}
    return {**parts, "reward": reward, "seen_intent": found["intent"] or "", "critics": told}


def _said(turn: SavedTurn, field: str) -> Any:
    return turn.value[field] if turn.state == TurnState.OK else None


def _reason(turn: SavedTurn) -> str:
    return str(turn.value.get("reason", ""))[:500] if turn.state == TurnState.OK else turn.reason
