"""The words and options of an ARCADE debate (design section 8; H-VLI paper, section 5)."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from moderation.domain.prompt_options import PromptOptions
from moderation.domain.task import Task
from moderation.domain.tongue import TONGUE_WORDS, Tongue
from vocabulary.refusals import gettext_noop as _
from vocabulary.requests import Asked

MOST_ROUNDS = 6


class Track(StrEnum):
    """The choice of the way: by the gatekeeper (`auto`), or always the deep dive (`deep`)."""

    AUTO = "auto"
    DEEP = "deep"


class Way(StrEnum):
    """The way in which a case was judged."""

    FAST = "fast"
    DEEP = "deep"
    DISMISSED = "dismissed"
    """The prosecutor found no cue in the deep dive: category 0 without a judge."""


class CueType(StrEnum):
    """The way in which a cue expresses its meaning."""

    DIRECT = "Direct"
    SOCIO_CULTURAL = "Socio-cultural"
    METAPHOR = "Metaphor"


CUE_TYPE_FORMS = {
    CueType.DIRECT: (
        *(
            "Direct",
            "direct expression",
            "explicit",
            "직접",
            "직접적",
            "직접적임",
            "직접 표현",
            "직접적 표현",
            "명시적",
        ),
        *("overt", "直接", "直接的", "直接表达", "明示", "明确", "显性"),
    ),
    CueType.SOCIO_CULTURAL: (
        *(
            "Socio-cultural",
            "social-cultural",
            "cultural",
            "사회문화",
            "사회 문화",
            "사회문화적",
            "사회·문화적",
            "사회적·문화적",
            "문화적",
        ),
        *("社会文化", "社会文化的", "社会文化性", "文化"),
    ),
    CueType.METAPHOR: (
        *(
            "Metaphor",
            "metaphorical",
            "metaphoric",
            "metaphors",
            "은유",
            "은유적",
            "은유적임",
            "은유법",
            "비유",
            "비유적",
        ),
        *("隐喻", "隐喻的", "隐喻性", "比喻", "暗喻"),
    ),
}
"""What models write for a type of cue."""


class Temperatures(BaseModel):
    """The temperatures of the speakers; the defaults are the paper's."""

    model_config = ConfigDict(extra="forbid")

    gate: float = Field(default=0.0, ge=0, le=2)
    argue: float = Field(default=0.8, ge=0, le=2)
    judge: float = Field(default=0.1, ge=0, le=2)


class CourtOptions(PromptOptions):
    """The options of a debate."""

    rounds: Annotated[
        int,
        Field(ge=1, le=MOST_ROUNDS),
        Asked(_("Rounds"), option="rounds of the deep dive", metavar="K", compared=_("Rounds of ARCADE")),
    ] = 3
    track: Annotated[
        Track,
        Asked(
            _("Fast or deep"),
            words={Track.AUTO: _("the gatekeeper chooses"), Track.DEEP: _("deep dive, no gatekeeper")},
            option="auto, or deep without the gatekeeper",
            compared=_("Way of ARCADE"),
        ),
    ] = Track.AUTO
    task: Annotated[
        Task,
        Asked(
            _("Question"),
            words={Task.SIX: _("which category"), Task.BINARY: _("hateful or not")},
            option="all categories, or hateful or not",
        ),
    ] = Task.SIX
    language: Annotated[
        Tongue,
        Asked(
            _("Language of the arguments"),
            words=TONGUE_WORDS,
            option="of the arguments; post: the post's, if Korean or Chinese",
        ),
    ] = Tongue.POST
    """The language in which the speakers argue."""
    temperatures: Temperatures = Temperatures()
    glossary: bool = False
    """Whether the prompts contain approved entries of the project's glossary."""
