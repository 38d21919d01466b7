"""A project's glossary from a file and as a file."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO
from typing import BinaryIO

from django.db import transaction

from annotation import glossing
from annotation.domain.formats.rows import RowError, Unreadable
from annotation.domain.glossary.entries import key_of
from annotation.domain.glossary.files import COLUMNS, ListedEntry, as_row, read_entries
from annotation.domain.spreadsheets import neutralized
from annotation.domain.words import GlossarySourceKind
from annotation.models import GlossaryEntry, Membership, Project

MOST_ERRORS = 100
"""Bad rows that are named."""


@dataclass(frozen=True)
class Imported:
    """What came of a file: entries added, terms the project had already (left as they are), and what is wrong.

    With errors nothing was stored.
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
    except Unreadable as fault:
        errors.append(fault.error)
    had = set(GlossaryEntry.objects.filter(project=member.project_id).values_list("key", flat=True))
    new = [entry for entry in entries if key_of(entry.values.term) not in had]
    if len(had) + len(new) > glossing.MOST_ENTRIES:
        reason = f"A glossary holds at most {glossing.MOST_ENTRIES:,} entries; this would make {len(had) + len(new):,}."
        errors.append(RowError(0, "too_many_entries", reason, limit=glossing.MOST_ENTRIES))
    if errors:
        return Imported(errors=tuple(errors))
    if not dry_run and new:
        glossing.add_many(
            member,
            [(entry.values, [_origin(entry.source)] if entry.source else []) for entry in new],
            approved=approved,
        )
    return Imported(len(new), len(entries) - len(new))


def as_jsonl(project: Project) -> Iterator[bytes]:
    """The glossary, an entry a line."""
    for row in _rows(project):
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


def as_csv(project: Project) -> Iterator[bytes]:
    """The glossary as a table whose cells no spreadsheet runs."""
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in _rows(project):
        writer.writerow([neutralized(str(row[name])) for name in COLUMNS])
        yield text.getvalue().encode()
        text.seek(0)
        text.truncate()


def _rows(project: Project) -> Iterator[dict[str, str]]:
    entries = project.glossary.prefetch_related("sources").order_by("key")
    for entry in entries.iterator(chunk_size=1000):
        notes = [source.note for source in entry.sources.all() if source.note]
        yield as_row(glossing.values_of(entry), entry.status, notes)


def _origin(note: str) -> glossing.Origin:
    return glossing.Origin(GlossarySourceKind.REFERENCE, note=note)
