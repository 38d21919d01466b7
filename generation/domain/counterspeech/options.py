"""What may be chosen about explanations, candidates and scores, and the forms in which models answer."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from generation.domain.counterspeech.explanations import MOST_CHARACTERS, Explanation
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.reward import BadParts, Weights

MOST_CANDIDATES = 10
MOST_REPLY = 4000
"""The longest reply, in characters."""


class Tone(StrEnum):
    """How a reply sounds."""

    CALM = "calm"
    WARM = "warm"
    FIRM = "firm"
    PLAIN = "plain"


class Length(StrEnum):
    """How long a reply is."""

    SHORT = "short"
    MEDIUM = "medium"
    LONG = "long"


class _Options(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Terms(_Options):
    """The weights of the reward's parts; nought switches a part off."""

    pc: Annotated[float, Field(ge=0, le=100)] = 1.0
    aq: Annotated[float, Field(ge=0, le=100)] = 1.0
    t: Annotated[float, Field(ge=0, le=100)] = 1.0

    @model_validator(mode="after")
    def _some_weight(self) -> "Terms":
        try:
            self.weights()
        except BadParts as bad:
            raise ValueError(str(bad)) from None
        return self

    def weights(self) -> Weights:
        """As the rules take them."""
        return Weights(self.pc, self.aq, self.t)


class ExplainOptions(_Options):
    """What may be chosen about the seven explanations."""

    language: Annotated[str, Field(max_length=60)] = ""
    """In which they are written; empty: the post's own."""


class CounterOptions(_Options):
    """What may be chosen about candidates. `shots` 0 and `explanations` off are the paper's ablations."""

    intents: Annotated[list[Intent], Field(min_length=1, max_length=len(Intent))] = list(Intent)
    candidates: Annotated[int, Field(ge=1, le=MOST_CANDIDATES)] = 5
    tone: Tone = Tone.CALM
    length: Length = Length.MEDIUM
    language: Annotated[str, Field(max_length=60)] = ""
    explanations: bool = True
    shots: Literal[0, 3] = 3
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.8
    terms: Terms = Terms()
    version: int | None = None
    """The version of the explanations that is used; filled in when the run is asked for."""
    exemplars: dict[Intent, list[int]] = {}
    """The rows of the store that guide each intent; filled in when the run is asked for, so that a run repeats."""


class ScoreOptions(_Options):
    """A text that somebody wrote or edited, to be read by the critics."""

    text: Annotated[str, Field(min_length=1, max_length=MOST_REPLY)]
    terms: Terms = Terms()


class Answer(BaseModel):
    """The form of a model's answer: other keys are passed over; the schema as sent is closed."""

    model_config = ConfigDict(
        extra="ignore", str_strip_whitespace=True, json_schema_extra={"additionalProperties": False}
    )


class Described(Answer):
    """A picture in words; empty where the model sees none."""

    description: Annotated[str, Field(max_length=3000)]


class Explained(Answer):
    """One explanation."""

    explanation: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]


class Offence(Explained):
    """The first explanation, with the insulting words of the post: a reply must not repeat them."""

    insults: Annotated[list[Annotated[str, Field(max_length=120)]], Field(max_length=12)] = []


class Replies(Answer):
    """Candidates of one intent."""

    replies: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=MOST_REPLY)]], Field(min_length=1, max_length=20)
    ]


class Stance(Answer):
    """PC: −1 opposes what the post claims, 1 supports it."""

    reason: Annotated[str, Field(max_length=1000)] = ""
    stance: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]


class Quality(Answer):
    """AQ: how good the argument is."""

    reason: Annotated[str, Field(max_length=1000)] = ""
    quality: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Toxicity(Answer):
    """T: how toxic the reply is."""

    reason: Annotated[str, Field(max_length=1000)] = ""
    toxicity: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class SeenIntent(Answer):
    """What a reply does, said by somebody who was not told what it was meant to do."""

    reason: Annotated[str, Field(max_length=1000)] = ""
    intent: Literal["informative", "positive", "questioning", "denouncing", "none"]


def shape_of(explanation: Explanation) -> type[Explained]:
    """The form of the answer to one of the seven questions."""
    return Offence if explanation is Explanation.OFFENSIVENESS else Explained
