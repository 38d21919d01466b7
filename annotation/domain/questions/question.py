"""A further question of a campaign: its kind, its words, and when it is asked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from annotation.domain.votes import Category
from annotation.domain.words import in_language


class QuestionKind(StrEnum):
    """What an answer is; the kind of a code never changes."""

    # Each names the module of `kinds/` that holds its rules, and the template of `question_kinds/` that draws it.
    ONE = "one"
    MANY = "many"
    SCALE = "scale"
    TEXT = "text"
    SPAN = "span"


class Asked(StrEnum):
    """Beside which categories a question is asked."""

    ALWAYS = "always"
    HATEFUL = "hateful"
    CATEGORIES = "categories"


@dataclass(frozen=True)
class When:
    """Beside which categories a question is asked; `categories` are the codes for `Asked.CATEGORIES`."""

    asked: Asked = Asked.ALWAYS
    categories: tuple[int, ...] = ()


@dataclass(frozen=True)
class Option:
    """One of a list. A code never changes its meaning; a retired option stays in answers, nobody can choose it."""

    code: str
    name: Mapping[str, str] = field(default_factory=dict)
    retired: bool = False

    def title(self, language: str = "") -> str:
        """Return the name in the language; without one, the code with spaces."""
        return in_language(self.name, language) or _spaced(self.code)


@dataclass(frozen=True)
class Question:
    """One version of a question. `code` and `version` together say for good what was asked."""

    code: str
    kind: QuestionKind
    version: int = 1
    wording: Mapping[str, str] = field(default_factory=dict)
    help: Mapping[str, str] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    points: int | None = None
    low: Mapping[str, str] = field(default_factory=dict)
    """What the first point of a scale means."""
    high: Mapping[str, str] = field(default_factory=dict)
    """What the last point of a scale means."""
    limit: int | None = None
    """The most characters of a text answer."""
    key: str = ""
    """The key that leads to the question on the annotator's page; empty: none."""
    place: int = 0
    required: bool = False
    when: When = When()
    retired: bool = False

    def title(self, language: str = "") -> str:
        """Return the wording in the language; without one, the code with spaces."""
        return in_language(self.wording, language) or _spaced(self.code)

    def lead(self, language: str = "") -> str:
        """Return the wording as the beginning of a sentence about it: `How bad?` or `severity:`."""
        title = self.title(language)
        return title if title.endswith((".", "?", "!", "…", "。", "？", "！")) else f"{title}:"

    @property
    def offered(self) -> tuple[Option, ...]:
        """The options that can be chosen, in order."""
        return tuple(option for option in self.options if not option.retired)

    def same_question(self, other: "Question") -> bool:
        """Return whether both ask the same: they differ at most in version, key, place and being retired."""
        return self._asked_alone() == other._asked_alone()

    def _asked_alone(self) -> "Question":
        """Return what is asked, as if it stood alone and was never changed."""
        return replace(self, version=1, key="", place=0, retired=False)


def is_asked(question: Question, category: Category | None, further: Iterable[Category] = ()) -> bool:
    """Return whether the question is asked beside this category; None: the annotator chose none.

    `further` are the other categories where an answer names several: it is asked if it would be beside one of them.
    """
    if question.when.asked is Asked.ALWAYS:
        return True
    if category is None:
        return False
    if question.when.asked is Asked.HATEFUL:
        return category.hateful
    return any(chosen.code in question.when.categories for chosen in (category, *further))


def in_force(questions: Iterable[Question]) -> tuple[Question, ...]:
    """Return the newest version of each question that is not retired, in the order of the page."""
    newest: dict[str, Question] = {}
    for question in questions:
        if question.code not in newest or question.version > newest[question.code].version:
            newest[question.code] = question
    current = [question for question in newest.values() if not question.retired]
    return tuple(sorted(current, key=lambda question: (question.place, question.code)))


def _spaced(code: str) -> str:
    return code.replace("_", " ").replace("-", " ")
