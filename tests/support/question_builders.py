"""Builders of further questions, and of items whose labels answer them."""

from collections.abc import Mapping, Sequence
from typing import Any

import builders
from annotation.consensus.close import close_item
from annotation.domain.questions.question import Option, QuestionKind
from annotation.domain.questions.question import Question as QuestionValue
from annotation.models import Item, Membership, Project
from annotation.models.questions import Question, question_columns

TARGETS = ("women", "migrants", "others")


def make_question(project: Project, code: str, kind: QuestionKind, version: int = 1, **fields: Any) -> Question:
    """Create a version of a question; it becomes the newest one of its code."""
    defaults: dict[str, Any] = {"place": project.questions.count()}
    if kind is QuestionKind.SCALE:
        defaults["points"] = 5
    if kind in (QuestionKind.ONE, QuestionKind.MANY):
        defaults["options"] = tuple(Option(code) for code in TARGETS)
    retired = fields.pop("retired_at", None)
    value = QuestionValue(code=code, kind=kind, version=version, **(defaults | fields))
    Question.objects.filter(project=project, code=code).update(newest=False)
    made = Question.objects.create(project=project, retired_at=retired, **question_columns(value))
    project.question_count = project.questions.in_force().count()
    project.save(update_fields=["question_count"])
    return made


def make_all_questions(project: Project) -> None:
    """Ask one question of each kind: frame, targets, severity, why, words."""
    make_question(project, "frame", QuestionKind.ONE)
    make_question(project, "targets", QuestionKind.MANY)
    make_question(project, "severity", QuestionKind.SCALE, low={"": "mild"}, high={"": "severe", "ko": "심함"})
    make_question(project, "why", QuestionKind.TEXT)
    make_question(project, "words", QuestionKind.SPAN)


def answered(version: int = 1, **values: Any) -> dict[str, dict[str, Any]]:
    """Return answers as a label stores them, all to one version; None: skipped."""
    return {code: {"version": version, "value": value} for code, value in values.items()}


def make_answered_item(
    project: Project,
    annotators: Sequence[Membership],
    answers: Sequence[Mapping[str, Any]],
    codes: Sequence[int | None] = (),
    **fields: Any,
) -> Item:
    """Create a closed item; `answers` has what each label stores, `codes` its categories (all 1 if not given)."""
    item = builders.make_open_item(project, seats=len(answers), **fields)
    codes = codes or [1] * len(answers)
    for seat, annotator, code, own in zip(item.seat_rows.order_by("number"), annotators, codes, answers, strict=True):
        builders.make_label(seat, annotator, code, answers=dict(own))
    close_item(item)
    item.refresh_from_db()
    return item
