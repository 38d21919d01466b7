"""The report of an import: counts, errors, and what was stored."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, ClassVar

from annotation.domain.category_sets import codes_of
from annotation.domain.choices import Stage
from annotation.domain.formats.base import Format, RowError
from annotation.domain.formats.columns import KEPT, PASSED_OVER, Column, ColumnReport
from annotation.domain.imports import twice_encoded
from annotation.domain.imports.cells import Named
from annotation.domain.imports.read_row import ReadRow
from annotation.domain.masking.mask import Example
from annotation.imports.report_types import BadRow, ImportCounts, TwiceEncoded
from annotation.media.pictures import Staged
from vocabulary.answers import answer

SHOWN_ERRORS = 100
_STORED = ("items", "posts", "labels", "priors", "annotators", "intended", "decided", "known_answers")


@dataclass(frozen=True)
class Twin:
    """A row whose text or picture another item has too."""

    line: int
    external_id: str
    what: str
    entry: int = 0


@dataclass
class ImportReport:
    """The result of reading a file: counts, errors, and what was stored (in a dry run: would be stored)."""

    PREVIEW: ClassVar[int] = 20
    TWINS: ClassVar[int] = 20
    NAMES: ClassVar[int] = 10
    EXAMPLES: ClassVar[int] = 3

    dry_run: bool = False
    stored: bool = False
    format: Format = Format.AUTO
    container: str = ""
    sheet: str = ""
    """The sheet of the workbook that was read."""
    other_sheets: list[str] = field(default_factory=list)
    bytes: int = 0
    seconds: float = 0.0
    rows: int = 0
    items: int = 0
    labels: int = 0
    priors: int = 0
    annotators: int = 0
    annotator_names: set[str] = field(default_factory=set)
    intended: int = 0
    """Items whose author's meaning the file says."""
    decided: int = 0
    """Items whose gold the file gives. Those that their labels make gold are not among them."""
    known_answers: int = 0
    missing_images: int = 0
    left: Mapping[str, int] = field(default_factory=dict)
    """Records of a platform's file that are no posts of the import, by the reason: removed, service, empty."""
    dropped: int = 0
    duplicates: int = 0
    """Rows skipped because their id exists, and rows whose text or picture another item has too."""
    existing: int = 0
    """Rows that were passed over because an item has their id."""
    changed: int = 0
    """Those of them whose text, picture or intended meaning is another than the item's; the item stays as it is.

    Labels and answers of such a row are left out and not compared: people have labelled the item since.
    """
    changed_ids: list[str] = field(default_factory=list)
    unchanged: int = 0
    """Rows of an update whose items had no gap to fill."""
    masked: Mapping[str, int] = field(default_factory=dict)
    mask_examples: Mapping[str, list[Example]] = field(default_factory=dict)
    pictures: int = 0
    shared_pictures: int = 0
    first_frames: int = 0
    """Pictures of which the first of several frames or pages is shown."""
    grounds: Mapping[str, int] = field(default_factory=dict)
    """Transparent pictures, by what they were laid on: white or black."""
    renamed: int = 0
    """Pictures that were found under another spelling of the name that the rows give them."""
    renamed_names: list[Example] = field(default_factory=list)
    """The first of them: the name that rows give (`was`), and that of the file (`became`)."""
    rationales_left: int = 0
    """Rows whose marked passages are only kept: fewer people marked some than labelled the post hateful."""
    named_passages: int = 0
    """Marked passages that keep the names they came with, at the labels that marked them."""
    not_counted: Counter[str] = field(default_factory=Counter)
    """Labels that do not count, by reason (`annotation.domain.formats.base.NotCounted`)."""
    composed: int = 0
    """Rows whose text came in decomposed letters, as on a Mac, and is stored in composed ones (NFC)."""
    twice_encoded: int = 0
    """Rows whose text seems to have been decoded wrongly before it came here; it is stored as it is."""
    twice_encoded_examples: list[TwiceEncoded] = field(default_factory=list)
    """Passages of the first of them: as it is (`was`), and as it would read (`would_read`)."""
    missing_names: list[str] = field(default_factory=list)
    """The first pictures that rows name and that are not there."""
    extra_pictures: int = 0
    extra_names: list[str] = field(default_factory=list)
    columns: list[ColumnReport] = field(default_factory=list)
    """What became of each column of the file (`annotation.domain.formats.columns`)."""
    category_columns: list[str] = field(default_factory=list)
    """Columns of 0 and 1 that nobody named: each may stand for one category."""
    errors: list[RowError] = field(default_factory=list)
    fatal: RowError | None = None
    """The error that stopped the reading; one of `errors`."""
    refused_rows: set[int] = field(default_factory=set)
    """The numbers of the rows whose picture cannot be used."""
    first_rows: dict[str, Any] = field(default_factory=dict)
    """The columns and first rows as they stand in the file, where somebody has to say which column holds what."""
    twins: list[Twin] = field(default_factory=list)
    preview: list[ReadRow] = field(default_factory=list)
    orders: list[str] = field(default_factory=list)
    """The ids of posts that look like an order to a model; filled in only where that was asked for."""

    @property
    def passed_over(self) -> list[str]:
        """The columns that were not used and are not kept."""
        return [column["name"] for column in self.columns if column["became"] == PASSED_OVER]

    @property
    def kept(self) -> list[str]:
        """The columns that the site does not know and keeps as they are; those without a value are not among them."""
        return [column["name"] for column in self.columns if column["became"] == KEPT and column["rows"]]

    def note_twin(self, line: int, external_id: str, kind: str, entry: int = 0) -> None:
        if len(self.twins) < self.TWINS:
            self.twins.append(Twin(line, external_id, kind, entry))

    def count(self, item: ReadRow) -> None:
        """Count a new item, and keep the first ones to be shown."""
        self.items += 1
        self.labels += len(item.labels)
        self.priors += len(item.priors)
        self.intended += item.intent is not None
        self.known_answers += item.known is not None
        self.rationales_left += item.rationales_left
        self.composed += item.composed
        if item.labels:
            self.named_passages += sum(len(label.passages) for label in item.labels)
            self.annotator_names.update(label.annotator for label in item.labels)
            self.annotators = len(self.annotator_names)
        if item.not_counted:
            self.not_counted.update(item.not_counted)
        if not item.text.isascii():
            self.note_twice_encoded(item)
        self.decided += item.gold is not None and item.outcome.stage is Stage.GOLD
        if len(self.preview) < self.PREVIEW:
            self.preview.append(item)

    def note_twice_encoded(self, item: ReadRow) -> None:
        """Count an item whose text was encoded twice, and keep passages of the first ones."""
        if (passage := twice_encoded.example(item.text)) is None:
            return
        self.twice_encoded += 1
        if len(self.twice_encoded_examples) < self.EXAMPLES:
            was, would_read = passage
            self.twice_encoded_examples.append({"id": item.external_id, "was": was, "would_read": would_read})

    def note_existing(self, external_id: str, is_changed: bool) -> None:
        """Count a row that is passed over because an item has its id."""
        self.existing += 1
        self.changed += is_changed
        if is_changed and len(self.changed_ids) < self.NAMES:
            self.changed_ids.append(external_id)

    def note_missing(self, picture: str) -> None:
        """Count a picture that a row names and that is not there."""
        self.missing_images += 1
        if len(self.missing_names) < self.NAMES:
            self.missing_names.append(picture)

    def note_pictures(self, staged: Sequence[Staged]) -> None:
        """Count the new pictures that are shown in another way than they came."""
        self.first_frames = sum(picture.frames > 1 for picture in staged)
        self.grounds = Counter(picture.ground for picture in staged if picture.ground)

    def note_renamed(self, renamed: Mapping[str, str]) -> None:
        """Count the pictures that were found under another spelling of their name."""
        self.renamed = len(renamed)
        shown = list(renamed.items())[: self.NAMES]
        self.renamed_names = [{"was": name, "became": file} for name, file in shown]

    def give_up(self, error: RowError) -> None:
        """Add an error that stops the reading: no row is stored, not even with `leave_out`."""
        self.errors.append(error)
        self.fatal = error

    def suggest_encoding(self, suggestion: str) -> None:
        """Add to the error that stopped the reading which encoding the file may have."""
        assert self.fatal is not None
        self.errors.remove(self.fatal)
        self.give_up(replace(self.fatal, reason=self.fatal.reason + suggestion))

    @property
    def status(self) -> int:
        """The HTTP status of a refusal: that of a fatal error, else the one that all share, else 400.

        200 without errors.
        """
        if self.fatal:
            return self.fatal.status
        statuses = {error.status for error in self.errors}
        if not statuses:
            return 200
        return statuses.pop() if len(statuses) == 1 else 400

    def as_json(self) -> dict[str, Any]:
        """Return everything that a page shows, as JSON values: first errors, rows and duplicates, all counts."""
        counts = {count.name: getattr(self, count.name) for count in fields(self) if count.type in (int, bool, float)}
        return counts | {
            "format": str(self.format),
            "container": self.container,
            "sheet": self.sheet,
            "other_sheets": self.other_sheets,
            "masked": dict(self.masked),
            "mask_examples": dict(self.mask_examples),
            "extra_names": self.extra_names,
            "missing_names": self.missing_names,
            "grounds": dict(self.grounds),
            "renamed_names": self.renamed_names,
            "twice_encoded_examples": self.twice_encoded_examples,
            "left": dict(self.left),
            "first_rows": self.first_rows,
            "changed_ids": self.changed_ids,
            "columns": self.columns,
            "kept": self.kept,
            "error_count": len(self.errors),
            "bad_rows": len(self._bad_rows()),
            "category_columns": self.category_columns,
            "twice": sum(error.code == "duplicate_annotator" for error in self.errors),
            "not_counted": dict(self.not_counted),
            "bad_columns": self._bad_columns(),
            "fatal": asdict(self.fatal) if self.fatal else None,
            "errors": [asdict(error) for error in self.errors[:SHOWN_ERRORS]],
            "twins": [asdict(twin) for twin in self.twins],
            "preview": [_shown(item) for item in self.preview],
            "status": self.status,
        }

    def _bad_columns(self) -> list[str]:
        """Return the columns that somebody has to decide about: those that look like labels, and labels of no shape."""
        named = [error.field for error in self.errors if error.code in ("unused_labels", "refused_work")]
        is_other = any(error.code == "bad_labels" and error.field.startswith("labels") for error in self.errors)
        return named + self.category_columns + ["labels"] * is_other

    def _bad_rows(self) -> set[tuple[int, int]]:
        return {(error.line, error.entry) for error in self.errors if error is not self.fatal and error.line}

    def answer(self) -> ImportCounts:
        """Return what the command prints and the API answers; nothing counts as stored where nothing was."""
        counted = {} if self.stored or self.dry_run else dict.fromkeys(_STORED, 0)
        errors = [
            {**answer(BadRow, error), **({"entry": error.entry} if error.entry else {})}
            for error in self.errors[:SHOWN_ERRORS]
        ]
        return answer(ImportCounts, self, **({"posts": self.items} | counted), errors=errors)


def unused_labels_reason(column: Column) -> str:
    """Return what stands against passing over a column that looks like labels, and what to do."""
    frequent = sorted(column.values.items(), key=lambda pair: (-pair[1], pair[0]))[:5]
    examples = f" ({', '.join(f'{value[:20]} {count:,}' for value, count in frequent)})" if frequent else ""
    if column.holds_shares:
        return (
            f"The column {column.name[:80]!r} looks like labels, but holds a number for each of several classes "
            f"({', '.join(part[:20] for part in column.parts[:6])}): shares, and no label of a person. Say that it is "
            "to be kept as it is, or left out. If another column has the one class of each post, name that as the "
            "label column."
        )
    if column.holds_lists or column.parts:
        return (
            f"The column {column.name[:80]!r} looks like labels, but holds lists or objects. Name the label column by "
            f"a path: NAME.PART is a part of each object, NAME[] each value, NAME.* the values where keys are "
            f"annotators; or say that the column is to be kept as it is, or left out."
        )
    return (
        f"The column {column.name[:80]!r} looks like labels{examples} and would not be read as labels. Name it as the "
        f"label column, and what its values mean where they are no categories; or say that it is to be kept as it is, "
        f"or left out."
    )


def refused_work_reason(column: Column) -> str:
    """Return what stands against counting labels of work that was refused, and what to do."""
    counts = ", ".join(f"{value[:20]} {count:,}" for value, count in sorted(column.values.items()))
    return (
        f"The column {column.name[:80]!r} says whose work counts ({counts}), and all labels would count. Take the rows "
        "out whose labels do not count; or say that the column is to be kept as it is, or left out: then all do."
    )


def category_columns_reason(names: Sequence[str]) -> str:
    """Return what stands against passing over columns of 0 and 1, and what to do."""
    shown = ", ".join(repr(name[:40]) for name in names[:12]) + (" …" if len(names) > 12 else "")
    return (
        f"The columns {shown} hold 0 and 1, as in a table with a column for each category. Name them as columns of one "
        f"category each, and which category each stands for where it is called otherwise; or say that they are to be "
        f"kept as they are, or left out."
    )


def _shown(item: ReadRow) -> dict[str, Any]:
    """Return an item for the table of first rows; categories are codes."""
    return {
        "line": item.line,
        "entry": item.entry,
        "external_id": item.external_id,
        "text": item.text[:160],
        "picture": item.picture,
        "intended": _codes(item.intent),
        "intended_hateful": item.intent.side if item.intent else None,
        "labels": len(item.labels),
        "priors": len(item.priors),
        "stage": item.outcome.stage.value,
        "category": _codes(item.known) or list(codes_of(item.outcome.category, item.outcome.categories)),
    }


def _codes(named: Named | None) -> list[int]:
    return [category.code for category in named.categories] if named else []
