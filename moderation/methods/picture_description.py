"""The step that describes a picture, for methods that judge by words only."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from moderation.domain.verdicts import AnswerShape
from moderation.methods.post_case import Post
from providers.roles import ModelRole
from runs.methods.method import Step
from vocabulary.written_values import OWN_WORDS

KEY = "describe"
_TOKENS = 1200


class Description(AnswerShape):
    """A picture in words; both fields are empty from a model that cannot see it."""

    words: str = Field(max_length=4000)
    description: Annotated[str, Field(max_length=4000), OWN_WORDS]


def describe_step(post: Post, *, temperature: float = 0.0) -> Step:
    """Return the step that asks for a description of the post's picture."""
    return post.step(
        KEY,
        ModelRole.DESCRIBER,
        "describe",
        "picture",
        {},
        shape=Description,
        temperature=temperature,
        max_tokens=_TOKENS,
    )


def description_text(value: Mapping[str, Any] | None) -> str:
    """Return the description in a turn as prompts show it; empty if there is none."""
    description = value or {"words": "", "description": ""}
    words = f"It reads: {description['words']}" if description["words"] else ""
    return "\n".join(part for part in (description["description"], words) if part)
