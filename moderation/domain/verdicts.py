"""What a method ends with, whoever gave it: hateful or not, a category, a reason (design section 8)."""

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model

from annotation.domain.priors.schema import category_reader
from annotation.domain.votes import Category


class Task(StrEnum):
    """What is asked of whoever judges."""

    SIX = "six"
    """One of the project's categories."""
    BINARY = "binary"
    """Hateful or not."""


class AnswerShape(BaseModel):
    """The form of an answer: other keys are passed over, wrong values never clipped; the schema as sent is closed."""

    model_config = ConfigDict(
        extra="ignore", str_strip_whitespace=True, json_schema_extra={"additionalProperties": False}
    )


class BinaryVerdict(AnswerShape):
    """Hateful or not, with the reason first: what is written first guides what follows."""

    reason: str = Field(min_length=1, max_length=6000)
    hateful: Annotated[bool, Field(strict=True)]


class CategoryVerdict(AnswerShape):
    """One of the categories."""

    reason: str = Field(min_length=1, max_length=6000)
    category: int


def verdict_shape(categories: Sequence[Category], task: Task) -> type[AnswerShape]:
    """Return the form of a verdict on this task.

    `category` is read from a code, a name or an alias, written exactly so.
    """
    return BinaryVerdict if task is Task.BINARY else _of_categories(tuple(categories))


@lru_cache(maxsize=64)
def _of_categories(categories: tuple[Category, ...]) -> type[CategoryVerdict]:
    return create_model("VerdictOfCategories", __base__=CategoryVerdict, category=(category_type(categories), ...))


def category_type(categories: Sequence[Category]) -> Any:
    """Return the type of a field that holds one of these categories by its code."""
    codes = [category.code for category in categories]
    return Annotated[
        int,
        BeforeValidator(category_reader(tuple(categories))),
        WithJsonSchema({"type": "integer", "enum": codes}),
    ]


def verdict(value: dict[str, Any], categories: Sequence[Category]) -> dict[str, Any]:
    """`{"hateful", "category", "reason"}` of an answer in either form; a binary one names no category."""
    code = value.get("category")
    hateful = value["hateful"] if code is None else next(each.hateful for each in categories if each.code == code)
    return {"hateful": hateful, "category": code, "reason": value["reason"]}


def not_hateful_verdict(categories: Sequence[Category], task: Task, reason: str) -> dict[str, Any]:
    """Return the verdict that nothing hateful is there.

    It names the first category that is not hateful if the task asks for one.
    """
    code = next((each.code for each in categories if not each.hateful), None) if task is Task.SIX else None
    return {"hateful": False, "category": code, "reason": reason}
