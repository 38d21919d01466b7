"""One item of a file in any format, and the errors of a row that cannot be read.

Readers of all formats produce `Row`. Categories stay as they were written (`"1"`, `"Racist"`, `"hatespeech"`); later
steps look up the category of the project (`annotation.domain.categories`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from annotation.domain.choices import Modality
from annotation.domain.formats.columns import ColumnTally


class Format(StrEnum):
    """The formats that are read; `AUTO` asks for detection from the content."""

    AUTO = "auto"
    INTERPLAY = "interplay"
    JSONL = "jsonl"
    CSV = "csv"
    TSV = "tsv"
    TSV_PLAIN = "tsv_plain"
    HVLI = "hvli"
    HATEFUL_MEMES = "hateful_memes"
    MMHS150K = "mmhs150k"
    HATEXPLAIN = "hatexplain"
    LABEL_STUDIO = "label_studio"
    DOCCANO = "doccano"
    PRODIGY = "prodigy"
    POTATO = "potato"
    ARGILLA = "argilla"
    BRAT = "brat"
    INCEPTION = "inception"
    MTURK = "mturk"
    PROLIFIC = "prolific"
    XLSX = "xlsx"
    PARQUET = "parquet"
    IMAGEFOLDER = "imagefolder"
    WEBDATASET = "webdataset"
    FEATHER = "feather"
    CAPTIONS = "captions"
    REDDIT = "reddit"
    X = "x"
    TELEGRAM = "telegram"
    IMAGEBOARD = "imageboard"
    META_CONTENT = "meta_content"
    GOOGLE_FORMS = "google_forms"


ANSWERS = frozenset({Format.PRODIGY, Format.POTATO, Format.MTURK, Format.PROLIFIC})
"""Formats with a row for each answer."""
TABLES = frozenset({Format.CSV, Format.TSV, Format.TSV_PLAIN, Format.MTURK, Format.PROLIFIC})
"""Formats of tables of text."""


SPLITS = frozenset({"train", "training", "test", "testing", "val", "valid", "validation", "dev"})
"""How the parts of a data set are called."""


class Twice(StrEnum):
    """Which of two labels of one person at one post counts."""

    REFUSE = "refuse"
    FIRST = "first"
    LAST = "last"


class NotCounted(StrEnum):
    """Why a label of a file does not count."""

    REJECTED = "rejected"
    """Whoever asked for the work refused it."""
    UNFINISHED = "unfinished"
    """The person gave the work back, or did not end it."""
    DRAFT = "draft"
    """Saved and not handed in."""
    DISCARDED = "discarded"
    """The person said that the post is not to be labelled."""
    NOT_THIS = "not this category"
    """The person said that the post is not of the category that they were asked about."""
    TWICE = "twice"
    """The person labelled the post again, and the other label counts."""
    LABELLED = "labelled already"
    """The person has a label at the post that is here."""
    NO_SEAT = "no free seat"
    """The post that is here asks nobody more."""
    PASSAGES = "passages"
    """Marked passages that no question of the project asks for."""


PASSAGES = "*"
"""In place of the code of a question, of marked passages: the one question of the project that asks for them."""


class LabelUse(StrEnum):
    """The meaning of the label of a row, in files that have one label a row."""

    INTENDED = "intended"
    GOLD = "gold"
    SEAT = "seat"


def place(line: int, entry: int) -> str:
    """Return where a row stands, in words: many entries of a JSON array may share one line."""
    return f"line {line}, entry {entry}" if entry else f"line {line}"


@dataclass(frozen=True, slots=True)
class RowError:
    """The reason why a row cannot be imported. `line` is 1-based; `field` and `limit` are set if they apply.

    `entry` is the running number of the row in a JSON array or object; 0 in other files. `status` is the HTTP status
    if the whole file is refused for this error.
    """

    line: int
    code: str
    reason: str
    field: str = ""
    limit: int | None = None
    status: int = 400
    external_id: str = ""
    entry: int = 0

    @property
    def place(self) -> str:
        return place(self.line, self.entry)


class Unreadable(Exception):
    """The file, or the rest of it, cannot be read."""

    def __init__(self, error: RowError) -> None:
        super().__init__(error.reason)
        self.error = error


class BadValue(ValueError):
    """A value of a row that its field does not accept; the reader adds the line."""

    def __init__(self, code: str, reason: str, field: str = "", limit: int | None = None) -> None:
        super().__init__(reason)
        self.code, self.reason, self.field, self.limit = code, reason, field, limit

    def at(self, line: int, external_id: str = "", entry: int = 0) -> RowError:
        return RowError(line, self.code, self.reason, self.field, self.limit, external_id=external_id, entry=entry)


UNNAMED = "source-1"
"""The annotator of a label whose file names none; where a post has several, they are numbered."""


class Passage(NamedTuple):
    """A part of a text, [start, end) in code points, and what it was called; "" for no name."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class RowChallenge:
    """An annotator's correction of a prior: a category, or only hateful or not."""

    modality: Modality
    category: str | None = None
    hateful: bool | None = None


@dataclass(frozen=True, slots=True)
class RowLabel:
    """One annotator's label as the file has it; `seconds` is the time taken, `at` a datetime with time zone."""

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
    """The category that an expert gave in place of a label without one."""
    answers: Mapping[str, Any] = field(default_factory=dict)
    """Answers to further questions by code: a value, or an object of version and value."""
    offered: Mapping[str, Any] = field(default_factory=dict)
    """Answers that a known data set has under its own names; they count where the project asks such a question."""
    person: Mapping[str, Any] = field(default_factory=dict)
    """Columns that the site does not know and that are about the annotator."""
    passages: tuple[Passage, ...] = ()
    """The passages that they marked and gave a name; an answer to a question holds the places alone."""


@dataclass(frozen=True, slots=True)
class RowPrior:
    """A model's category and explanation for one modality."""

    category: str
    about: Mapping[str, Any] = field(default_factory=dict)
    """What is stored as the file has it, by `annotation.domain.columns.priors`."""


@dataclass(slots=True)  # not frozen: each row of a file makes one, and that would take four times as long
class Row:
    """One item of a file. `picture` is the name or path that the file gives; empty if there is none.

    `entry` is its running number in a JSON array or object, whose entries may share a line; 0 in other files. `number`
    is its running number in an import, by which it is known there: the tables of an archive may share lines too.
    `claimed_pattern` and `claimed_difficulty` are values of the file for figures that the import computes itself.
    """

    line: int
    external_id: str
    text: str = ""
    picture: str = ""
    intended: str | None = None
    intended_hateful: bool | None = None
    severity: int | None = None
    priority: int = 0
    about: Mapping[str, str] = field(default_factory=dict)
    """What is stored as the file has it, by `annotation.domain.columns.in_files`; nothing of it is empty."""
    text_prior: RowPrior | None = None
    image_prior: RowPrior | None = None
    labels: tuple[RowLabel, ...] = ()
    gold: str | None = None
    gold_lead: str | None = None
    """What the file calls gold where `gold` holds all categories of a column beside it."""
    claimed_hateful: bool | None = None
    """What the file says of gold beside its category, as releases do; only evaluations compare it."""
    undecided: bool = False
    """Whether the file says that nobody decided yet: by an empty `gold`, or another stage than gold."""
    gold_source: str = ""
    rationale: str = ""
    known_category: str | None = None
    known_explanation: str = ""
    known_training: bool = False
    """The item's known answer, its reason, and whether it is used in training (else it is mixed into the queue)."""
    subset: str = ""
    """The part of the data set that the item belongs to, if such a column is named; evaluations count by it."""
    picture_text: str = ""
    picture_text_reader: str = ""
    """The words of the picture that came with the data, and who read them if the file says so."""
    claimed_pattern: str = ""
    claimed_difficulty: str = ""
    injected: Mapping[str, Any] | None = None
    """How a model made it for a data set; None: no model did."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """The columns that the site does not know, as they were written."""
    not_counted: Mapping[str, int] = field(default_factory=dict)
    """How many labels of the row do not count, by reason (`NotCounted`)."""
    rationales_left: bool = False
    """Whether passages that people marked are kept unread, since nobody can say who marked which."""
    entry: int = 0
    number: int = 0


def stands_twice(row: Row, line: int, entry: int) -> BadValue:
    """Return what is wrong with a row whose id stands in an earlier row too; `line` and `entry` are those of that."""
    reason = f"The id {row.external_id} stands in {place(line, entry)} and in {place(row.line, row.entry)}."
    return BadValue("duplicate_id", reason, "id")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a file: labels of an item, characters of a CSV field, bytes of a line, characters of an entry."""

    labels: int = 100
    field: int = 131_072
    line_bytes: int = 16 * 2**20
    entry_chars: int = 16 * 2**20


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Mapped:
    """Which columns of a table, or keys of a JSON line, are used for which field, and how label values are translated.

    An empty name stands for the usual one (`text`, `image`, `id`); for the label it means that there is none. `values`
    maps a value of the label columns to a category of the project, or to `skip`: no label.
    """

    text: str = ""
    label: str = ""
    image: str = ""
    id: str = ""
    annotator: str = ""
    subset: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    label_is: LabelUse = LabelUse.INTENDED
    raters: tuple[str, ...] = ()
    """Columns of one annotator each, who is called as the column is."""
    category_columns: Mapping[str, str] = field(default_factory=dict)
    """Columns that hold 1 where the post has one category: the category of each, or "" where it is called so."""
    none_is: str = ""
    """What a row without a 1 in these columns is: a category, or `skip`. Empty: nobody said it."""
    answer_columns: Mapping[str, str] = field(default_factory=dict)
    """Columns that answer a question beside one annotator's label: `CODE`, or `CODE.OPTION` for a column of 0 and 1."""

    @property
    def names_labels(self) -> bool:
        """Whether it says which columns hold labels."""
        return bool(self.label or self.raters or self.category_columns)

    @property
    def names_columns(self) -> bool:
        """Whether somebody said which column holds what."""
        return any((self.text, self.image, self.id, self.label, self.raters))

    @property
    def has_seats(self) -> bool:
        """Whether a column holds labels of annotators, so that rows of one id are one post."""
        return bool(self.raters) or (self.names_labels and self.label_is is LabelUse.SEAT)


AS_NAMED = Mapped()


@dataclass(frozen=True, slots=True)
class Reading:
    """The options for reading a file: the format, the columns, and a prefix for ids if the file has none.

    `update` reads rows that name existing items, so they need neither text nor picture. `keep` stores a picture from
    inside the file, by name and content, and returns its name; it raises BadValue. With None, such pictures are
    refused. `columns` counts what became of each column. `sheet` is the sheet of a workbook; empty for the first with
    rows. `header_line` is the line on which the header of a table stands; what stands above is no row, and
    0 says that there is none. `twice` says whether the reader refuses two labels of one person at one post.
    """

    format: Format
    mapped: Mapped = AS_NAMED
    id_prefix: str = "row-"
    update: bool = False
    limits: Limits = LIMITS
    keep: Callable[[str, Any], str] | None = None
    sheet: str = ""
    header_line: int = 1
    twice: Twice = Twice.REFUSE
    looks: bool = False
    """Whether nothing is read but the first rows, as they stand in the file."""
    columns: ColumnTally = field(default_factory=ColumnTally, compare=False)
