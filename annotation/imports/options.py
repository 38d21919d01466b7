"""What an import is told and what it tells: options in, report out."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any, ClassVar

from annotation.domain.choices import Modality, Policy, SourceLabels
from annotation.domain.formats.base import Format, LabelUse, Mapped, RowError
from annotation.domain.imports.redaction import Mask
from annotation.domain.imports.values import Incoming, Terms
from annotation.domain.item_decision import Rules
from annotation.models import Project
from annotation.priors.results import prior_model

SHOWN_ERRORS = 100


class Update(StrEnum):
    """Which gaps of existing items a file fills."""

    IMAGES = "images"
    PRIORS = "priors"
    INTENDED = "intended"
    KNOWN = "known"


@dataclass(frozen=True)
class ImportOptions:
    """How a file is to be read and what its labels mean here."""

    format: Format = Format.AUTO
    mapped: Mapped = field(default_factory=Mapped)
    source_labels: SourceLabels = SourceLabels.SEATS
    update: Update | None = None
    masks: frozenset[Mask] = frozenset()
    skip_existing: bool = False
    """Rows whose id is in the project already are passed over instead of refused."""
    seats_from_data: bool = False
    leave_out: bool = False
    """Rows with errors are left out; the others are stored."""
    table: str = ""
    """The member of an archive that is the table, where there are several."""
    batch: str = ""
    source: str = ""
    licence: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the options as JSON values; `from_json` reads them back."""
        mapped = {each.name: getattr(self.mapped, each.name) for each in fields(self.mapped)}
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return given | {"mapped": mapped | {"values": dict(self.mapped.values)}, "masks": sorted(self.masks)}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "ImportOptions":
        mapped = dict(given.get("mapped", {}))
        if "label_is" in mapped:
            mapped["label_is"] = LabelUse(mapped["label_is"])
        known: dict[str, Any] = {each.name: given[each.name] for each in fields(cls) if each.name in given}
        known |= {
            "format": Format(given.get("format", Format.AUTO)),
            "mapped": Mapped(**mapped),
            "source_labels": SourceLabels(given.get("source_labels", SourceLabels.SEATS)),
            "update": Update(given["update"]) if given.get("update") else None,
            "masks": frozenset(Mask(kind) for kind in given.get("masks", ())),
        }
        return cls(**known)


@dataclass(frozen=True)
class Twin:
    """A row whose text or picture is another item's too."""

    line: int
    external_id: str
    what: str


@dataclass
class ImportReport:
    """What was found in a file and stored of it (in a dry run: would be)."""

    PREVIEW: ClassVar[int] = 20
    TWINS: ClassVar[int] = 20

    dry_run: bool = False
    stored: bool = False
    format: Format = Format.AUTO
    container: str = ""
    bytes: int = 0
    seconds: float = 0.0
    rows: int = 0
    items: int = 0
    labels: int = 0
    priors: int = 0
    annotators: int = 0
    missing_images: int = 0
    dropped: int = 0
    duplicates: int = 0
    """Rows passed over because their id is there, and rows whose text or picture another item has too."""
    existing: int = 0
    unchanged: int = 0
    """Rows of an update that had no gap to fill."""
    masked: Mapping[str, int] = field(default_factory=dict)
    pictures: int = 0
    shared_pictures: int = 0
    extra_pictures: int = 0
    extra_names: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    errors: list[RowError] = field(default_factory=list)
    fatal: RowError | None = None
    """The error after which nothing further could be read; one of `errors`."""
    refused_lines: set[int] = field(default_factory=set)
    twins: list[Twin] = field(default_factory=list)
    preview: list[Incoming] = field(default_factory=list)

    def note_twin(self, line: int, external_id: str, what: str) -> None:
        if len(self.twins) < self.TWINS:
            self.twins.append(Twin(line, external_id, what))

    def give_up(self, error: RowError) -> None:
        """Note an error after which nothing further can be read: no row is stored, not even without the bad ones."""
        self.errors.append(error)
        self.fatal = error

    @property
    def status(self) -> int:
        """The HTTP status of a refusal: that of a fatal error, else the one all share, else 400; 200 without errors."""
        if self.fatal:
            return self.fatal.status
        statuses = {error.status for error in self.errors}
        if not statuses:
            return 200
        return statuses.pop() if len(statuses) == 1 else 400

    def as_json(self) -> dict[str, Any]:
        """Everything a page shows, as JSON values: the first errors, rows and doubles, and all counts."""
        counts = {each.name: getattr(self, each.name) for each in fields(self) if each.type in (int, bool, float)}
        return counts | {
            "format": str(self.format),
            "container": self.container,
            "masked": dict(self.masked),
            "extra_names": self.extra_names,
            "ignored": self.ignored,
            "error_count": len(self.errors),
            "bad_rows": len({error.line for error in self.errors}),
            "fatal": asdict(self.fatal) if self.fatal else None,
            "errors": [asdict(error) for error in self.errors[:SHOWN_ERRORS]],
            "twins": [asdict(twin) for twin in self.twins],
            "preview": [_shown(item) for item in self.preview],
            "status": self.status,
        }

    def answer(self) -> dict[str, Any]:
        """Return what the command prints: exactly the keys that programs rely on."""
        counted = self.stored or self.dry_run
        return {
            "format": str(self.format),
            "items": self.items if counted else 0,
            "labels": self.labels if counted else 0,
            "priors": self.priors if counted else 0,
            "annotators": self.annotators if counted else 0,
            "missing_images": self.missing_images,
            "dropped": self.dropped,
            "duplicates": self.duplicates,
            "masked": dict(self.masked),
            "dry_run": self.dry_run,
            "errors": [{"line": error.line, "reason": error.reason} for error in self.errors[:SHOWN_ERRORS]],
        }


def _shown(item: Incoming) -> dict[str, Any]:
    """Return an item for the table of first rows; categories are codes."""
    return {
        "line": item.line,
        "external_id": item.external_id,
        "text": item.text[:160],
        "picture": item.picture,
        "intended": item.intended,
        "intended_hateful": item.intended_hateful,
        "labels": len(item.labels),
        "priors": len(item.priors),
        "stage": item.outcome.stage.value,
        "category": item.known.category if item.known else item.outcome.category,
    }


def terms_of(project: Project, options: ImportOptions) -> Terms:
    """Return the requirements that the project and the options place on rows."""
    return Terms(
        categories=project.category_values(),
        seats=project.seats,
        rules=Rules(Policy(project.policy), project.low_quality_threshold, project.extra_seats),
        source_labels=options.source_labels,
        seats_from_data=options.seats_from_data,
        masks=options.masks,
        text_prior_wanted=project.priors_wanted,
        image_prior_wanted=project.priors_wanted and prior_model(project, Modality.IMAGE).is_language_model,
        batch=options.batch,
        source=options.source,
        licence=options.licence,
    )
