"""Options of the counterspeech methods, and the JSON schemas of the models' answers."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from generation.domain.counterspeech.explanations import MOST_CHARACTERS, Explanation
from generation.domain.counterspeech.intents import Intent, read_intents
from generation.domain.counterspeech.languages import english_name
from generation.domain.counterspeech.platforms import NAMES, Platform
from generation.domain.counterspeech.registers import Register, read_registers
from generation.domain.counterspeech.reward import BadParts, Weights
from generation.domain.counterspeech.writers import WriterMode
from vocabulary.folded_words import folded
from vocabulary.refusals import gettext_noop as _
from vocabulary.requests import Asked, Request, Several
from vocabulary.written_values import OWN_WORDS, Number, Share, one_of

MOST_CANDIDATES = 10
MOST_REPLY = 4000
"""The longest reply, in characters."""


MOST_TRANSLATED = 20_000
"""The longest text that is translated, in characters; an answer may take as many tokens."""


class Tone(StrEnum):
    """The tone of a reply."""

    CALM = "calm"
    WARM = "warm"
    FIRM = "firm"
    PLAIN = "plain"


class Length(StrEnum):
    """The length of a reply."""

    SHORT = "short"
    MEDIUM = "medium"
    LONG = "long"


INTENT_WORDS = {
    Intent.INFORMATIVE: _("Informative"),
    Intent.POSITIVE: _("Positive"),
    Intent.QUESTIONING: _("Questioning"),
    Intent.DENOUNCING: _("Denouncing"),
}
_TONES = {Tone.CALM: _("calm"), Tone.WARM: _("warm"), Tone.FIRM: _("firm"), Tone.PLAIN: _("in plain words")}
REGISTER_WORDS = {
    Register.FACTS: _("Facts"),
    Register.HYPOCRISY: _("Points out hypocrisy"),
    Register.CONSEQUENCES: _("Warns of consequences"),
    Register.AFFILIATION: _("Shared identity"),
    Register.EMPATHY: _("Empathy"),
    Register.HUMOR: _("Humour"),
    Register.POSITIVE: _("Positive"),
    Register.QUESTION: _("Counter-question"),
    Register.DENOUNCING: _("Denouncing"),
}
_LENGTHS = {Length.MEDIUM: _("medium"), Length.SHORT: _("short"), Length.LONG: _("long")}
_MODES = {
    WriterMode.LIST: _("for all in one answer, told all that is known"),
    WriterMode.PLAIN: _("for one reply at a time, by a plain instruction"),
}


class Terms(Request):
    """The weights of the reward's parts; 0 switches a part off."""

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
        """Return the weights as `generation.domain.counterspeech.reward` takes them."""
        return Weights(self.pc, self.aq, self.t)


class ExplainOptions(Request):
    """Options of a run that writes the seven explanations."""

    language: Annotated[str, Field(max_length=60)] = ""
    """The language of the explanations; empty means the language of the post."""


class CounterRequest(Request):
    """What people choose of candidates. `shots` 0 and `explanations` off are the paper's ablations."""

    intents: Annotated[
        tuple[Intent, ...],
        Field(min_length=1, max_length=len(Intent)),
        Asked(_("Intents"), words=INTENT_WORDS, option="some of {choices}, or all", read=read_intents),
    ] = tuple(Intent)
    candidates: Annotated[
        int, Field(ge=1, le=MOST_CANDIDATES), Asked(_("Candidates for each"), option="for each intent", metavar="N")
    ] = 5
    tone: Annotated[Tone, Asked(_("Tone"), words=_TONES, option="")] = Tone.CALM
    registers: Annotated[
        Several[Register],
        Field(max_length=len(Register)),
        Asked(
            _("Registers"),
            _("How the replies speak, beside their intent."),
            words=REGISTER_WORDS,
            option="how the replies speak, beside their intent: some of {choices}",
            read=read_registers,
            body="How the replies speak, beside their intent.",
        ),
    ] = ()
    length: Annotated[Length, Asked(_("Length"), words=_LENGTHS, option="")] = Length.MEDIUM
    language: Annotated[
        str,
        Field(max_length=60),
        Asked(
            _("Language"), _("Empty: the language of the post."), option="default: the post's", longest=60, line=True
        ),
    ] = ""
    platform: Annotated[
        Platform | None,
        Asked(
            _("To be posted on"),
            _("Candidates that are too long there are marked."),
            words=NAMES,
            option="the platform whose limit the replies keep to",
            body="The platform whose limit the replies keep to.",
        ),
    ] = None
    shots: Annotated[
        Literal[0, 3],
        Asked(
            _("Examples"), words={3: _("3 approved replies"), 0: _("none")}, option="approved replies shown as examples"
        ),
    ] = 3
    mode: Annotated[
        WriterMode | None,
        Asked(
            _("How the model is asked"),
            words=_MODES,
            option="how the writer is asked: list (all in one answer) or plain (the instruction alone, once for each); "
            "default: as its model's profile says",
            body="How the writer is asked: list (all in one answer) or plain (the instruction alone, once for each). "
            "By default as its model's profile says.",
        ),
    ] = None
    explanations: Annotated[
        bool,
        Asked(
            _("Without the explanations"),
            option="ablation: write from the post alone",
            body="Whether the explanations of the post are used.",
        ),
    ] = True


class CounterOptions(CounterRequest):
    """Options of a run that writes candidates: those that people choose, and those that are fixed when it is queued."""

    mode: WriterMode = WriterMode.LIST
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.8
    terms: Terms = Terms()
    at_once: bool = False
    """Whether a plain writer is asked for all candidates of an intent in one call; filled in when the run is queued."""
    trained: Annotated[str, Field(max_length=80)] = ""
    """What the writing model was trained as, empty if it is prompted; filled in when the run is queued."""
    version: int | None = None
    """The version of the explanations to use; filled in when the run is queued."""
    exemplars: dict[Intent, list[int]] = {}
    """Keys of the exemplars of each intent; filled in when the run is queued, so that a repeated run uses the same."""


class ScoreOptions(Request):
    """Options of a run in which critics score a text that a person wrote or edited."""

    text: Annotated[str, Field(min_length=1, max_length=MOST_REPLY)]
    terms: Terms = Terms()


class TranslateOptions(Request):
    """Options of a run that translates a post, or a reply to it, into the language of its reader."""

    text: Annotated[str, Field(min_length=1, max_length=MOST_TRANSLATED)]
    language: Annotated[str, Field(min_length=2, max_length=20)]
    """The code of the language, as the interface has it."""

    @property
    def language_name(self) -> str:
        """The English name of the language."""
        return english_name(self.language)


class Answer(BaseModel):
    """Base of the schemas of models' answers: other keys are ignored, but the schema that is sent allows none."""

    model_config = ConfigDict(
        extra="ignore", str_strip_whitespace=True, json_schema_extra={"additionalProperties": False}
    )


class Described(Answer):
    """The description of a picture; empty if the model sees no pictures."""

    description: Annotated[str, Field(max_length=3000), OWN_WORDS]


class Explained(Answer):
    """One explanation."""

    explanation: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS), OWN_WORDS]


class Offence(Explained):
    """The first explanation, with the insulting words of the post, which a reply must not repeat."""

    insults: Annotated[list[Annotated[str, Field(max_length=120)]], Field(max_length=12)] = []


class Translated(Answer):
    """A text in another language."""

    translation: Annotated[str, Field(min_length=1, max_length=3 * MOST_TRANSLATED), OWN_WORDS]


class Replies(Answer):
    """The candidates of one intent."""

    replies: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=MOST_REPLY)]],
        Field(min_length=1, max_length=20),
        OWN_WORDS,
    ]


class Stance(Answer):
    """PC, the stance of the reply: −1 opposes what the post claims, 1 supports it."""

    reason: Annotated[str, Field(max_length=1000), OWN_WORDS] = ""
    stance: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False), Number]


class Quality(Answer):
    """AQ, the quality of the argument, 0 to 1."""

    reason: Annotated[str, Field(max_length=1000), OWN_WORDS] = ""
    quality: Share


class Toxicity(Answer):
    """T, the toxicity of the reply, 0 to 1."""

    reason: Annotated[str, Field(max_length=1000), OWN_WORDS] = ""
    toxicity: Share


_INTENT_FORMS = {
    "informative": (
        "informative",
        "information",
        "정보",
        "정보 제공",
        "정보적",
        "정보성",
        "提供信息",
        "信息",
        "信息性",
        "信息型",
    ),
    "positive": ("positive", "긍정", "긍정적", "공감", "积极", "正面", "积极的"),
    "questioning": ("questioning", "question", "질문", "질문형", "의문 제기", "提问", "质疑", "询问"),
    "denouncing": ("denouncing", "denounce", "denunciation", "비판", "규탄", "비난", "谴责", "批评", "批判"),
    "none": ("none", "없음", "해당 없음", "无", "没有"),
}


class SeenIntent(Answer):
    """The intent that a critic sees in a reply; the critic is not told which intent was asked for."""

    reason: Annotated[str, Field(max_length=1000), OWN_WORDS] = ""
    intent: Annotated[Literal["informative", "positive", "questioning", "denouncing", "none"], one_of(_INTENT_FORMS)]


def _nothing(written: Any) -> Any:
    return None if isinstance(written, str) and folded(written) in ("", "null", "none", "nil") else written


_Words = Annotated[str | None, Field(max_length=500), BeforeValidator(_nothing)]


class DraftMarks(Answer):
    """What a draft does to people, in its own words; null is what it does not do. The fields are values of `Flag`."""

    hunts: _Words
    threatens: _Words
    calls_names: _Words
    points_at_a_person: _Words


def shape_of(explanation: Explanation) -> type[Explained]:
    """Return the schema of the answer to the question about this explanation."""
    return Offence if explanation is Explanation.OFFENSIVENESS else Explained
