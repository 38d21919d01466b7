"""Putting a picture into words, for methods that judge by words alone."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from moderation.domain.verdicts import Shape
from moderation.methods.post import Post
from providers.roles import ModelRole
from runs.method import Step

KEY = "describe"
_TOKENS = 1200


class Description(Shape):
    """A picture in words; both empty from whoever cannot see it."""

    words: str = Field(max_length=4000)
    description: str = Field(max_length=4000)


def describe(post: Post, *, temperature: float = 0.0) -> Step:
    """The question for a description of the post's picture."""
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


def in_words(value: Mapping[str, Any] | None) -> str:
    """The description that a turn holds, as it stands in prompts; empty where nobody described the picture."""
    found = value or {"words": "", "description": ""}
    words = f"It reads: {found['words']}" if found["words"] else ""
    return "\n".join(part for part in (found["description"], words) if part)
