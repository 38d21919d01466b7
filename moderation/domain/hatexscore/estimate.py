"""The form in which a model says p, how hateful a text is."""

from typing import Any

from pydantic import Field, model_validator

from moderation.domain.verdicts import AnswerShape


class Estimate(AnswerShape):
    """A number from 0 to 1; per cents, words and numbers in quotation marks are none."""

    probability: float = Field(ge=0, le=1, strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        """Read a bare number as well."""
        return {"probability": value} if isinstance(value, int | float) and not isinstance(value, bool) else value
