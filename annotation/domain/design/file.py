"""The design of a campaign as one JSON object (`docs/design-file.md`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.domain.categories import BadCategories, read_categories
from annotation.domain.text_rules import BadText, read_text
from annotation.domain.votes import Category

QUESTION_LIMIT = 80
"""Characters of the question above the categories."""
LANGUAGE_LIMIT = 20
"""Characters of a language code, such as `zh-hans`."""
_FIELDS = frozenset({"categories", "question"})


class BadDesign(ValueError):
    """A design that a project cannot have; `sentence` says what to change."""

    code = "bad_design"

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(frozen=True)
class Design:
    """What annotators are asked."""

    categories: tuple[Category, ...]
    question: Mapping[str, str] = field(default_factory=dict)
    """The words above the categories by language code; "" for every other language. Empty: the site's own words."""


def read_design(raw: object) -> Design:
    """Return the design of a JSON value: an object, or a list of categories alone.

    Raises BadDesign.
    """
    if isinstance(raw, list):
        raw = {"categories": raw}
    if not isinstance(raw, Mapping):
        raise BadDesign('A design is an object: {"categories": […]}.')
    unknown = sorted(set(raw) - _FIELDS)
    if unknown:
        raise BadDesign(f"A design has no field {unknown[0]!r}. It has: {', '.join(sorted(_FIELDS))}.")
    rows = raw.get("categories")
    if not isinstance(rows, list):
        raise BadDesign("A design needs categories: a list of {code, name, hateful}.")
    try:
        categories = read_categories(rows)
    except BadCategories as bad:
        raise BadDesign(bad.sentence) from bad
    return Design(categories, _read_question(raw.get("question", "")))


def _read_question(raw: object) -> dict[str, str]:
    if isinstance(raw, str):
        raw = {"": raw}
    if not isinstance(raw, Mapping):
        raise BadDesign("The question is a text, or one text per language code.")
    question = {}
    for language, text in raw.items():
        if not isinstance(language, str) or len(language) > LANGUAGE_LIMIT or not isinstance(text, str):
            raise BadDesign("The question is a text, or one text per language code.")
        if text.strip():
            question[language.lower()] = _read_words(text.strip())
    return question


def _read_words(text: str) -> str:
    try:
        return read_text(text, QUESTION_LIMIT)
    except BadText as bad:
        raise BadDesign(f"The question: {bad.sentence}") from bad


def in_language(words: Mapping[str, str], language: str) -> str:
    """Return the words in the language, else those for every language, else an empty text."""
    return words.get(language.lower()) or words.get(language.lower().partition("-")[0]) or words.get("", "")


def as_json(design: Design) -> dict[str, Any]:
    """Return the design as `read_design` reads it, the categories in the order of the page."""
    placed = sorted(design.categories, key=lambda category: (category.retired, category.place, category.code))
    shown: dict[str, Any] = {"categories": [_row(category) for category in placed]}
    if design.question:
        everywhere = design.question.get("")
        shown["question"] = everywhere if everywhere and len(design.question) == 1 else dict(design.question)
    return shown


def _row(category: Category) -> dict[str, Any]:
    row = {
        "code": category.code,
        "name": category.name,
        "hateful": category.hateful,
        "aliases": list(category.aliases),
        "definition": category.definition,
        "key": category.key,
        "colour": category.colour,
        "retired": category.retired,
    }
    always = ("code", "name", "hateful")
    return {name: value for name, value in row.items() if name in always or value}
