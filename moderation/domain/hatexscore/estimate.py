"""The form in which a model says p, how hateful a text is."""

from typing import Any

from pydantic import model_validator

from moderation.domain.verdicts import AnswerShape
from vocabulary.written_values import Share


class Estimate(AnswerShape):
    """A number from 0 to 1, also in quotation marks or in per cent."""

    probability: Share

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        """Read a bare number as well."""
        return {"probability": value} if isinstance(value, int | float | str) and not isinstance(value, bool) else value
