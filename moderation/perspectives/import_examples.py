"""Import of labelled examples from a table: check all rows first, then store all of them or none."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from django.db import transaction

from annotation.domain.formats.base import BadValue, Format, LabelUse, Mapped, Row, RowError, Unreadable
from annotation.domain.formats.zip_archives import BadArchive
from annotation.imports.files.archives import unpacked
from annotation.imports.options import ImportOptions
from annotation.models import Membership, record
from moderation.domain.event_verbs import ModerationVerb
from moderation.domain.predict.perspectives import digest_of
from moderation.models import Example, Perspective
from moderation.perspectives import edit

HATEFUL, OTHER = "hateful", "non-hateful"
ANY = "*"
"""The key of a mapping for every value that has no entry."""
MOST_ERRORS = 1000


@dataclass
class ExampleImportReport:
    """The result of an import: what was or would be stored. With errors, nothing is stored."""

    perspective: str
    dry_run: bool
    rows: int = 0
    new: int = 0
    hateful: int = 0
    duplicates: int = 0
    """Rows whose text, in its normal form, is already in the file or the store, with the same label."""
    conflicting: int = 0
    """The same with the other label; the first label is kept."""
    stored: bool = False
    errors: list[RowError] = field(default_factory=list)
    more_errors: int = 0
    ignored: list[str] = field(default_factory=list)

    def refuse(self, error: RowError) -> None:
        """Add the error of a row that cannot be stored."""
        if len(self.errors) < MOST_ERRORS:
            self.errors.append(error)
        else:
            self.more_errors += 1

    def answer(self) -> dict[str, Any]:
        """Return the report as JSON values for the command."""
        return {
            "perspective": self.perspective,
            "dry_run": self.dry_run,
            "stored": self.stored,
            "rows": self.rows,
            "new": self.new,
            "hateful": self.hateful,
            "non_hateful": self.new - self.hateful,
            "duplicates": self.duplicates,
            "conflicting": self.conflicting,
            "errors": [
                {"line": error.line, "entry": error.entry, "code": error.code, "reason": error.reason}
                for error in self.errors
            ],
            "more_errors": self.more_errors,
            "ignored": self.ignored,
        }


@dataclass(frozen=True)
class ExampleColumns:
    """The columns of text and label, and the meaning of label values (`hateful`, `non-hateful`)."""

    text: str = "text"
    label: str = "label"
    values: Mapping[str, str] = field(default_factory=dict)
    format: Format = Format.AUTO


def import_examples(
    perspective: Perspective,
    file: BinaryIO,
    columns: ExampleColumns,
    *,
    source: str,
    dry_run: bool = False,
    leave_out: bool = False,
    actor: Membership | None = None,
    most: int | None = None,
) -> ExampleImportReport:
    """Store the examples of a table in the perspective's store. Return what was (or would be) stored.

    If a row is bad, nothing is stored, unless `leave_out` asks for the good rows. At most `most` rows are accepted.
    """
    report = ExampleImportReport(perspective.code, dry_run)
    known = dict(Example.objects.filter(perspective=perspective).values_list("digest", "hateful").iterator())
    examples: list[Example] = []
    fatal = False
    try:
        for row in _read(file, columns, report, spacious=most is None):
            _take(row, perspective, columns, source, known, examples, report)
            if most is not None and report.rows > most:
                reason = f"The file has more than {most:,} rows: import it by manage.py import_examples."
                raise Unreadable(RowError(row.line, "too_many_rows", reason, limit=most))
    except Unreadable as fault:
        report.refuse(fault.error)
        fatal = True
    except BadArchive as fault:
        report.refuse(RowError(0, fault.code, fault.sentence))
        fatal = True
    if not dry_run and examples and not fatal and (leave_out or not report.errors):
        _store(perspective, examples, source, actor, report)
    return report


def _read(
    file: BinaryIO, columns: ExampleColumns, report: ExampleImportReport, *, spacious: bool
) -> Iterator[Row | RowError]:
    mapped = Mapped(text=columns.text, label=columns.label, label_is=LabelUse.GOLD)
    options = ImportOptions(format=columns.format, mapped=mapped)
    with ExitStack() as stack:
        bundle = unpacked(file, stack, options, None, spacious=spacious)
        _format, reader = bundle.reader(options)
        for row in reader:
            report.rows += 1
            yield row
        report.ignored = bundle.columns.passed_over()


def _take(
    row: Row | RowError,
    perspective: Perspective,
    columns: ExampleColumns,
    source: str,
    known: dict[str, bool],
    examples: list[Example],
    report: ExampleImportReport,
) -> None:
    if isinstance(row, RowError):
        return report.refuse(row)
    try:
        if not row.text:
            raise BadValue("no_text", "The row has no text.", columns.text)
        hateful = _side(row.gold, perspective, columns)
    except BadValue as bad:
        return report.refuse(bad.at(row.line, row.external_id, row.entry))
    digest = digest_of(row.text)
    if digest in known:
        report.duplicates += known[digest] is hateful
        report.conflicting += known[digest] is not hateful
        return None
    known[digest] = hateful
    report.new += 1
    report.hateful += hateful
    examples.append(Example(perspective=perspective, text=row.text, hateful=hateful, digest=digest, source=source))
    return None


def _side(written: str | None, perspective: Perspective, columns: ExampleColumns) -> bool:
    """Return whether a label means hateful: by the mapping, else by one of the common names."""
    if written is None:
        raise BadValue("no_label", "The row has no label.", columns.label)
    label = columns.values.get(written, columns.values.get(ANY, written) if columns.values else written)
    names = {
        HATEFUL: True,
        "hate": True,
        perspective.hateful_label.casefold(): True,
        OTHER: False,
        "not_hateful": False,
        "non-hate": False,
        perspective.other_label.casefold(): False,
    }
    side = names.get(label.casefold())
    if side is None:
        reason = f"The label {written!r} is neither {HATEFUL} nor {OTHER}: say which with --map {written}={HATEFUL}."
        raise BadValue("unknown_label", reason, columns.label)
    return side


def _store(
    perspective: Perspective,
    examples: list[Example],
    source: str,
    actor: Membership | None,
    report: ExampleImportReport,
) -> None:
    """Store the examples in one transaction. If another import has stored the same text meanwhile, that one is kept."""
    with transaction.atomic():
        Example.objects.bulk_create(examples, batch_size=500, ignore_conflicts=True)
        edit.renew_store(perspective)
        record(
            ModerationVerb.EXAMPLES_IMPORTED,
            project=perspective.project,
            actor=actor,
            row=perspective.public_id,
            code=perspective.code,
            source=source,
            examples=report.new,
        )
    report.stored = True
