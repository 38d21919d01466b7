"""The verdict of every method: hateful or not, a category, a reason (design section 8)."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model

from annotation.domain.categories import names
from annotation.domain.priors.schema import category_reader
from annotation.domain.votes import Category
from moderation.domain.hatexscore import htc
from moderation.domain.task import Task

REASON_DISAGREES = "reason_disagrees"
"""The warning of a verdict whose own reason concludes the opposite."""


class AnswerShape(BaseModel):
    """The form of an answer. Extra keys are ignored, wrong values refused; the model's schema allows no extra keys."""

    model_config = ConfigDict(
        extra="ignore", str_strip_whitespace=True, json_schema_extra={"additionalProperties": False}
    )


class BinaryVerdict(AnswerShape):
    """Hateful or not. The reason comes first, because a model's later words follow from its earlier ones."""

    reason: str = Field(min_length=1, max_length=6000)
    hateful: Annotated[bool, Field(strict=True)]


class CategoryVerdict(AnswerShape):
    """One of the categories."""

    reason: str = Field(min_length=1, max_length=6000)
    category: int


def verdict_shape(categories: Sequence[Category], task: Task) -> type[AnswerShape]:
    """Return the form of a verdict on this task.

    `category` is read from a code, a name or an alias, in any letter case.
    """
    return BinaryVerdict if task is Task.BINARY else _of_categories(tuple(categories))


@lru_cache(maxsize=64)
def _of_categories(categories: tuple[Category, ...]) -> type[CategoryVerdict]:
    return create_model("VerdictOfCategories", __base__=CategoryVerdict, category=(category_type(categories), ...))


def category_type(categories: Sequence[Category]) -> Any:
    """Return the type of a field that holds one of these categories by its code; letter case does not matter."""
    codes = [category.code for category in categories]
    return Annotated[
        int,
        BeforeValidator(_in_any_case(categories)),
        WithJsonSchema({"type": "integer", "enum": codes}),
    ]


def _in_any_case(categories: Sequence[Category]) -> Callable[[Any], int]:
    """Return a reader that takes a name in another letter case if only one category is called so."""
    read_exactly = category_reader(tuple(categories))
    spelled: dict[str, set[str]] = {}
    for category in categories:
        for name in names(category):
            spelled.setdefault(name.casefold(), set()).add(str(category.code))

    def read(value: Any) -> int:
        codes = spelled.get(value.strip().casefold(), set()) if isinstance(value, str) else set()
        return read_exactly(next(iter(codes)) if len(codes) == 1 else value)

    return read


def stated_verdict(hateful: bool | None, reason: str, category: int | None = None) -> dict[str, Any]:
    """Return `{"hateful", "category", "reason"}`, with a warning where the reason itself concludes the opposite."""
    said = None if hateful is None else htc.verdict(reason)
    warned = {"warnings": [REASON_DISAGREES]} if said is not None and said is not hateful else {}
    return {"hateful": hateful, "category": category, "reason": reason} | warned


def verdict(value: dict[str, Any], categories: Sequence[Category]) -> dict[str, Any]:
    """Return the stated verdict of an answer in either form; a binary answer has no category."""
    code = value.get("category")
    hateful = value["hateful"] if code is None else next(row.hateful for row in categories if row.code == code)
    return stated_verdict(hateful, value["reason"], code)


def not_hateful_verdict(categories: Sequence[Category], task: Task, reason: str) -> dict[str, Any]:
    """Return the verdict "not hateful".

    It names the first category that is not hateful if the task asks for a category.
    """
    code = next((category.code for category in categories if not category.hateful), None) if task is Task.SIX else None
    return {"hateful": False, "category": code, "reason": reason}
