"""PREDICT as values: options, the forms of the answers, votes, references, who hears whom, the verdict.

Design section 8; paper "PREDICT: Multi-Agent-based Debate Simulation for Generalized Hate Speech Detection", Algorithms
1 and 2. Where the released code differs the paper counts (papers' notes, section 2): an empty reference is passed as
empty, the judge reads the arguments, agents that are missing are counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model, model_validator
from pydantic_core import PydanticCustomError

from moderation.domain.predict.perspectives import Perspective
from moderation.domain.verdicts import AnswerShape

DONT_KNOW = "I don't know"
HATE, NON_HATE = "Hate", "Non-hate"


class History(StrEnum):
    """What the judge reads."""

    ARGUMENTS = "arguments"
    """What each side said (the paper)."""
    TRANSCRIPTS = "transcripts"
    """Also what each side was asked and given, references included (the released code)."""


class PredictOptions(BaseModel):
    """What may be chosen about a debate of perspectives."""

    model_config = ConfigDict(extra="forbid")

    describe: bool = True
    """A picture is described for the agents, who see none; without it they know the text alone, as in the paper."""
    criteria: bool = True
    examples: bool = True
    rounds: int = Field(default=2, ge=1, le=2)
    without: str = Field(default="", max_length=40)
    """The code of a perspective that is left out."""
    history: History = History.ARGUMENTS
    temperature: float = Field(default=0.0, ge=0, le=2)
    glossary: bool = False
    """Approved entries of the project's glossary go with the post."""


class PredictRun(PredictOptions):
    """The options as a run keeps them, with the perspectives as they were when it was started."""

    perspectives: tuple[Perspective, ...] = ()


class Stance(StrEnum):
    """Where a perspective stands; the last two are in neither reference."""

    HATE = "hate"
    NON_HATE = "non_hate"
    ABSTAINED = "abstained"
    MISSING = "missing"


class Majority(StrEnum):
    """What more perspectives said."""

    HATE = "hate"
    NON_HATE = "non_hate"
    TIE = "tie"


class Position(StrEnum):
    """What a debater makes of the other side's argument."""

    AGREE = "agree"
    REBUT = "rebut"


# ── Forms ─────────────────────────────────────────────────────────────────────

Sentence = Annotated[str, Field(min_length=1, max_length=3000)]


class Argument(AnswerShape):
    """What a side says in round 1."""

    argument: Sentence


class Response(AnswerShape):
    """What a side says in round 2."""

    argument: Sentence
    position: Annotated[Position, BeforeValidator(lambda given: str(given).strip().casefold())]


def _label_reader(labels: Sequence[str]) -> BeforeValidator:
    """Read one of these labels whatever its case; never the nearest match."""
    known = {label.casefold(): label for label in labels}

    def read(given: Any) -> str:
        label = known.get(str(given).strip().rstrip(".").replace("’", "'").casefold())
        if label is None:
            allowed = ", ".join(labels)
            raise PydanticCustomError(
                "invalid_label", "{given} is none of: {allowed}", {"given": str(given)[:80], "allowed": allowed}
            )
        return label

    return BeforeValidator(read)


class Judgement(AnswerShape):
    """The judge's answer, the reason first."""

    reason: str = Field(min_length=1, max_length=6000)
    label: Annotated[str, _label_reader((HATE, NON_HATE)), WithJsonSchema({"type": "string", "enum": [HATE, NON_HATE]})]


class View(AnswerShape):
    """What a perspective answers; the reason may only be missing where it abstains."""

    reason: str = Field(default="", max_length=3000)
    label: str

    @model_validator(mode="after")
    def _has_reason(self) -> "View":
        if not self.reason and self.label != DONT_KNOW:
            raise PydanticCustomError("invalid_output", "the reason is missing")
        return self


def view_shape(perspective: Perspective) -> type[View]:
    """Return the form of a perspective's answer: one of its two labels, or that it does not know."""
    return _view(perspective.hateful_label, perspective.other_label)


@lru_cache(maxsize=128)
def _view(hateful_label: str, other_label: str) -> type[View]:
    labels = [hateful_label, other_label, DONT_KNOW]
    label = Annotated[str, _label_reader(labels), WithJsonSchema({"type": "string", "enum": labels})]
    reason = Annotated[str, Field(max_length=3000)]
    return create_model("ViewOfPerspective", __base__=View, reason=(reason, ...), label=(label, ...))


# ── Votes and references (Algorithm 1) ────────────────────────────────────────


@dataclass(frozen=True)
class Vote:
    """What became of one perspective: its stance, its own label for that, its reason."""

    perspective: str
    name: str
    stance: Stance
    label: str = ""
    reason: str = ""

    def as_json(self) -> dict[str, str]:
        """As the run's outcome keeps it."""
        return {
            "perspective": self.perspective,
            "name": self.name,
            "stance": self.stance,
            "label": self.label,
            "reason": self.reason,
        }


def vote(perspective: Perspective, value: Mapping[str, Any] | None) -> Vote:
    """Return the vote of a perspective that answered this; a value of None is an answer that could not be read."""
    code, name = perspective.code, perspective.name
    if value is None:
        return Vote(code, name, Stance.MISSING)
    label, reason = value["label"], value["reason"]
    if label == DONT_KNOW:
        return Vote(code, name, Stance.ABSTAINED, label, reason)
    stance = Stance.HATE if label == perspective.hateful_label else Stance.NON_HATE
    return Vote(code, name, stance, label, reason)


def tally(votes: Sequence[Vote]) -> dict[str, int]:
    """Count how many perspectives take each stance; missing and abstaining ones are counted too."""
    return {str(stance): sum(each.stance is stance for each in votes) for stance in Stance}


def majority(votes: Sequence[Vote]) -> Majority:
    """Return what most of those that voted said; equal numbers, none included, are a tie."""
    counted = tally(votes)
    hate, other = counted[Stance.HATE], counted[Stance.NON_HATE]
    return Majority.TIE if hate == other else Majority.HATE if hate > other else Majority.NON_HATE


def reference(votes: Sequence[Vote], stance: Stance) -> list[str]:
    """Return the reasons of one side, in the order of the perspectives; empty where nobody took it."""
    return [each.reason for each in votes if each.stance is stance]


# ── Who hears what (Algorithm 2) ──────────────────────────────────────────────

SPEAKERS = ("nonhate.1", "hate.1", "nonhate.2", "hate.2")


def order(rounds: int) -> tuple[str, ...]:
    """Return the debaters' turns in the order in which they are held."""
    return SPEAKERS[: 2 * rounds]


def history(values: Mapping[str, Any], rounds: int) -> list[dict[str, str]]:
    """Return what the judge reads: each argument with its round and its side, in the order in which it was said."""
    lines = []
    for key in order(rounds):
        side, _, number = key.partition(".")
        line = {"round": number, "side": NON_HATE if side == "nonhate" else HATE}
        if number == "2":
            line["position"] = values[key]["position"]
        lines.append(line | {"argument": values[key]["argument"]})
    return lines


def response(said: Mapping[str, Any]) -> str:
    """Return a round-2 response as the other side hears it: its position, then its argument."""
    return f"{'I agree' if said['position'] == Position.AGREE else 'I rebut'}: {said['argument']}"


def agreed(values: Mapping[str, Any]) -> list[str]:
    """Return the turns in which a side came over to the other: a change of stance."""
    return [key for key in SPEAKERS if (values.get(key) or {}).get("position") == Position.AGREE]


def verdict(
    found: Mapping[str, Any], votes: Sequence[Vote], values: Mapping[str, Any], *, suspect: bool
) -> dict[str, Any]:
    """Return the run's outcome: the judge's verdict with the votes, so that people can see a debate that was captured.

    `suspect`: something in what was read looked like an attempt to steer; with a change of stance the run is marked
    (threats T9).
    """
    changed = agreed(values)
    return {
        "hateful": found["label"] == HATE,
        "category": None,
        "reason": found["reason"],
        "label": found["label"],
        "votes": tally(votes),
        "majority": majority(votes),
        "stances": [each.as_json() for each in votes],
        "changed": changed,
        "flipped_after_untrusted_text": suspect and bool(changed),
    }
