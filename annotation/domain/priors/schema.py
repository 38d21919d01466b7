"""The form of a model's prior: an explanation, one of the project's categories, a severity."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model
from pydantic_core import PydanticCustomError

from annotation.domain.known_words import spellings
from annotation.domain.votes import Category
from vocabulary.written_values import OWN_REASON, ClosedSet, WholeNumber


class PriorAnswer(BaseModel):
    """The fields that are read from the answer. Other keys are ignored; wrong values are never clipped."""

    # The strict modes of the vendors require a schema without additional properties.
    model_config = ConfigDict(
        extra="ignore", str_strip_whitespace=True, json_schema_extra={"additionalProperties": False}
    )

    explanation: Annotated[str, Field(min_length=1, max_length=4000), OWN_REASON]
    category: int
    severity: Annotated[int, Field(ge=0, le=3, strict=True), WholeNumber]


def answer_shape(categories: Sequence[Category]) -> type[PriorAnswer]:
    """Return the form for these categories: `category` is a code, a name, an alias or a known word, in any form."""
    return _shape(spellings(categories))


def category_reader(categories: Sequence[Category]) -> Callable[[Any], int]:
    """Return a validator that reads a category from its code, name, alias or known word, or from several that agree.

    The nearest match is never taken: an unknown word goes back to the model, then to a person.
    """
    return _reader(spellings(categories))


@lru_cache(maxsize=64)
def _shape(written: tuple[tuple[int, tuple[str, ...]], ...]) -> type[PriorAnswer]:
    codes = [code for code, _ in written]
    category = Annotated[int, BeforeValidator(_reader(written)), WithJsonSchema({"type": "integer", "enum": codes})]
    return create_model("PriorOfCategories", __base__=PriorAnswer, category=(category, ...))


def _reader(written: tuple[tuple[int, tuple[str, ...]], ...]) -> Callable[[Any], int]:
    allowed = ", ".join(f"{code} ({spelled[0]})" for code, spelled in written)
    known = ClosedSet({code: (str(code), *spelled) for code, spelled in written})

    def code_of(value: Any) -> int:
        code = known.read(value)
        if code is None:
            raise PydanticCustomError(
                "invalid_label", "{given} is none of the categories: {allowed}", {"given": value, "allowed": allowed}
            )
        return code

    return code_of
