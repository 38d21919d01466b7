"""What a row says once it is read for one project, and the terms on which it is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from annotation.domain.choices import Choose, Modality, SourceLabels
from annotation.domain.formats.base import Passage, Twice
from annotation.domain.imports.cells import Named
from annotation.domain.imports.outcome import Outcome
from annotation.domain.item_decision import Rules
from annotation.domain.masking.mask import Mask, mask
from annotation.domain.masking.regions import Regions
from annotation.domain.questions.answers import Stored
from annotation.domain.questions.question import Question
from annotation.domain.text_rules import composed
from annotation.domain.votes import Category

_NO_ANSWERS: Stored = {}
_UNMASKED: Mapping[Mask, int] = {}


@dataclass(frozen=True)
class Terms:
    """The requirements of the project and of the importing person for every row."""

    categories: tuple[Category, ...]
    seats: int
    rules: Rules = Rules()
    choose: Choose = Choose.ONE
    source_labels: SourceLabels = SourceLabels.SEATS
    seats_from_data: bool = False
    twice: Twice = Twice.REFUSE
    masks: frozenset[Mask] = frozenset()
    regions: Regions = Regions()
    """Where the telephone numbers are from that are masked."""
    awaited: frozenset[Modality] = frozenset()
    """The parts of items whose priors are there before annotators get them."""
    about: Mapping[str, str] = field(default_factory=dict)
    """Batch, source and licence of rows that name none; nothing of it is empty."""
    questions: tuple[Question, ...] | None = ()
    """All versions of the further questions; None: answers to them are left out."""

    def masked(self, text: str) -> tuple[str, Mapping[Mask, int]]:
        """Return the text as it is stored, without what identifies a person, and what was found, by kind."""
        return mask(composed(text), self.masks, self.regions) if self.masks else (text, _UNMASKED)


class ReadPrior(NamedTuple):
    """A model's view of one part; `about` is stored as the file has it."""

    modality: Modality
    named: Named
    about: Mapping[str, Any]


class ReadLabel(NamedTuple):
    """A label; `challenges` have the form of `Label.challenges`."""

    annotator: str
    named: Named | None
    not_sure: bool
    low_quality: bool
    note: str
    seconds: float | None
    at: datetime | None
    target_group: str
    challenges: tuple[Mapping[str, Any], ...]
    replaced_by: Named | None
    answers: Stored
    person: Mapping[str, Any]
    passages: Sequence[Passage] = ()

    def as_record(self) -> dict[str, Any]:
        """Return a source's vote as provenance stores it."""
        record: dict[str, Any] = {"annotator": self.annotator, "category": self.named.code if self.named else None}
        if self.named and self.named.codes:
            record["categories"] = list(self.named.codes)
        if self.target_group:
            record["target_group"] = self.target_group
        if self.answers:
            record["answers"] = self.answers
        if self.passages:
            record["passages"] = [passage._asdict() for passage in self.passages]
        return record


class ReadRow(NamedTuple):  # made of each row and written to a file: a data class would take three times as long
    """What a row says, in the project's categories, and what that makes of its item."""

    line: int
    entry: int
    number: int
    external_id: str
    text: str
    text_sha256: str
    picture: str
    picture_text: str
    picture_text_reader: str
    """The words of the picture that came with the data; there are none without a reader."""
    about: Mapping[str, str]
    """All that is stored as the file has it: batch, source, licence …"""
    provenance: Mapping[str, Any]
    """What the site keeps of where it comes from: how a model made it, the votes behind an intent."""
    extra: Mapping[str, Any]
    """The columns that the site does not know."""
    severity: int | None
    priority: int
    intent: Named | None
    priors: tuple[ReadPrior, ...]
    labels: tuple[ReadLabel, ...]
    seats: int
    extra_seats: int
    """Seats added because the labels have no majority and the project asks more people first."""
    gold: Named | None
    outcome: Outcome
    known: Named | None
    known_explanation: str
    known_training: bool
    rationales_left: bool
    not_counted: Mapping[str, int]
    """Labels that do not count, by reason."""
    composed: bool
    """Whether the text or the words of the picture came in another form than the composed one."""
    masked: Mapping[Mask, int]
