"""The design of a running project: categories, words of its question and further questions, changed by its admins."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation.domain.categories import BadCategories
from annotation.domain.choices import Choose, EventVerb
from annotation.domain.design.changes import CategoryChange, changes, merge
from annotation.domain.design.file import BadDesign, Design
from annotation.domain.design.question_changes import QuestionChange
from annotation.domain.design.question_changes import changes as question_changes
from annotation.domain.design.question_changes import merge as merge_questions
from annotation.domain.questions.design_rows import with_keys
from annotation.domain.questions.question import Question as QuestionValue
from annotation.domain.questions.refusals import BadQuestions
from annotation.domain.votes import Category as CategoryValue
from annotation.models import Category, Event, Item, KnownAnswer, Label, Membership, Project, Question, record
from annotation.models.questions import question_columns

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


@dataclass(frozen=True)
class Difference:
    """What differs between two designs; without a difference it is false."""

    categories: tuple[CategoryChange, ...] = ()
    questions: tuple[QuestionChange, ...] = ()
    words: bool = False
    """Whether the words above the categories differ."""
    choose: Choose | None = None
    """How many categories an answer may name from now on, if that differs."""

    def __bool__(self) -> bool:
        return bool(self.categories or self.questions or self.words or self.choose)


class ChoiceIsFixed(BadDesign):
    """How many categories an answer may name does not change once there are answers."""

    def __init__(self) -> None:
        super().__init__(
            "Whether people choose one category or several cannot change any more: posts have labels or categories."
        )


class DesignChangedMeanwhile(ValueError):
    """Somebody stored another design since this one was begun."""


@dataclass(frozen=True)
class DesignChange:
    """An entry of the history: who changed the design, when, and what."""

    at: datetime
    by: Membership | None
    difference: Difference


def design_of(project: Project) -> Design:
    """Return the design in force, with its retired categories and questions."""
    questions = sorted(
        (row.value() for row in project.questions.filter(newest=True)), key=lambda question: question.retired
    )
    choose = Choose(project.choose)
    return Design(project.category_values(), dict(project.question), tuple(questions), choose)


def store_design(project: Project, design: Design) -> None:
    """Store the design of a new project."""
    Category.objects.bulk_create(
        Category(project=project, **columns_of(category, None)) for category in design.categories
    )
    _store_questions(project, [replace(question, version=1) for question in design.questions or ()])


@transaction.atomic
def change_design(
    project: Project, new_design: Design, *, admin: Membership | None, begun_at: int | None = None
) -> Difference:
    """Put a design in force and return what changed; an equal design changes nothing.

    `begun_at` is the design number that the writer began with; None: whatever is in force is replaced.
    Categories and questions that `new_design` leaves out are retired. Labels, decisions and figures keep theirs.
    Raises BadDesign for a change that is not possible, and DesignChangedMeanwhile.
    """
    project = Project.objects.select_for_update().get(pk=project.pk)
    if begun_at is not None and begun_at != project.design_number:
        raise DesignChangedMeanwhile
    present = design_of(project)
    stored_questions = present.questions or ()
    categories, questions = merged_design(present, new_design)
    difference = Difference(
        changes(present.categories, categories),
        question_changes(stored_questions, questions),
        words=dict(new_design.question) != project.question,
        choose=new_design.choose if new_design.choose != project.choose else None,
    )
    if not difference:
        return difference
    refuse_other_choice(project, new_design)
    _refuse_known_answers(project, [category.code for category in categories if category.retired])
    _store_changes(project, categories)
    _store_questions(project, questions)
    project.question = dict(new_design.question)
    project.choose = difference.choose or project.choose
    project.design_number += 1
    project.save(update_fields=["question", "choose", "design_number"])
    record(
        EventVerb.DESIGN_CHANGED,
        project=project,
        actor=admin,
        number=project.design_number,
        changes=[asdict(change) for change in difference.categories],
        question=project.question if difference.words else None,
        questions=[asdict(change) for change in difference.questions],
        choose=difference.choose,
    )
    return difference


def refuse_other_choice(project: Project, new_design: Design) -> None:
    """Raise ChoiceIsFixed if the design would change how many categories an answer may name, and that is settled."""
    if new_design.choose not in (None, project.choose) and is_choice_fixed(project):
        raise ChoiceIsFixed


def is_choice_fixed(project: Project) -> bool:
    """Whether it is settled how many categories an answer may name: something in the project names categories."""
    items = Item.objects.filter(project=project)
    named = Q(category__isnull=False) | Q(intended__isnull=False) | Q(known_answer__isnull=False)
    return Label.objects.filter(item__project=project).exists() or items.filter(named).exists()


def merged_design(present: Design, new_design: Design) -> tuple[tuple[CategoryValue, ...], tuple[QuestionValue, ...]]:
    """Return all categories and the newest version of every question after the change. Raises BadDesign."""
    try:
        categories = merge(present.categories, new_design.categories)
        before = present.questions or ()
        questions = before if new_design.questions is None else merge_questions(before, new_design.questions)
        return categories, with_keys(questions, categories)
    except (BadCategories, BadQuestions) as bad:
        raise BadDesign(bad.pattern, **bad.values) from bad


def history_of(project: Project) -> list[DesignChange]:
    """Return the changes of the design, newest first."""
    events = Event.objects.filter(project=project, verb=EventVerb.DESIGN_CHANGED).select_related("actor")
    return [DesignChange(event.at, event.actor, _difference(event.facts)) for event in events.order_by("-pk")]


def _difference(facts: Mapping[str, Any]) -> Difference:
    """Return the difference of an event; one from before there were further questions names none."""
    return Difference(
        tuple(CategoryChange(**change) for change in facts["changes"]),
        tuple(QuestionChange(**{**change, "parts": tuple(change["parts"])}) for change in facts.get("questions", ())),
        words=facts["question"] is not None,
        choose=Choose(facts["choose"]) if facts.get("choose") else None,
    )


def _refuse_known_answers(project: Project, retired: Sequence[int]) -> None:
    rows = KnownAnswer.objects.filter(item__project=project, active=True).select_related("category")
    named = Counter(code for row in rows for code in row.codes) if retired else Counter[int]()
    for code in sorted(retired):
        if named[code]:
            raise KnownAnswersLeft(project.categories.get(code=code), named[code])


def _store_changes(project: Project, merged: Sequence[CategoryValue]) -> None:
    """Store all categories. Names and keys may change hands, so both are made unique by others first."""
    rows = {row.code: row for row in project.categories.all()}
    for row in rows.values():
        row.name, row.key = f"{chr(_PRIVATE_USE)}{row.code}", chr(_PRIVATE_USE + row.code)
    now = timezone.now()
    Category.objects.bulk_update(rows.values(), ["name", "key"])
    for category in merged:
        row = rows.get(category.code) or Category(project=project)
        for name, value in columns_of(category, row.retired_at or now).items():
            setattr(row, name, value)
        row.save()


def _store_questions(project: Project, merged: Sequence[QuestionValue]) -> None:
    """Store the newest version of every question; a new version is a new row, and the earlier ones stay."""
    rows = {row.code: row for row in project.questions.filter(newest=True)}
    now = timezone.now()
    for question in merged:
        row = rows.get(question.code)
        retired_at = (row.retired_at if row and row.retired_at else now) if question.retired else None
        if row is not None and row.version == question.version:
            Question.objects.filter(pk=row.pk).update(key=question.key, place=question.place, retired_at=retired_at)
            continue
        if row is not None:
            Question.objects.filter(pk=row.pk).update(newest=False, key="")
        Question.objects.create(project=project, retired_at=retired_at, **question_columns(question))
    project.question_count = sum(not question.retired for question in merged)
    Project.objects.filter(pk=project.pk).update(question_count=project.question_count)


def columns_of(category: CategoryValue, retired_at: datetime | None) -> dict[str, Any]:
    """Return the columns of the row that stores the category."""
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
