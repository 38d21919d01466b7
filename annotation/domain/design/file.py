"""The design of a campaign as one JSON object (`docs/design-file.md`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

from annotation.domain.categories import BadCategories, read_categories
from annotation.domain.choices import Choose
from annotation.domain.questions.design_rows import question_row, read_questions
from annotation.domain.questions.question import Question
from annotation.domain.questions.refusals import BadQuestions
from annotation.domain.refusal import Refusal
from annotation.domain.refusal import gettext_noop as _
from annotation.domain.text_rules import BadText
from annotation.domain.votes import Category
from annotation.domain.words import BadWords, read_words, shown_words
from vocabulary.answers import sparse_answer

QUESTION_LIMIT = 80
"""Characters of the question above the categories."""
_FIELDS = frozenset({"categories", "choose", "question", "questions"})


class DesignCategory(TypedDict):
    """A category of a design."""

    code: int
    name: str
    hateful: bool
    aliases: NotRequired[list[str]]
    definition: NotRequired[str]
    key: NotRequired[str]
    colour: NotRequired[str]
    retired: NotRequired[bool]


class BadDesign(Refusal):
    """A design that a project cannot have; `sentence` says what to change."""

    code = "bad_design"


@dataclass(frozen=True)
class Design:
    """What annotators are asked."""

    categories: tuple[Category, ...]
    question: Mapping[str, str] = field(default_factory=dict)
    """The words above the categories by language code; "" for every other language. Empty: the site's own words."""
    questions: tuple[Question, ...] | None = None
    """The further questions, in the order of the page. None: it says nothing about them, they stay as they are."""
    choose: Choose | None = None
    """How many categories an answer may name. None: it says nothing about that; one in a new project."""


def read_design(raw: object) -> Design:
    """Return the design of a JSON value: an object, or a list of categories alone.

    Raises BadDesign.
    """
    if isinstance(raw, list):
        raw = {"categories": raw}
    if not isinstance(raw, Mapping):
        raise BadDesign(_('A design is an object: {"categories": […]}.'))
    unknown = sorted(set(raw) - _FIELDS)
    if unknown:
        raise BadDesign(
            _("A design has no field %(field)s. It has: %(fields)s."),
            field=repr(unknown[0]),
            fields=", ".join(sorted(_FIELDS)),
        )
    rows = raw.get("categories")
    if not isinstance(rows, list):
        raise BadDesign(_("A design needs categories: a list of {code, name, hateful}."))
    try:
        categories = read_categories(rows)
        questions = read_questions(raw["questions"], categories) if "questions" in raw else None
    except (BadCategories, BadQuestions) as bad:
        raise BadDesign(bad.pattern, **bad.values) from bad
    return Design(categories, _read_question(raw.get("question", "")), questions, _read_choose(raw.get("choose")))


def _read_choose(raw: object) -> Choose | None:
    if raw is None:
        return None
    try:
        return Choose(str(raw))
    except ValueError:
        raise BadDesign(_('choose says how many categories an answer may name: "one" or "several".')) from None


def _read_question(raw: object) -> dict[str, str]:
    try:
        return read_words(raw, QUESTION_LIMIT)
    except BadWords:
        raise BadDesign(_("The question is a text, or one text per language code.")) from None
    except BadText as bad:
        raise BadDesign(_("The question: %(reason)s"), reason=bad) from bad


def as_json(design: Design) -> dict[str, Any]:
    """Return the design as `read_design` reads it, the categories in the order of the page."""
    placed = sorted(design.categories, key=lambda category: (category.retired, category.place, category.code))
    shown: dict[str, Any] = {"categories": [sparse_answer(DesignCategory, category) for category in placed]}
    if design.choose is Choose.SEVERAL:
        shown["choose"] = design.choose.value
    if design.question:
        shown["question"] = shown_words(design.question)
    if design.questions is not None:
        shown["questions"] = [question_row(question) for question in design.questions]
    return shown
