"""One item as it stands in a file, whatever the file's format, and what is wrong with a row that is none.

Readers of all formats end in `Row`. Categories stay as they were written (`"1"`, `"Racist"`, `"hatespeech"`): which
category of which project that is, is decided later (`annotation.domain.categories`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from annotation.domain.choices import Modality

Json = dict[str, Any]


class Format(StrEnum):
    """The formats that are read; `AUTO` asks for detection from the content."""

    AUTO = "auto"
    INTERPLAY = "interplay"
    JSONL = "jsonl"
    CSV = "csv"
    TSV = "tsv"
    HVLI = "hvli"
    HATEFUL_MEMES = "hateful_memes"
    MMHS150K = "mmhs150k"
    HATEXPLAIN = "hatexplain"
    LABEL_STUDIO = "label_studio"
    DOCCANO = "doccano"
    PARQUET = "parquet"
    IMAGEFOLDER = "imagefolder"
    WEBDATASET = "webdataset"


class LabelUse(StrEnum):
    """What the one label of a row means, in files that have one label a row."""

    INTENDED = "intended"
    GOLD = "gold"
    SEAT = "seat"


@dataclass(frozen=True, slots=True)
class RowError:
    """Why a row cannot be imported. `line` is 1-based; `field` and `limit` are given where they apply.

    `status` is the HTTP status of a file refused for this alone.
    """

    line: int
    code: str
    reason: str
    field: str = ""
    limit: int | None = None
    status: int = 400
    external_id: str = ""


class Unreadable(Exception):
    """The file, or what follows in it, cannot be read at all."""

    def __init__(self, error: RowError) -> None:
        super().__init__(error.reason)
        self.error = error


class BadValue(ValueError):
    """A value of a row is not what its field takes; the reader adds the line."""

    def __init__(self, code: str, reason: str, field: str = "", limit: int | None = None) -> None:
        super().__init__(reason)
        self.code, self.reason, self.field, self.limit = code, reason, field, limit

    def at(self, line: int, external_id: str = "") -> RowError:
        return RowError(line, self.code, self.reason, self.field, self.limit, external_id=external_id)


@dataclass(frozen=True, slots=True)
class RowChallenge:
    """An annotator's correction of a prior: a category, or only hateful or not."""

    modality: Modality
    category: str | None = None
    hateful: bool | None = None


@dataclass(frozen=True, slots=True)
class RowLabel:
    """One annotator's label as the file has it; `seconds` is the time taken, `at` an aware moment."""

    annotator: str
    category: str | None = None
    not_sure: bool = False
    low_quality: bool = False
    note: str = ""
    seconds: float | None = None
    at: datetime | None = None
    target_group: str = ""
    challenges: tuple[RowChallenge, ...] = ()
    replaced_by: str | None = None
    """The category that an expert gave where this label has none."""


@dataclass(frozen=True, slots=True)
class RowPrior:
    """A model's category and explanation for one modality."""

    category: str
    explanation: str = ""
    model: str = ""
    severity: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One item of a file. `picture` is the name or path the file gives; empty where there is none.

    `claimed_pattern` and `claimed_difficulty` are what the file says of figures that are derived anew.
    """

    line: int
    external_id: str
    text: str = ""
    picture: str = ""
    intended: str | None = None
    intended_hateful: bool | None = None
    batch: str = ""
    severity: int | None = None
    target_group: str = ""
    source: str = ""
    licence: str = ""
    text_prior: RowPrior | None = None
    image_prior: RowPrior | None = None
    labels: tuple[RowLabel, ...] = ()
    gold: str | None = None
    gold_source: str = ""
    rationale: str = ""
    known_category: str | None = None
    known_explanation: str = ""
    known_training: bool = False
    """The item's known answer, why, and whether it is for training (else it is mixed in)."""
    subset: str = ""
    """The part of the data set it belongs to, where a column for that is named (evaluations count by it)."""
    claimed_pattern: str = ""
    claimed_difficulty: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may hold: labels of an item, characters of a CSV field, bytes of a line, characters of an entry."""

    labels: int = 100
    field: int = 131_072
    line_bytes: int = 16 * 2**20
    entry_chars: int = 16 * 2**20


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Mapped:
    """Which columns of a table, or keys of a JSON line, hold what; and what its values are called here.

    An empty name stands for the usual one (`text`, `image`, `id`), for the label: none.
    `values` maps a value of the label column to a category of the project.
    """

    text: str = ""
    label: str = ""
    image: str = ""
    id: str = ""
    annotator: str = ""
    subset: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    label_is: LabelUse = LabelUse.INTENDED


AS_NAMED = Mapped()


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is read: the format, the columns, where ids come from if the file has none.

    `update` reads rows that name existing items, so they need neither text nor picture. `keep` takes pictures that
    stand inside the file, by name and content, and answers the name; it raises BadValue. None: they are not taken.
    """

    format: Format
    mapped: Mapped = AS_NAMED
    id_prefix: str = "row-"
    update: bool = False
    limits: Limits = LIMITS
    keep: Callable[[str, Any], str] | None = None
