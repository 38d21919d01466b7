"""Options of a batch of samples, and the JSON schemas of the models' answers."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model, field_validator
from pydantic_core import PydanticCustomError

from annotation.domain.known_words import spellings
from annotation.domain.priors.schema import category_reader
from annotation.domain.votes import Category
from generation.domain.injection.placeholder import INSULT
from vocabulary.refusals import gettext_noop as _
from vocabulary.requests import Asked, Request
from vocabulary.written_values import OWN_WORDS, ClosedSet

MOST_CHARACTERS = 1_000
"""The longest sample, in characters."""
LONGEST_DESCRIPTION = 2_000
MOST_SEED = 2**31 - 1
_Spelled = tuple[tuple[int, tuple[str, ...]], ...]
"""Categories as keys of a cache: equal categories may have other names."""


class BatchOptions(Request):
    """Options for all samples of a batch."""

    language: Annotated[
        str, Field(max_length=60), Asked(_("Language of the texts"), option="of the texts", longest=60, line=True)
    ] = "English"
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False), Asked(_("Temperature"), option="")] = 0.9


class PlanOptions(BatchOptions):
    """How a plan is carried out, as programs ask for it."""

    seed: Annotated[
        int | None,
        Field(ge=0, le=MOST_SEED),
        Asked(option="deals pictures and trigger texts; default: drawn, and recorded"),
    ] = None
    again: Annotated[
        bool,
        Asked(
            option="begin another batch of a plan that was carried out",
            body="Another batch of a plan that was carried out.",
        ),
    ] = False

    @property
    def batch(self) -> BatchOptions:
        """Return the options that a batch stores."""
        return BatchOptions(language=self.language, temperature=self.temperature)


class _Answer(BaseModel):
    """Base of the schemas: other keys are ignored, but the schema that is sent allows none."""

    model_config = ConfigDict(
        extra="ignore", str_strip_whitespace=True, json_schema_extra={"additionalProperties": False}
    )


class LookAnswer(_Answer):
    """What a model sees in a picture alone. `target_group` is empty if it is about none of the groups."""

    description: Annotated[str, Field(min_length=1, max_length=LONGEST_DESCRIPTION), OWN_WORDS]
    category: int
    target_group: str


class WrittenAnswer(_Answer):
    """A text, and how its writer reads it: the text alone, text and picture together, and about whom."""

    text: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS), OWN_WORDS]
    target_group: str
    text_label: int
    final_label: int
    people: Annotated[list[Annotated[str, Field(max_length=120)]], Field(max_length=20)] = []
    """Real persons whom the text names; there should be none."""


class HarmlessText(WrittenAnswer):
    """A text that is not hateful by itself: it contains no placeholder for an insult."""

    @field_validator("text")
    @classmethod
    def _whole(cls, text: str) -> Any:
        if INSULT in text:
            raise ValueError(f"this text is not hateful by itself: write it without {INSULT}")
        return text


class HatefulText(WrittenAnswer):
    """A text that is hateful by itself: it contains the placeholder for an insult."""

    @field_validator("text")
    @classmethod
    def _left_open(cls, text: str) -> Any:
        if INSULT not in text:
            raise ValueError(f"write {INSULT} where the insult would stand")
        return text


def look_shape(categories: Sequence[Category], groups: Sequence[str]) -> type[LookAnswer]:
    """Return the schema of a look: a category of the project, and one of these groups or null."""
    return _look_shape(spellings(categories), tuple(groups))


def written_shape(*, text_hateful: bool, categories: Sequence[Category], groups: Sequence[str]) -> type[WrittenAnswer]:
    """Return the schema of a sample's text with its readings."""
    return _written_shape(text_hateful, spellings(categories), tuple(groups))


@lru_cache(maxsize=64)
def _look_shape(categories: _Spelled, groups: tuple[str, ...]) -> type[LookAnswer]:
    code, group = _code(categories), _group(groups)
    return create_model("LookAtPicture", __base__=LookAnswer, category=(code, ...), target_group=(group, ...))


@lru_cache(maxsize=64)
def _written_shape(text_hateful: bool, categories: _Spelled, groups: tuple[str, ...]) -> type[WrittenAnswer]:
    code, group = _code(categories), _group(groups)
    base: type[WrittenAnswer] = HatefulText if text_hateful else HarmlessText
    return create_model(
        "WrittenText", __base__=base, target_group=(group, ...), text_label=(code, ...), final_label=(code, ...)
    )


def _code(categories: _Spelled) -> Any:
    """Return the type of a category's code; a name, an alias or a known word is read too."""
    rows = [Category(code, name, hateful=False, aliases=tuple(others)) for code, (name, *others) in categories]
    schema = {"type": "integer", "enum": [row.code for row in rows]}
    return Annotated[int, BeforeValidator(category_reader(rows)), WithJsonSchema(schema)]


_NOBODY = ("null", "none", "nobody", "no group", "없음", "해당 없음", "无", "没有")


def _group(groups: tuple[str, ...]) -> Any:
    """Return the type of a group: one of these in any form, or null, which is read as an empty text."""
    known = ClosedSet({"": _NOBODY} | {group: (group,) for group in groups})

    def group_of(value: Any) -> str:
        if value is None or value == "":
            return ""
        group = known.read(value)
        if group is None:
            raise PydanticCustomError(
                "invalid_label",
                "{given} is none of the groups: {allowed}",
                {"given": value, "allowed": ", ".join([*groups, "null"])},
            )
        return group

    schema = {"type": ["string", "null"], "enum": [*groups, None]}
    return Annotated[str, BeforeValidator(group_of), WithJsonSchema(schema)]
