"""The report of an import: counts, errors, and what was stored."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, ClassVar

from annotation.domain.category_sets import codes_of
from annotation.domain.formats.base import Format, RowError
from annotation.domain.formats.columns import PASSED_OVER, Column
from annotation.domain.imports.values import Incoming

SHOWN_ERRORS = 100


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
    intended: int = 0
    """Items whose author's meaning the file says."""
    decided: int = 0
    """Items whose gold the file gives. Those that their labels make gold are not among them."""
    known_answers: int = 0
    missing_images: int = 0
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
    pictures: int = 0
    shared_pictures: int = 0
    first_frames: int = 0
    """Pictures of which the first of several frames or pages is shown."""
    rationales_left: int = 0
    """Rows whose marked passages stay in the provenance: fewer people marked some than labelled the post hateful."""
    missing_names: list[str] = field(default_factory=list)
    """The first pictures that rows name and that are not there."""
    extra_pictures: int = 0
    extra_names: list[str] = field(default_factory=list)
    columns: list[dict[str, Any]] = field(default_factory=list)
    """What became of each column of the file (`annotation.domain.formats.columns`)."""
    errors: list[RowError] = field(default_factory=list)
    fatal: RowError | None = None
    """The error that stopped the reading; one of `errors`."""
    refused_rows: set[int] = field(default_factory=set)
    """The numbers of the rows whose picture cannot be used."""
    twins: list[Twin] = field(default_factory=list)
    preview: list[Incoming] = field(default_factory=list)

    @property
    def passed_over(self) -> list[str]:
        """The columns that were not used."""
        return [column["name"] for column in self.columns if column["became"] == PASSED_OVER]

    def note_twin(self, line: int, external_id: str, kind: str, entry: int = 0) -> None:
        if len(self.twins) < self.TWINS:
            self.twins.append(Twin(line, external_id, kind, entry))

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
            "extra_names": self.extra_names,
            "missing_names": self.missing_names,
            "changed_ids": self.changed_ids,
            "columns": self.columns,
            "error_count": len(self.errors),
            "bad_rows": len(self._bad_rows()),
            "bad_columns": [error.field for error in self.errors if error.code == "unused_labels"],
            "fatal": asdict(self.fatal) if self.fatal else None,
            "errors": [asdict(error) for error in self.errors[:SHOWN_ERRORS]],
            "twins": [asdict(twin) for twin in self.twins],
            "preview": [_shown(item) for item in self.preview],
            "status": self.status,
        }

    def _bad_rows(self) -> set[tuple[int, int]]:
        return {(error.line, error.entry) for error in self.errors if error is not self.fatal and error.line}

    def answer(self) -> dict[str, Any]:
        """Return the output of the command: exactly the keys that programs rely on."""
        counted = self.stored or self.dry_run
        return {
            "format": str(self.format),
            "sheet": self.sheet,
            "other_sheets": self.other_sheets,
            "items": self.items if counted else 0,
            "labels": self.labels if counted else 0,
            "priors": self.priors if counted else 0,
            "annotators": self.annotators if counted else 0,
            "intended": self.intended if counted else 0,
            "decided": self.decided if counted else 0,
            "known_answers": self.known_answers if counted else 0,
            "pictures": self.pictures,
            "columns": self.columns,
            "missing_images": self.missing_images,
            "missing_names": self.missing_names,
            "first_frames": self.first_frames,
            "rationales_left": self.rationales_left,
            "dropped": self.dropped,
            "duplicates": self.duplicates,
            "existing": self.existing,
            "changed": self.changed,
            "changed_ids": self.changed_ids,
            "masked": dict(self.masked),
            "dry_run": self.dry_run,
            "errors": [
                {"line": error.line, "reason": error.reason} | ({"entry": error.entry} if error.entry else {})
                for error in self.errors[:SHOWN_ERRORS]
            ],
        }


def unused_labels_reason(column: Column) -> str:
    """Return what stands against passing over a column that looks like labels, and what to do."""
    frequent = sorted(column.values.items(), key=lambda pair: (-pair[1], pair[0]))[:5]
    examples = f" ({', '.join(f'{value[:20]} {count:,}' for value, count in frequent)})" if frequent else ""
    if column.holds_lists:
        return (
            f"The column {column.name[:80]!r} looks like labels, but holds lists. Write them as labels: a list of "
            f"objects with annotator and category; or say that the column is to be left out."
        )
    return (
        f"The column {column.name[:80]!r} looks like labels{examples} and would be passed over. Name it as the label "
        f"column, and what its values mean where they are no categories; or say that it is to be left out."
    )


def _shown(item: Incoming) -> dict[str, Any]:
    """Return an item for the table of first rows; categories are codes."""
    return {
        "line": item.line,
        "entry": item.entry,
        "external_id": item.external_id,
        "text": item.text[:160],
        "picture": item.picture,
        "intended": _codes(item.intended, item.intended_categories),
        "intended_hateful": item.intended_hateful,
        "labels": len(item.labels),
        "priors": len(item.priors),
        "stage": item.outcome.stage.value,
        "category": _codes(item.known.category, item.known.categories)
        if item.known
        else _codes(item.outcome.category, item.outcome.categories),
    }


def _codes(lead: int | None, stored: Sequence[int]) -> list[int]:
    return list(codes_of(lead, stored))
