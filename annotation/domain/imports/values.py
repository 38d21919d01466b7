"""The result of reading a row for an import: items, priors and labels ready to be stored, with categories as codes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from annotation.domain.choices import Choose, Modality, Reason, Source, SourceLabels, Stage
from annotation.domain.imports.redaction import Mask
from annotation.domain.item_decision import Rules
from annotation.domain.questions.answers import Stored
from annotation.domain.questions.question import Question
from annotation.domain.votes import Category


@dataclass(frozen=True)
class Terms:
    """The requirements of the project and of the importing person for every row."""

    categories: tuple[Category, ...]
    seats: int
    rules: Rules = Rules()
    choose: Choose = Choose.ONE
    source_labels: SourceLabels = SourceLabels.SEATS
    seats_from_data: bool = False
    masks: frozenset[Mask] = frozenset()
    text_prior_wanted: bool = False
    image_prior_wanted: bool = False
    """Whether items wait for priors before annotators get them."""
    about: Mapping[str, str] = field(default_factory=dict)
    """Batch, source and licence of rows that name none; nothing of it is empty."""
    questions: tuple[Question, ...] | None = ()
    """All versions of the further questions; None: answers to them are left out."""


@dataclass(frozen=True)
class IncomingPrior:
    modality: Modality
    category: int | None
    hateful: bool
    about: Mapping[str, Any]
    """All that is stored as the file has it."""


@dataclass(frozen=True)
class IncomingLabel:
    """A label ready to be stored; `challenges` have the form of `Label.challenges`."""

    annotator: str
    category: int | None
    not_sure: bool
    low_quality: bool
    note: str
    seconds: float | None
    at: datetime | None
    target_group: str
    challenges: tuple[Mapping[str, Any], ...]
    replaced_by: int | None = None
    categories: tuple[int, ...] = ()
    """The codes of all categories where there are several; of `replaced_by` where that is given."""
    answers: Stored = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        """Return a source's vote as provenance stores it."""
        record: dict[str, Any] = {"annotator": self.annotator, "category": self.category}
        if self.categories:
            record["categories"] = list(self.categories)
        if self.target_group:
            record["target_group"] = self.target_group
        if self.answers:
            record["answers"] = self.answers
        return record


@dataclass(frozen=True)
class IncomingKnown:
    """A known answer ready to be stored."""

    category: int
    explanation: str
    training: bool
    categories: tuple[int, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The state of an item at its import: the values of the fields with the same names in its row."""

    stage: Stage
    reasons: tuple[Reason, ...] = ()
    level: str | None = None
    category: int | None = None
    hateful: bool | None = None
    category_source: Source | None = None
    aligned: bool | None = None
    pattern: str | None = None
    difficulty: str | None = None
    excluded_for: Reason | None = None
    categories: tuple[int, ...] = ()
    rationale: str = ""
    """The rationale of an adjudication that came with the data."""


@dataclass(slots=True)  # not frozen: each row of a file makes one, and that would take four times as long
class Incoming:
    """An item ready to be stored; categories are codes."""

    line: int
    external_id: str
    text: str
    text_sha256: str
    picture: str
    about: Mapping[str, str]
    """All that is stored as the file has it: batch, source, licence …"""
    severity: int | None
    provenance: Mapping[str, Any]
    intended: int | None
    intended_hateful: bool | None
    priors: tuple[IncomingPrior, ...]
    labels: tuple[IncomingLabel, ...]
    seats: int
    extra_seats: int
    """Seats added because the labels have no majority and the project asks more people first."""
    outcome: Outcome
    decided_before: bool = False
    """Whether the item is gold, and the file gave that gold itself."""
    known: IncomingKnown | None = None
    intended_categories: tuple[int, ...] = ()
    rationales_left: bool = False
    picture_text: str = ""
    picture_text_reader: str = ""
    """The words of the picture that came with the data; there are none without a reader."""
    masked: Mapping[Mask, int] = field(default_factory=dict)
    entry: int = 0
    """Its running number in a JSON array or object; 0 in other files."""
    number: int = 0
    """The number of its row in the import, by which it is known: lines may be shared."""


@dataclass(frozen=True)
class Dropped:
    """A row that is skipped on purpose: its source's votes are not unanimous."""

    line: int
