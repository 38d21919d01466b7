"""The form of a prior as a model gives it: an explanation, one of the project's categories, a severity."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model
from pydantic_core import PydanticCustomError

from annotation.domain.categories import names
from annotation.domain.votes import Category


class PriorAnswer(BaseModel):
    """What is read from the answer; other keys are passed over, wrong values are never clipped."""

    # The schema that is sent closes the object, as the vendors' strict modes want.
    model_config = ConfigDict(
        extra="ignore", str_strip_whitespace=True, json_schema_extra={"additionalProperties": False}
    )

    explanation: str = Field(min_length=1, max_length=4000)
    category: int
    severity: int = Field(ge=0, le=3, strict=True)


def answer_shape(categories: Sequence[Category]) -> type[PriorAnswer]:
    """The form for these categories: `category` is read from a code, a name or an alias, written exactly so."""
    return _shape(tuple((category.code, tuple(names(category))) for category in categories))


def category_reader(categories: Sequence[Category]) -> Callable[[Any], int]:
    """A validator that reads a category from its code, its name or an alias, written exactly so.

    Never the nearest match: what is not written like this goes back to the model, then to a person.
    """
    return _reader(tuple((category.code, tuple(names(category))) for category in categories))


@lru_cache(maxsize=64)
def _shape(written: tuple[tuple[int, tuple[str, ...]], ...]) -> type[PriorAnswer]:
    codes = [code for code, _ in written]
    category = Annotated[int, BeforeValidator(_reader(written)), WithJsonSchema({"type": "integer", "enum": codes})]
    return create_model("PriorOfCategories", __base__=PriorAnswer, category=(category, ...))


def _reader(written: tuple[tuple[int, tuple[str, ...]], ...]) -> Callable[[Any], int]:
    allowed = ", ".join(f"{code} ({spelled[0]})" for code, spelled in written)
    known = {str(code): code for code, _ in written} | {name: code for code, spelled in written for name in spelled}

    def code_of(given: Any) -> int:
        code = None if isinstance(given, bool | float) else known.get(str(given))
        if code is None:
            raise PydanticCustomError(
                "invalid_label", "{given} is none of the categories: {allowed}", {"given": given, "allowed": allowed}
            )
        return code

    return code_of
