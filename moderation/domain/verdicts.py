"""The verdict of every method: hateful or not, a category, a reason (design section 8)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model

from annotation.domain.priors.schema import category_reader
from annotation.domain.votes import Category
from moderation.domain.hatexscore import htc
from moderation.domain.task import Task
from vocabulary.written_values import NO_FORMS, OWN_REASON, YES_FORMS, one_of

HATEFUL_FORMS = (
    *("hate", "hateful", "hate speech"),
    *("혐오", "혐오 표현", "혐오 발언", "혐오적", "혐오적임", "혐오임", "혐오 표현임", "혐오 있음"),
    *("仇恨", "仇恨言论", "仇恨内容", "仇恨性", "有仇恨", "是仇恨", "是仇恨言论", "属于仇恨言论", "含有仇恨"),
)
NOT_HATEFUL_FORMS = (
    *(f"{no} {form}" for no in ("non", "not", "not a", "no") for form in ("hate", "hateful", "hate speech")),
    *(f"비{form}" for form in ("혐오", "혐오 표현", "혐오 발언")),
    "무혐오",
    *(f"{form}{no}" for form in ("혐오", "혐오 표현", "혐오 발언") for no in (" 아님", "이 아님", "가 아님", " 없음")),
    "혐오적이지 않음",
    *(
        f"{no}{form}"
        for no in ("非", "不", "无", "不是", "没有", "不含", "不属于", "不构成", "并非")
        for form in ("仇恨", "仇恨言论", "仇恨内容", "仇恨性")
    ),
)
"""What models write for hateful and not hateful, in the languages of the posts."""

REASON_DISAGREES = "reason_disagrees"
"""The warning of a verdict whose own reason concludes the opposite."""


class AnswerShape(BaseModel):
    """The form of an answer. Extra keys are ignored, wrong values refused; the model's schema allows no extra keys."""

    model_config = ConfigDict(
        extra="ignore", str_strip_whitespace=True, json_schema_extra={"additionalProperties": False}
    )


Reasoning = Annotated[str, Field(min_length=1, max_length=6000), OWN_REASON]
"""Why the post is judged so."""


class BinaryVerdict(AnswerShape):
    """Hateful or not. The reason comes first, because a model's later words follow from its earlier ones."""

    reason: Reasoning
    hateful: Annotated[
        bool,
        Field(strict=True),
        one_of({True: (*YES_FORMS, *HATEFUL_FORMS), False: (*NO_FORMS, *NOT_HATEFUL_FORMS)}),
    ]


class CategoryVerdict(AnswerShape):
    """One of the categories."""

    reason: Reasoning
    category: int


def verdict_shape(categories: Sequence[Category], task: Task) -> type[AnswerShape]:
    """Return the form of a verdict on this task.

    `category` is read from a code, a name or an alias, in any of its forms.
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
        BeforeValidator(category_reader(categories)),
        WithJsonSchema({"type": "integer", "enum": codes}),
    ]


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
