"""What the site must know of a kind of question. A kind is a class on `Kind`, and its module ends in `KIND = …`.

Here are the rules. What draws a question is found by the name of the kind: a template in
`templates/annotation/question_kinds/`, and an entry of `kinds` in `static/questions.js` if it does more than inputs do.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from annotation.domain.questions.design_fields import DesignField
from annotation.domain.questions.question import Question
from annotation.domain.statistics.agreement import Alpha
from annotation.domain.text_rules import is_blank

TEXT, WHOLE, NUMBER = "string", "int64", "float64"
"""Types of released columns. A list holds the type of its entries."""
Measure = Literal["nominal", "masi", "ordinal", "none", "unitizing"]
"""How alpha compares answers."""
Key = tuple[Any, ...]
"""The answers to one item in a form that is equal for equal answers."""


@dataclass(frozen=True)
class Choice:
    """One of the answers that a page offers, with its name in the language of the reader."""

    code: str
    name: str


class StudioResult(NamedTuple):
    """A result of a Label Studio annotation; `part` follows the question's code in its id."""

    kind: str
    value: dict[str, Any]
    part: str = ""


class Kind(ABC):
    """A kind of question. Values are answers as labels store them; that of a skipped question is never given to one."""

    name: ClassVar[str]
    """What the answer is, in English; pages translate it."""
    fields: ClassVar[Sequence[DesignField]] = ()
    """What a design says of such a question alone."""
    answer_type: ClassVar[Any] = TEXT
    """The type of an answer in a release."""
    consensus_type: ClassVar[Any] = None
    """The type of a consensus in a release. None: that of an answer."""
    together: ClassVar[str] = ""
    """The consensus as a dataset card tells it, after "their consensus"; empty: there is none."""
    measure: ClassVar[Measure]
    marks_text: ClassVar[bool] = False
    """Whether an answer marks parts of the item's text.

    It is not asked where there is no text, and does not fit a masked one. Pages quote it. Its consensus has an overlap.
    """
    is_own_words: ClassVar[bool] = False
    """Whether an answer is in people's own words, which may quote the post; no page shows a consensus."""
    fits_its_version_alone: ClassVar[bool] = False
    """Whether an answer to one version may mean something else in another."""

    # Answers
    @abstractmethod
    def read(self, question: Question, value: object, text: str) -> Any:
        """Return the value of an answer as a label stores it; None for one that was skipped. Raises BadAnswer."""

    def from_cell(self, value: Any) -> Any:
        """Return a value as `read` takes it, from a cell of a table or another program's list."""
        return value

    def sent(self, values: Sequence[str], quoted: str) -> Any:
        """Return a value as `read` takes it, from a form; what is no answer is returned as typed.

        `values` are those of the answer's field, `quoted` is what was quoted without the script.
        """
        return (values[-1] if values else "").strip() or None

    def has_subject(self, text: str) -> bool:
        """Return whether an item with this text has what the question is about."""
        return not (self.marks_text and is_blank(text))

    # Together
    @abstractmethod
    def consensus(self, answers: Sequence[Any]) -> Any:
        """Return what at least two people answered together; None if there is no consensus."""

    def overlap(self, answers: Sequence[Any]) -> float | None:
        """Return the share of characters that two people marked alike; None where nothing is marked."""
        return None

    def counted(self, length: int, answers: Sequence[Any]) -> Key:
        """Return the answers to one item whose text has `length` characters, as `alpha` counts them."""
        return tuple(sorted(answers))

    @abstractmethod
    def alpha(self, items: Mapping[Key, int], question: Question) -> Alpha:
        """Return the agreement; `items` has how often there are such answers to an item."""

    # Pages
    @abstractmethod
    def parts(self, question: Question, value: Any, text: str, language: str) -> Sequence[str]:
        """Return an answer, or a consensus, in words."""

    def choices(self, question: Question, language: str) -> Sequence[Choice]:
        """Return the answers to choose from on the annotator's page."""
        return ()

    def field_value(self, value: Any) -> str:
        """Return what the field on the annotator's page holds for the answer so far."""
        return value if isinstance(value, str) else ""

    # Label Studio
    @abstractmethod
    def studio_control(self, question: Question, attributes: str) -> str:
        """Return the control of a labelling interface, as XML; `attributes` are its name and object."""

    @abstractmethod
    def studio_results(self, code: str, value: Any, text: str) -> Iterable[StudioResult]:
        """Return an answer to the question `code` as results of an annotation."""

    @abstractmethod
    def from_studio(self, value: Mapping[str, Any], before: Any) -> Any:
        """Return the answer in a result's value, or None if it has none of this kind; `before` is what others gave."""


def only(value: Any) -> Any:
    """Return the entry of a list that has one; another value as it is."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value
