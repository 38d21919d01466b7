"""Options of a batch of samples, and the JSON schemas of the models' answers."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from generation.domain.injection.placeholder import INSULT

MOST_CHARACTERS = 1_000
"""The longest sample, in characters."""


class BatchOptions(BaseModel):
    """Options for all samples of a batch."""

    model_config = ConfigDict(extra="forbid")

    language: Annotated[str, Field(max_length=60)] = "English"
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] = 0.9


class _Written(BaseModel):
    """Base of the schemas: other keys are ignored, but the schema that is sent allows none."""

    model_config = ConfigDict(
        extra="ignore", str_strip_whitespace=True, json_schema_extra={"additionalProperties": False}
    )

    text: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]
    people: Annotated[list[Annotated[str, Field(max_length=120)]], Field(max_length=20)] = []
    """Real persons whom the text names; there should be none."""


class HarmlessText(_Written):
    """A text that is not hateful by itself: it contains no placeholder for an insult."""

    @field_validator("text")
    @classmethod
    def _whole(cls, text: str) -> Any:
        if INSULT in text:
            raise ValueError(f"this text is not hateful by itself: write it without {INSULT}")
        return text


class HatefulText(_Written):
    """A text that is hateful by itself: it contains the placeholder for an insult."""

    @field_validator("text")
    @classmethod
    def _left_open(cls, text: str) -> Any:
        if INSULT not in text:
            raise ValueError(f"write {INSULT} where the insult would stand")
        return text


def shape_of(*, text_hateful: bool) -> type[_Written]:
    """Return the schema of a sample's text."""
    return HatefulText if text_hateful else HarmlessText
