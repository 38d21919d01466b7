"""The design of a running project: its categories and the words of its question, changed by its admins."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.domain.categories import BadCategories
from annotation.domain.choices import EventVerb
from annotation.domain.design.changes import CategoryChange, changes, merge
from annotation.domain.design.file import BadDesign, Design
from annotation.domain.votes import Category as CategoryValue
from annotation.models import Category, Event, KnownAnswer, Membership, Project, record

_PRIVATE_USE = 0xE000
"""The first character that no key is; keys are set to such characters while two categories exchange theirs."""


class KnownAnswersLeft(BadDesign):
    """A category cannot be retired: `count` known answers name it, and nobody could give them any more."""

    def __init__(self, category: Category, count: int) -> None:
        super().__init__(
            f"Category {category} is the known answer of {count} training or check posts. Change or rest these first."
        )
        self.category = category
        self.count = count


class DesignChangedMeanwhile(ValueError):
    """Somebody stored another design since this one was begun."""


@dataclass(frozen=True)
class DesignChange:
    """An entry of the history: who changed the categories, how, and whether the question changed too."""

    at: datetime
    by: Membership | None
    changes: tuple[CategoryChange, ...]
    question: bool


def design_of(project: Project) -> Design:
    """Return the design in force, with its retired categories."""
    return Design(project.category_values(), dict(project.question))


def store_categories(project: Project, categories: Iterable[CategoryValue]) -> None:
    """Store the categories of a new project."""
    Category.objects.bulk_create(Category(project=project, **_columns(category, None)) for category in categories)


@transaction.atomic
def change_design(
    project: Project, wanted: Design, *, admin: Membership | None, begun_at: int | None = None
) -> tuple[CategoryChange, ...]:
    """Put a design in force and return what changed; an equal design changes nothing.

    `begun_at` is the design number that the writer began with; None: whatever is in force is replaced.
    Categories that `wanted` leaves out are retired. Labels, decisions and figures keep the categories they name.
    Raises BadDesign for a change that is not possible, and DesignChangedMeanwhile.
    """
    project = Project.objects.select_for_update().get(pk=project.pk)
    if begun_at is not None and begun_at != project.design_number:
        raise DesignChangedMeanwhile
    present = project.category_values()
    try:
        merged = merge(present, wanted.categories)
    except BadCategories as bad:
        raise BadDesign(bad.sentence) from bad
    changed = changes(present, merged)
    question = dict(wanted.question)
    if not changed and question == project.question:
        return ()
    _refuse_known_answers(project, [category.code for category in merged if category.retired])
    _store_changes(project, merged)
    asked_otherwise = question != project.question
    project.question = question
    project.design_number += 1
    project.save(update_fields=["question", "design_number"])
    record(
        EventVerb.DESIGN_CHANGED,
        project=project,
        actor=admin,
        number=project.design_number,
        changes=[asdict(change) for change in changed],
        question=question if asked_otherwise else None,
    )
    return changed


def history_of(project: Project) -> list[DesignChange]:
    """Return the changes of the design, newest first."""
    events = Event.objects.filter(project=project, verb=EventVerb.DESIGN_CHANGED).select_related("actor")
    return [
        DesignChange(
            event.at,
            event.actor,
            tuple(CategoryChange(**change) for change in event.facts["changes"]),
            event.facts["question"] is not None,
        )
        for event in events.order_by("-pk")
    ]


def _refuse_known_answers(project: Project, retired: Sequence[int]) -> None:
    known = KnownAnswer.objects.filter(item__project=project, category__code__in=retired, active=True)
    if row := known.select_related("category").order_by("category__code").first():
        raise KnownAnswersLeft(row.category, known.filter(category=row.category).count())


def _store_changes(project: Project, merged: Sequence[CategoryValue]) -> None:
    """Store all categories. Names and keys may change hands, so both are made unique by others first."""
    rows = {row.code: row for row in project.categories.all()}
    for row in rows.values():
        row.name, row.key = f"{chr(_PRIVATE_USE)}{row.code}", chr(_PRIVATE_USE + row.code)
    now = timezone.now()
    Category.objects.bulk_update(rows.values(), ["name", "key"])
    for category in merged:
        row = rows.get(category.code) or Category(project=project)
        for name, value in _columns(category, row.retired_at or now).items():
            setattr(row, name, value)
        row.save()


def _columns(category: CategoryValue, retired_at: datetime | None) -> dict[str, Any]:
    return {
        "code": category.code,
        "name": category.name,
        "aliases": list(category.aliases),
        "hateful": category.hateful,
        "definition": category.definition,
        "key": category.key,
        "place": category.place,
        "colour": category.colour,
        "retired_at": (retired_at or timezone.now()) if category.retired else None,
    }
