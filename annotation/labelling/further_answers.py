"""Answers to further questions on their way from a page or a program into a label."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict
from django.utils.translation import get_language

from annotation.domain.answer import Answer
from annotation.domain.category_sets import further_of
from annotation.domain.questions.answers import NOT_SHOWN, Stored, read_answers
from annotation.domain.questions.kinds.kind import Kind
from annotation.domain.questions.kinds.registry import kind_of
from annotation.domain.questions.question import Asked, Question, in_force, is_asked
from annotation.domain.votes import Category as CategoryValue
from annotation.domain.words import in_language
from annotation.models import Category, Item, Project

ANSWER, ASKED, QUOTED = "answer_", "asked_", "quoted_"
"""What the names of a question's fields begin with: the answer, the version that the page showed, quoted words."""


def questions_for(project: Project, data: Mapping[str, Any]) -> tuple[Question, ...]:
    """Return every version of the project's questions, to read an answer; no query where it asks none."""
    has_questions = project.question_count or any(name.startswith(ASKED) for name in data)
    return project.question_values() if has_questions else ()


def answers_to_store(
    project: Project,
    answer: Answer,
    category: Category | None,
    item: Item,
    questions: Sequence[Question] = (),
) -> Stored:
    """Return what a label keeps of the answer: every question that was asked.

    `questions` are all versions, if the caller has read them. Raises BadAnswer.
    """
    if not project.question_count and not answer.answers:
        return {}
    chosen = category.value() if category is not None else None
    further = further_of(chosen, answer.categories) if chosen is not None else ()
    return read_answers(questions or project.question_values(), answer.answers, chosen, item.text, further)


@dataclass(frozen=True)
class OptionOnPage:
    """An option with its name in the reader's language, and whether it is chosen."""

    code: str
    name: str
    chosen: bool


@dataclass
class QuestionOnPage:
    """A question as the annotator's page shows it, with the answer so far."""

    question: Question
    value: Any = None
    """A valid answer as a label keeps it, or what was typed."""
    asked: bool = True
    """Whether it is asked beside the category chosen so far."""
    shown: bool = True
    """Whether it was on the page whose form was sent; it may have been added since."""
    is_wrong: bool = False
    language: str = field(default_factory=lambda: get_language() or "")

    @property
    def code(self) -> str:
        return self.question.code

    @property
    def kind(self) -> Kind:
        return kind_of(self.question)

    @property
    def template(self) -> str:
        """The template that draws what is answered with."""
        return f"annotation/question_kinds/{self.question.kind}.html"

    @property
    def title(self) -> str:
        return self.question.title(self.language)

    @property
    def help(self) -> str:
        return in_language(self.question.help, self.language)

    @property
    def when(self) -> str:
        """Beside which categories it is asked, for the script: `always`, `hateful`, or codes with spaces around."""
        when = self.question.when
        if when.asked is Asked.CATEGORIES:
            return f" {' '.join(str(code) for code in when.categories)} "
        return str(when.asked)

    @property
    def options(self) -> tuple[OptionOnPage, ...]:
        """What can be chosen: the options of a list, the points of a scale."""
        typed = self.value if isinstance(self.value, list) else [self.value]
        chosen = {str(value) for value in typed if value is not None}
        return tuple(
            OptionOnPage(choice.code, choice.name, choice.code in chosen)
            for choice in self.kind.choices(self.question, self.language)
        )

    @property
    def field_value(self) -> str:
        return self.kind.field_value(self.value)

    @property
    def said(self) -> str:
        """The answer so far in one line; parts of a post's text are not in it."""
        chosen = ", ".join(option.name for option in self.options if option.chosen)
        typed = self.value if isinstance(self.value, str) else ""
        return (chosen or typed) if self.asked else ""

    def quoted_from(self, text: str) -> Sequence[str]:
        """Return the words of the text that are marked so far; none for other kinds of questions."""
        is_marked = self.asked and self.kind.marks_text and text
        return self.kind.parts(self.question, self.value, text, self.language) if is_marked else ()


def on_page(
    questions: Sequence[Question], data: QueryDict | None, stored: Mapping[str, Any], chosen: Sequence[CategoryValue]
) -> list[QuestionOnPage]:
    """Return the questions of the page, in its order: in the version that the page showed, else the one in force.

    `data` is the form that was sent; without one, `stored` are the answers of a label to begin with. What fits its own
    version alone (a point of a scale) is not taken over to another. Where that of its answer is among the questions, it
    is asked again.
    """
    shown = {question.code: question for question in in_force(questions)}
    if data is not None:
        named = (question for question in questions if data.get(ASKED + question.code) == str(question.version))
        shown |= {question.code: question for question in named}
    else:
        bound = (question for question in questions if question.code in shown and _is_bound_to(question, stored))
        shown |= {question.code: question for question in bound}
    return [
        QuestionOnPage(
            question,
            _stored(question, stored.get(question.code)) if data is None else _sent(question, data),
            is_asked(question, next(iter(chosen), None), chosen),
            shown=data is None or ASKED + question.code in data,
        )
        for question in sorted(shown.values(), key=lambda question: (question.place, question.code))
    ]


def raw_answers(shown: Sequence[QuestionOnPage]) -> dict[str, Any]:
    """Return the answers to the questions that are asked, with the version that the page showed."""
    return {question.code: _raw(question) for question in shown if question.asked}


def _raw(question: QuestionOnPage) -> Mapping[str, Any]:
    if not (question.shown or question.value or question.question.required):
        return NOT_SHOWN
    return {"version": question.question.version, "value": question.value}


def _is_bound_to(question: Question, stored: Mapping[str, Any]) -> bool:
    """Return whether the stored answer was given to this version, and fits no other."""
    entry = stored.get(question.code) or {"version": None, "value": None}
    is_answered = entry["version"] == question.version and entry["value"] is not None
    return is_answered and kind_of(question).fits_its_version_alone


def _stored(question: Question, entry: Mapping[str, Any] | None) -> Any:
    if entry is None or (kind_of(question).fits_its_version_alone and entry["version"] != question.version):
        return None
    return entry["value"]


def _sent(question: Question, data: QueryDict) -> Any:
    """Return the answer in a form as `read_answers` takes it; what is no answer is returned as typed."""
    return kind_of(question).sent(data.getlist(ANSWER + question.code), data.get(QUOTED + question.code, ""))
