"""Answers to further questions as pages show them: each with the question as it was asked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language

from annotation.domain.questions.kinds.registry import kind_of
from annotation.domain.questions.question import Question
from annotation.models import Label, Project


@dataclass(frozen=True)
class AnswerShown:
    """One question as it was asked, and what was answered; without parts it was skipped."""

    title: str
    version: int
    parts: tuple[str, ...]
    quotes: bool = False
    """Whether the parts are words of the post."""


def answers_shown(answers: Mapping[str, Any], questions: Iterable[Question], text: str) -> list[AnswerShown]:
    """Return the answers of a label in the order of the page, with the questions in the version that they name.

    `questions` are all versions; the order in which a label holds its answers is the database's.
    """
    language = get_language() or ""
    answered = [
        question
        for question in questions
        if question.code in answers and answers[question.code]["version"] == question.version
    ]
    return [
        _shown(question, answers[question.code]["value"], text, language)
        for question in sorted(answered, key=lambda question: (question.place, question.code))
    ]


def questions_answered(project: Project, labels: Iterable[Label | None]) -> tuple[Question, ...]:
    """Return every version of the project's questions if one of the labels answers any; without a query if none."""
    return project.question_values() if any(label is not None and label.answers for label in labels) else ()


def _shown(question: Question, value: Any, text: str, language: str) -> AnswerShown:
    kind = kind_of(question)
    parts = () if value is None else tuple(kind.parts(question, value, text, language))
    return AnswerShown(question.title(language), question.version, parts, kind.marks_text)
