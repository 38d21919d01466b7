"""The categories that an answer names: whether the project offers them, and whether they can stand together."""

from collections.abc import Iterable
from typing import NoReturn

from annotation.domain.answer import Answer, BadAnswer
from annotation.domain.category_sets import BadSet, check_together
from annotation.domain.choices import Choose
from annotation.models import Category, Project


def read_offered(project: Project, codes: Iterable[int | None], field: str) -> dict[int, Category]:
    """Return the project's categories with these codes, by code.

    Raises BadAnswer about the field if the project has no such category.
    """
    chosen = {code for code in codes if code is not None}
    rows = Category.objects.offered().filter(project=project, code__in=chosen) if chosen else ()
    categories = {category.code: category for category in rows}
    for code in sorted(chosen - categories.keys()):
        refuse_category(project, code, field)
    return categories


def check_set(project: Project, answer: Answer) -> None:
    """Raise BadAnswer for several categories that the project does not offer, or that cannot stand together."""
    if answer.categories:
        rows = read_offered(project, answer.categories, "categories")
        try:
            check_together([rows[code].value() for code in answer.categories], Choose(project.choose))
        except BadSet as bad:
            raise BadAnswer(bad.code, bad.sentence, "categories") from None


def refuse_category(project: Project, code: int, field: str) -> NoReturn:
    """Raise BadAnswer about the field for a code that the project does not offer, by its name where it once did."""
    retired = Category.objects.filter(project=project, code=code).exclude(retired_at=None).first()
    if retired is not None:
        raise BadAnswer(
            "unknown_category", f"Category {code} ({retired.name}) is no longer in use: choose another.", field
        )
    raise BadAnswer("unknown_category", f"This project offers no category {code}.", field)
