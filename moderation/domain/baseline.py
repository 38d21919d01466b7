"""The forms of the one-call methods, and how their prose is read (design section 8)."""

import re
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from moderation.domain.verdicts import AnswerShape


class Variant(StrEnum):
    """Which baseline."""

    CATEGORY = "category"
    BINARY = "binary"
    COMMENT = "comment"
    """One of two fixed forms in prose (AntiHateAgent, Appendix D)."""
    AGENT = "agent"
    """A label and a reason about the text alone (PREDICT's base agent)."""


class BaselineOptions(BaseModel):
    """What may be chosen; a temperature of None is the provider's own."""

    model_config = ConfigDict(extra="forbid")

    variant: Variant = Variant.CATEGORY
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None


class ExplainOptions(BaseModel):
    """What may be chosen about an explanation."""

    model_config = ConfigDict(extra="forbid")

    shots: Literal[0, 2] = 0
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0


class AgentAnswer(AnswerShape):
    """What the base agent answers."""

    label: Literal["hateful", "not hateful"]
    reason: str = Field(min_length=1, max_length=4000)


_FORM = re.compile(
    r"\A\W*(?P<no>not |non-?)?hate[ -]?speech\s*[:：\-–—]\s*(?P<reason>\S.*)\Z", re.IGNORECASE | re.DOTALL
)


def read_comment(text: str) -> tuple[bool, str] | None:
    """Hateful or not and the reason, from one of the two fixed forms; None where the text has neither."""
    found = _FORM.match(text.strip())
    return None if found is None else (found["no"] is None, found["reason"].strip())


# Only the two gaps after the word may hold line ends, and few: a run of blank lines is not walked from each of them.
_CONCLUSION = re.compile(
    r"^[^\w\n]*conclusion\W{0,20}[:：]\W{0,20}(?P<no>non[- ]?|not )?hateful[^\w\n]*$", re.IGNORECASE | re.MULTILINE
)


def read_conclusion(text: str) -> bool | None:
    """Return what the last conclusion line of an explanation says.

    Returns None if there is none, or where two differ.
    """
    said = {found["no"] is None for found in _CONCLUSION.finditer(text)}
    return said.pop() if len(said) == 1 else None
