"""The job of an uploaded file: check it by a dry run, store it, and remove files that are no longer needed."""

import hashlib
import secrets
import tempfile
from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import chain
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db.models import Q
from django.utils import timezone

from annotation.core.jobs import Heartbeat, JobCancelled, JobKind, Phase
from annotation.domain.formats.base import Unreadable
from annotation.imports.elsewhere import bring
from annotation.imports.options import ImportOptions
from annotation.imports.report import ImportReport
from annotation.imports.run import import_file
from annotation.media.pictures import remove_orphans
from annotation.models import Import, ImportState
from annotation.pages.csv_response import csv_file
from annotation.releases.places import remove_unlisted_releases

FOLDER = "imports"
SMALL = 2 * 2**20
"""The maximum size in bytes of a file that is read while the page waits; that takes a second or two."""
_WALKED = f"{FOLDER}/walked"
KEPT = timedelta(days=2)
"""The time after which files of abandoned imports are removed."""


def new_name() -> str:
    """Return a random name in storage for an import file."""
    return f"{FOLDER}/{secrets.token_urlsafe(24)}"


def _check(row: Import, heartbeat: Heartbeat[Import]) -> None:
    address = ImportOptions.model_validate(row.options).address
    if address and not row.file:
        try:
            _fetch(row, address)
        except Unreadable as fault:
            report = ImportReport(dry_run=True)
            report.give_up(fault.error)
            _keep(row, report, ImportState.REFUSED)
            return
    _read(row, heartbeat, dry_run=True)


def _fetch(row: Import, address: str) -> None:
    """Store the file behind the address. Raises Unreadable."""
    with tempfile.TemporaryFile() as fetched:
        bring(address, fetched)
        size = fetched.tell()
        fetched.seek(0)
        sha256 = hashlib.file_digest(fetched, "sha256").hexdigest()
        fetched.seek(0)
        name = default_storage.save(new_name(), File(fetched))
    if not Import.objects.filter(pk=row.pk, state=ImportState.CHECKING).update(file=name, size=size, sha256=sha256):
        default_storage.delete(name)
    row.refresh_from_db()


def _store(row: Import, heartbeat: Heartbeat[Import]) -> None:
    _read(row, heartbeat, dry_run=False)


def _read(row: Import, heartbeat: Heartbeat[Import], *, dry_run: bool) -> None:
    """Read the file to its end, and store the result."""
    with row.file.open("rb") as file:
        report = import_file(
            row.project,
            cast(BinaryIO, file.file),
            ImportOptions.model_validate(row.options),
            dry_run=dry_run,
            actor=row.started_by,
            watch=lambda progress: heartbeat.note(**asdict(progress)),
            on_stored=lambda report: _stored(row, report),
            row=row.public_id,
        )
    if report.stored:
        forget_file(row)
    elif dry_run and not report.errors:
        _keep(row, report, ImportState.CHECKED)
    else:
        can_store_rest = (
            dry_run and ImportOptions.model_validate(row.options).leave_out and report.items > 0 and not report.fatal
        )
        _keep(row, report, ImportState.CHECKED if can_store_rest else ImportState.REFUSED)


def _stored(row: Import, report: ImportReport) -> None:
    """Mark the import done, in the transaction that stores its rows.

    Raises JobCancelled if it was cancelled until then.
    """
    report.stored = True
    try:
        IMPORTS.finish(row, rows_done=report.rows, share=1, outcome=report.as_json())
    except JobCancelled:
        report.stored = False
        raise


def _keep(row: Import, report: ImportReport, state: ImportState) -> None:
    if row.error_list:
        row.error_list.delete(save=False)
    errors = ""
    if report.errors:
        name = f"{PurePosixPath(row.file.name or FOLDER).with_suffix('')}-errors.csv"
        errors = default_storage.save(name, ContentFile(_error_csv(report)))
    updated = Import.objects.filter(pk=row.pk, state__in=(ImportState.CHECKING, ImportState.IMPORTING)).update(
        state=state,
        rows_done=report.rows,
        share=1,
        outcome=report.as_json(),
        error_list=errors,
        beat_at=None,
        finished_at=timezone.now() if state == ImportState.REFUSED else None,
    )
    if not updated and errors:
        default_storage.delete(errors)


def _error_csv(report: ImportReport) -> bytes:
    """Return every error with line, entry, id, field, code and reason, as CSV that is safe in a spreadsheet."""
    rows = (
        (error.line, error.entry or "", error.external_id, error.field, error.code, error.reason)
        for error in report.errors
    )
    return csv_file(chain([("line", "entry", "id", "field", "code", "reason")], rows))


def forget_file(row: Import) -> None:
    """Remove the uploaded file and its error list; the row of the import stays."""
    for stored in (row.file, row.error_list):
        if stored:
            stored.delete(save=False)
    Import.objects.filter(pk=row.pk).update(file="", error_list="")


IMPORTS = JobKind(
    "import",
    Import,
    phases=(
        Phase(_check, ImportState.UPLOADED, ImportState.CHECKING),
        Phase(_store, ImportState.IMPORTING, ImportState.IMPORTING),
    ),
    is_small=lambda row: bool(row.file) and row.size <= SMALL,
    clean_up=forget_file,
    resting=(ImportState.CHECKED, ImportState.REFUSED),
    related=("project", "started_by"),
)


# ── For the sweeper ───────────────────────────────────────────────────────────


def forget_old_files() -> int:
    """Remove files of ended or abandoned imports, and files without a row. Return how many were removed."""
    old = timezone.now() - KEPT
    resting = (ImportState.CHECKED, ImportState.REFUSED)
    ended = (ImportState.DONE, ImportState.CANCELLED, ImportState.FAILED)
    rows = Import.objects.exclude(file="").filter(Q(state__in=ended) | Q(state__in=resting, created_at__lt=old))
    removed = 0
    for row in rows[:200]:
        Import.objects.filter(pk=row.pk, state=ImportState.CHECKED).update(state=ImportState.CANCELLED)
        forget_file(row)
        removed += 1
    return removed + _orphans()


def _orphans() -> int:
    """Remove pictures and uploads without a row. Runs at most once in six hours, because it lists every file."""
    now = timezone.now()
    if default_storage.exists(_WALKED):
        if default_storage.get_modified_time(_WALKED) > now - timedelta(hours=6):
            return 0
        default_storage.delete(_WALKED)
    default_storage.save(_WALKED, ContentFile(b""))
    before = now - KEPT
    return remove_orphans(before) + _remove_orphan_uploads(before) + remove_unlisted_releases(before)


def _remove_orphan_uploads(before: datetime) -> int:
    """Remove uploaded files whose row was never stored: the process died, or the project was purged meanwhile."""
    used = set(Import.objects.exclude(file="", error_list="").values_list("file", "error_list"))
    names = {f"{FOLDER}/{name}" for name in default_storage.listdir(FOLDER)[1]} - set(chain(*used)) - {_WALKED}
    old = [name for name in names if default_storage.get_modified_time(name) < before]
    for name in old:
        default_storage.delete(name)
    return len(old)
