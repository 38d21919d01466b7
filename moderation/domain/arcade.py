"""The courtroom of ARCADE as values: cues, rebuttals, who hears whom (design section 8; H-VLI paper, section 5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model
from pydantic_core import PydanticCustomError

from annotation.domain.votes import Category
from moderation.domain.verdicts import AnswerShape, Task, category_type

MOST_ROUNDS = 6


class Track(StrEnum):
    """Whether the gatekeeper chooses the way, or the deep dive is taken without asking."""

    AUTO = "auto"
    DEEP = "deep"


class Way(StrEnum):
    """How a case was heard."""

    FAST = "fast"
    DEEP = "deep"
    DISMISSED = "dismissed"
    """In the deep dive the prosecutor found nothing: category 0 without a judge."""


class CueType(StrEnum):
    """How a cue carries its meaning."""

    DIRECT = "Direct"
    SOCIO_CULTURAL = "Socio-cultural"
    METAPHOR = "Metaphor"


class Temperatures(BaseModel):
    """Of the speakers; the paper's values."""

    model_config = ConfigDict(extra="forbid")

    gate: float = Field(default=0.0, ge=0, le=2)
    argue: float = Field(default=0.8, ge=0, le=2)
    judge: float = Field(default=0.1, ge=0, le=2)


class CourtOptions(BaseModel):
    """What may be chosen about a hearing."""

    model_config = ConfigDict(extra="forbid")

    rounds: int = Field(default=3, ge=1, le=MOST_ROUNDS)
    task: Task = Task.SIX
    track: Track = Track.AUTO
    temperatures: Temperatures = Temperatures()
    glossary: bool = False
    """Approved entries of the project's glossary go with the post."""


Word = Annotated[str, Field(min_length=1, max_length=40)]
Sentence = Annotated[str, Field(min_length=1, max_length=3000)]


class Cue(AnswerShape):
    """What a prosecutor points at. For a metaphor the claim names tenor and vehicle."""

    id: Word
    cue_type: CueType
    target_group: Annotated[str, Field(min_length=1, max_length=300)]
    claim: Sentence
    hate_type: int
    justification: Sentence


class MaintainedCue(AnswerShape):
    """A cue in a later round: the answer to the defence in place of claim and justification."""

    id: Word
    cue_type: CueType
    target_group: Annotated[str, Field(min_length=1, max_length=300)]
    counter_argument: Sentence
    hate_type: int


class Rebuttal(AnswerShape):
    """What the defence answers to one cue; a cue without one is conceded."""

    id: Word
    evidence: Sentence
    rebuttal: Sentence


def _ids_once(rows: Sequence[Any]) -> Sequence[Any]:
    ids = [row.id for row in rows]
    if len(set(ids)) < len(ids):
        raise PydanticCustomError("invalid_output", "two of them have the same id")
    return rows


def cues_shape(categories: Sequence[Category], most: int, *, maintained: bool = False) -> type[AnswerShape]:
    """Return the form of a prosecutor's statement: none to `most` cues, each of a hateful kind of the project."""
    return _cues(tuple(each for each in categories if each.hateful), most, maintained)


@lru_cache(maxsize=64)
def _cues(kinds: tuple[Category, ...], most: int, maintained: bool) -> type[AnswerShape]:
    base: type[AnswerShape] = MaintainedCue if maintained else Cue
    cue = create_model("CueOfKinds", __base__=base, hate_type=(category_type(kinds), ...))
    rows = Annotated[list[cue], Field(max_length=most), AfterValidator(_ids_once)]
    return create_model("Cues", __base__=AnswerShape, cues=(rows, ...))


def rebuttals_shape(ids: Sequence[str]) -> type[AnswerShape]:
    """Return the form of the defence's answer to these cues."""
    return _rebuttals(tuple(ids))


@lru_cache(maxsize=64)
def _rebuttals(ids: tuple[str, ...]) -> type[AnswerShape]:
    def answered(rows: list[Rebuttal]) -> list[Rebuttal]:
        for row in rows:
            if row.id not in ids:
                said = ", ".join(ids) or "none"
                raise PydanticCustomError(
                    "invalid_output", "there is no cue {id}; the cues are: {ids}", {"id": row.id, "ids": said}
                )
        return rows

    rows = Annotated[list[Rebuttal], AfterValidator(_ids_once), AfterValidator(answered)]
    return create_model("Rebuttals", __base__=AnswerShape, rebuttals=(rows, ...))


# ── Who hears what ────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Exchange:
    """What was said in one round."""

    round: int
    cues: Sequence[Mapping[str, Any]]
    rebuttals: Sequence[Mapping[str, Any]]

    @property
    def conceded(self) -> tuple[str, ...]:
        """The cues of this round that the defence left unanswered."""
        answered = {rebuttal["id"] for rebuttal in self.rebuttals}
        return tuple(cue["id"] for cue in self.cues if cue["id"] not in answered)


def exchanges(values: Mapping[str, Any]) -> list[Exchange]:
    """Return the rounds that were heard in full, from the answers by step key."""
    found = []
    for number in range(1, MOST_ROUNDS + 1):
        said, answered = values.get(f"prosecutor.{number}"), values.get(f"defender.{number}")
        if said is None or answered is None:
            break
        found.append(Exchange(number, said["cues"], answered["rebuttals"]))
    return found


def transcript(heard: Sequence[Exchange]) -> list[dict[str, Any]]:
    """Return the exchange as the judge reads it; concessions are said outright."""
    return [
        {
            "round": each.round,
            "prosecution": list(each.cues),
            "defence": list(each.rebuttals),
            "conceded_by_the_defence": list(each.conceded),
        }
        for each in heard
    ]
