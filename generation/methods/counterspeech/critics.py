"""The critics of a reply: stance (PC), quality (AQ), toxicity (T) and intent, each asked separately.

For the stance, the topic is the post and the sentence is the reply. The critic of the intent is told neither the wanted
intent nor the post. The toxicity critic reads the reply alone, as the paper's classifier does. The roles `critic` and
`toxicity` decide which model answers: a language model, detoxify, or the built-in word lists.

Where the project names a `reader`, it is asked beside them what a reply does to people, if no rule and no weight of
words marks that. It reads the reply alone.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from generation.domain.counterspeech.options import (
    Answer,
    DraftMarks,
    Quality,
    SeenIntent,
    Stance,
    Toxicity,
)
from generation.domain.counterspeech.reward import Weights, reward_or_none
from generation.domain.counterspeech.safety_flags import TO_PEOPLE, FlaggedWords, in_wording
from generation.domain.tokens import plain
from generation.methods.counterspeech.hate_case import Hate
from generation.methods.counterspeech.weighed_marks import by_weight
from providers.roles import ModelRole
from runs.domain.states import Flag as TurnFlag
from runs.domain.states import TurnState
from runs.methods.method import SavedTurn, Step

ROLES = (ModelRole.CRITIC, ModelRole.TOXICITY, ModelRole.READER)
_TOKENS = 400


@dataclass(frozen=True)
class Critic:
    """A critic: the role that answers, the schema of the answer, and the field of it that holds the value."""

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


_MARKS = Critic("marks", ModelRole.READER, DraftMarks, "")


def judged_by_writer(plan: Mapping[str, str]) -> list[str]:
    """Return the parts (pc, aq, t, intent) that the model judges which also writes the replies, by the run's plan."""
    writer = plan.get(ModelRole.COUNTERSPEAKER)
    return [part for part, critic in CRITICS.items() if writer and plan.get(critic.role) == writer]


def questions(hate: Hate, reply: str, of: str, description: str, reader: str) -> list[Step]:
    """Return the questions about a reply; `of` is part of the step keys, to tell several replies apart.

    `reader`: the model that reads what nothing else marks; empty if there is none.
    """
    asked = CRITICS if not reader or marks_to_people(reply) else {**CRITICS, _MARKS.name: _MARKS}
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
        for part, critic in asked.items()
    ]


def marks_to_people(reply: str) -> list[FlaggedWords]:
    """Return what marks a reply for what it does to people, by rules and by the weight of its words."""
    by_rules = [finding for finding in in_wording(reply) if finding.flag in TO_PEOPLE]
    return [*by_rules, *by_weight(reply, [finding.flag for finding in by_rules])]


def read_marks(turns: Mapping[str, SavedTurn], reply: str, of: str, reader: str) -> list[dict[str, str]]:
    """Return the marks that this reader read in a reply, as rows store them; words that it made up are left out."""
    turn = turns.get(f"{_MARKS.name}.{of}")
    if turn is None or turn.state != TurnState.OK or TurnFlag.LED_ASTRAY in turn.flags:
        return []
    said = {flag: turn.value[flag] for flag in TO_PEOPLE if turn.value[flag]}
    text = plain(reply)
    return [asdict(FlaggedWords(flag, words if plain(words) in text else "", reader)) for flag, words in said.items()]


def scores(turns: Mapping[str, SavedTurn], of: str, weights: Weights) -> dict[str, Any]:
    """Return `{"pc", "aq", "t", "reward", "seen_intent", "critics"}` as rows store them.

    A score that no critic gave is None, and so is then the reward.
    """
    values = {part: _said(turns[f"{part}.{of}"], critic.field) for part, critic in CRITICS.items()}
    critics = {
        part: {"model": turn.model, "reason": _reason(turn)} for part in CRITICS if (turn := turns[f"{part}.{of}"])
    }
    reward = reward_or_none(values["pc"], values["aq"], values["t"], weights)
    parts = {part: values[part] for part in ("pc", "aq", "t")}
    return {**parts, "reward": reward, "seen_intent": values["intent"] or "", "critics": critics}


def _said(turn: SavedTurn, field: str) -> Any:
    return turn.value[field] if turn.state == TurnState.OK else None


def _reason(turn: SavedTurn) -> str:
    return str(turn.value.get("reason", ""))[:500] if turn.state == TurnState.OK else turn.reason
