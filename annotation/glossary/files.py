"""Import and export of a project's glossary as a file."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from django.db import transaction

from annotation.domain.choices import GlossarySourceKind
from annotation.domain.formats.base import RowError, Unreadable
from annotation.domain.glossary.entry import key_of
from annotation.domain.glossary.file_format import COLUMNS, ListedEntry, as_row, read_entries
from annotation.glossary import entries as glossary_entries
from annotation.models import GlossaryEntry, Membership, Project
from annotation.pages.csv_response import csv_of_dicts

MOST_ERRORS = 100
"""The maximum number of reported errors."""


@dataclass(frozen=True)
class Imported:
    """The result of an import: added entries, terms that the project already had (not changed), and errors.

    With errors, nothing was stored.
    """

    added: int = 0
    known: int = 0
    errors: tuple[RowError, ...] = field(default=())


@transaction.atomic
def import_entries(member: Membership, stream: BinaryIO, *, approved: bool = False, dry_run: bool = False) -> Imported:
    """Add the entries of a file to the member's project: all of them or none."""
    entries: list[ListedEntry] = []
    errors: list[RowError] = []
    try:
        for read in read_entries(stream):
            if isinstance(read, RowError):
                errors.append(read)
                if len(errors) == MOST_ERRORS:
                    break
            else:
                entries.append(read)
                if len(entries) > glossary_entries.MOST_ENTRIES:
                    break
    except Unreadable as fault:
        errors.append(fault.error)
    existing = set(GlossaryEntry.objects.filter(project=member.project_id).values_list("key", flat=True))
    new = [entry for entry in entries if key_of(entry.values.term) not in existing]
    if len(existing) + len(new) > glossary_entries.MOST_ENTRIES:
        most = glossary_entries.MOST_ENTRIES
        reason = f"A glossary holds at most {most:,} entries; with this file it would have more."
        errors.append(RowError(0, "too_many_entries", reason, limit=glossary_entries.MOST_ENTRIES))
    if errors:
        return Imported(errors=tuple(errors))
    if not dry_run and new:
        glossary_entries.add_many(
            member,
            [(entry.values, [_origin(entry.source)] if entry.source else []) for entry in new],
            approved=approved,
        )
    return Imported(len(new), len(entries) - len(new))


def as_jsonl(project: Project) -> Iterator[bytes]:
    """Yield the glossary, one entry per line."""
    for row in _rows(project):
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


def as_csv(project: Project) -> Iterator[bytes]:
    """Return the glossary as CSV whose cells no spreadsheet runs as a formula."""
    return csv_of_dicts(COLUMNS, _rows(project))


def _rows(project: Project) -> Iterator[dict[str, str]]:
    entries = project.glossary.prefetch_related("sources").order_by("key")
    for entry in entries.iterator(chunk_size=1000):
        notes = [source.note for source in entry.sources.all() if source.note]
        yield as_row(glossary_entries.values_of(entry), entry.status, notes)


def _origin(note: str) -> glossary_entries.Origin:
    return glossary_entries.Origin(GlossarySourceKind.REFERENCE, note=note)
