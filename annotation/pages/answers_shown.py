"""Answers to further questions as pages show them: each with the question as it was asked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language

from annotation.domain.questions.answers import quotations
from annotation.domain.questions.question import Question, QuestionKind
from annotation.domain.words import in_language
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
    parts = () if value is None else _parts(question, value, text, language)
    return AnswerShown(question.title(language), question.version, parts, question.kind is QuestionKind.SPAN)


def _parts(question: Question, value: Any, text: str, language: str) -> tuple[str, ...]:
    """Return an answer in words."""
    match question.kind:
        case QuestionKind.SPAN:
            return tuple(quotations(value, text))
        case QuestionKind.SCALE:
            return (_point(question, value, language),)
        case QuestionKind.TEXT:
            return (value,)
    names = {option.code: option.title(language) for option in question.options}
    codes: list[str] = value if isinstance(value, list) else [value]
    return tuple(names.get(code, code) for code in codes)


def _point(question: Question, value: int, language: str) -> str:
    """Return a point of a scale with its last one, and what it means if it is an end."""
    end = {1: question.low, question.points: question.high}.get(value, {})
    meaning = in_language(end, language)
    return f"{value} / {question.points} ({meaning})" if meaning else f"{value} / {question.points}"
