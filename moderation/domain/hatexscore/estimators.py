"""Who estimates p, how hateful a text is, and the form in which a model says it (design section 8)."""

from enum import StrEnum
from typing import Any

from pydantic import Field, model_validator

from moderation.domain.verdicts import AnswerShape

SCORING = "score"
"""The method whose runs read explanations and estimate."""


class Estimator(StrEnum):
    """Whose p it is."""

    MODEL = "model"
    """The model that wrote the explanation, asked for a number; another where that one cannot be asked."""
    LOGPROB = "logprob"
    """The same, by the log-probabilities of yes and no."""
    DETOXIFY = "detoxify"
    """A classifier on this machine (extra `detoxify`)."""
    KEYWORD = "keyword"
    """The built-in baseline: four fixed numbers, no model asked."""
    GIVEN = "given"
    """Nobody: both numbers come with the explanation."""


WORDS = ("yes", "no")
"""Of which `logprob` takes the probabilities."""


class Estimate(AnswerShape):
    """A number from 0 to 1; per cents, words and numbers in quotation marks are none."""

    probability: float = Field(ge=0, le=1, strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        """Read a bare number as well."""
        return {"probability": value} if isinstance(value, int | float) and not isinstance(value, bool) else value
