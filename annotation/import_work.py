"""What a worker does with an uploaded file: check it, store it, say how far it is, clean up behind it.

The `Import` row is the truth. A worker takes it by a guarded UPDATE and shows that it lives by `beat_at`; one that
nobody moves is taken again (whatever a dead worker had written was rolled back with it).
"""

import csv
import io
import logging
from datetime import timedelta
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models import Q
from django.utils import timezone

from annotation.bundles import Cancelled, Progress
from annotation.domain.spreadsheets import neutralized
from annotation.import_terms import ImportOptions, ImportReport
from annotation.importing import import_file
from annotation.models import Import, ImportState
from annotation.pictures import remove_orphans

log = logging.getLogger(__name__)

FOLDER = "imports"
LAPSE = timedelta(minutes=2)
"""Without a sign of life for so long, a check or import is taken to be dead; storing waits longer."""
STORING_LAPSE = timedelta(minutes=5)
_WALKED = f"{FOLDER}/walked"
KEPT = timedelta(days=2)
"""Files of imports that nobody went on with are removed after so long."""


def perform(import_id: int) -> None:
    """Check or store the file, whichever is due; nothing if neither is, or somebody is at it."""
    now = timezone.now()
    row = Import.objects.filter(pk=import_id)
    to_check = Q(state=ImportState.UPLOADED) | Q(state=ImportState.CHECKING, beat_at__lt=now - LAPSE)
    if row.filter(to_check).update(state=ImportState.CHECKING, beat_at=now):
        _carry_out(row.select_related("project", "started_by").get(), dry_run=True)
        return
    to_store = Q(beat_at=None) | Q(beat_at__lt=now - STORING_LAPSE)
    if row.filter(to_store, state=ImportState.IMPORTING).update(beat_at=now):
        _carry_out(row.select_related("project", "started_by").get(), dry_run=False)


def _carry_out(row: Import, *, dry_run: bool) -> None:
    """Read the file to its end and store what came of it. A fault of ours leaves the row `failed`."""
    try:
        with row.file.open("rb") as file:
            report = import_file(
                row.project,
                cast(BinaryIO, file.file),
                ImportOptions.from_json(row.options),
                dry_run=dry_run,
                actor=row.started_by,
                watch=lambda progress: _say(row, progress),
                on_stored=lambda report: _stored(row, report),
                row=row.public_id,
            )
    except Cancelled:
        _end(row, ImportState.CANCELLED)
        return
    except Exception:
        log.exception("Import %s failed", row.public_id)
        _end(row, ImportState.FAILED)
        return
    if report.stored:
        forget_file(row)
    elif dry_run and not report.errors:
        _keep(row, report, ImportState.CHECKED)
    else:
        good = dry_run and ImportOptions.from_json(row.options).leave_out and report.items > 0 and not report.fatal
        _keep(row, report, ImportState.CHECKED if good else ImportState.REFUSED)


def _say(row: Import, progress: Progress) -> None:
    """Write down how far it is. Raises Cancelled where somebody asked for it."""
    going = Import.objects.filter(pk=row.pk, cancel_requested=False)
    said = going.update(rows_done=progress.rows, share=progress.share, rate=progress.rate, beat_at=timezone.now())
    if not said:
        raise Cancelled


def _stored(row: Import, report: ImportReport) -> None:
    """Mark the import done, in the transaction that stores its rows. Raises Cancelled at the last moment."""
    report.stored = True
    going = Import.objects.filter(pk=row.pk, state=ImportState.IMPORTING, cancel_requested=False)
    done = going.update(
        state=ImportState.DONE,
        rows_done=report.rows,
        share=1,
        outcome=report.as_json(),
        finished_at=timezone.now(),
    )
    if not done:
        report.stored = False
        raise Cancelled


def _keep(row: Import, report: ImportReport, state: ImportState) -> None:
    if row.error_list:
        row.error_list.delete(save=False)
    errors = ""
    if report.errors:
        name = f"{PurePosixPath(row.file.name or FOLDER).with_suffix('')}-errors.csv"
        errors = default_storage.save(name, ContentFile(_error_csv(report)))
    kept = Import.objects.filter(pk=row.pk, state__in=(ImportState.CHECKING, ImportState.IMPORTING)).update(
        state=state,
        rows_done=report.rows,
        share=1,
        outcome=report.as_json(),
        error_list=errors,
        beat_at=None,
        finished_at=timezone.now() if state == ImportState.REFUSED else None,
    )
    if not kept and errors:
        default_storage.delete(errors)


def _error_csv(report: ImportReport) -> bytes:
    """Every error with its line, id, field, code and reason, safe to open in a spreadsheet."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\r\n")
    table.writerow(("line", "id", "field", "code", "reason"))
    for error in report.errors:
        cells = (error.external_id, error.field, error.code, error.reason)
        table.writerow((error.line, *map(neutralized, cells)))
    return b"\xef\xbb\xbf" + out.getvalue().encode(errors="replace")


def _end(row: Import, state: ImportState) -> None:
    ended = Import.objects.filter(pk=row.pk, state__in=(ImportState.CHECKING, ImportState.IMPORTING))
    if ended.update(state=state, finished_at=timezone.now()):
        forget_file(row)


def forget_file(row: Import) -> None:
    """Remove what was uploaded; what is known of it stays."""
    for stored in (row.file, row.error_list):
        if stored:
            stored.delete(save=False)
    Import.objects.filter(pk=row.pk).update(file="", error_list="")


# ── For the sweeper ───────────────────────────────────────────────────────────


def left_behind() -> list[int]:
    """Imports that wait for a worker although nobody is at them."""
    now = timezone.now()
    waiting = Q(state=ImportState.UPLOADED, created_at__lt=now - timedelta(seconds=30))
    stuck = Q(state=ImportState.CHECKING, beat_at__lt=now - LAPSE)
    unstored = Q(state=ImportState.IMPORTING, beat_at=None, created_at__lt=now - timedelta(seconds=30))
    undone = Q(state=ImportState.IMPORTING, beat_at__lt=now - STORING_LAPSE)
    return list(Import.objects.filter(waiting | stuck | unstored | undone).values_list("pk", flat=True))


def forget_old_files() -> int:
    """Remove files of imports that ended or that nobody went on with, and pictures that no row names."""
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
    """Look for pictures without a row, once in six hours: that walks over every file."""
    now = timezone.now()
    if default_storage.exists(_WALKED):
        if default_storage.get_modified_time(_WALKED) > now - timedelta(hours=6):
            return 0
        default_storage.delete(_WALKED)
    default_storage.save(_WALKED, ContentFile(b""))
    return remove_orphans(now - KEPT)
