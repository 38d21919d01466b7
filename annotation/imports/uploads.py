"""Files that admins bring through the page: uploaded, checked by a dry run, then imported, cancelled or corrected.

Small files are checked and stored while the page waits; larger ones by a worker, with progress.
"""

import hashlib
from dataclasses import replace
from typing import Any

from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from annotation.domain.choices import EventVerb
from annotation.domain.formats.base import Twice
from annotation.domain.one_line import one_line
from annotation.domain.text_rules import is_blank
from annotation.imports import job
from annotation.imports.elsewhere import name_of
from annotation.imports.options import ImportOptions
from annotation.models import Import, ImportState, Membership, Project, record

_ACTIVE = (ImportState.UPLOADED, ImportState.CHECKING, ImportState.CHECKED, ImportState.IMPORTING)
_RESTING = (ImportState.CHECKED, ImportState.REFUSED)


def upload(member: Membership, uploaded: "UploadedFile[bytes] | None", options: ImportOptions) -> Import:
    """Keep the file, or the address that a worker fetches it from, and begin its dry run.

    The same file with the same options, still under way, is not begun twice.
    """
    digest = hashlib.sha256(options.address.encode())
    for piece in uploaded.chunks(2**20) if uploaded else ():
        digest.update(piece)
    stored = ""
    if uploaded:  # before the transaction: a large file takes its time on the way to a bucket
        uploaded.seek(0)
        stored = default_storage.save(job.new_name(), uploaded)
    try:
        row, is_new = _begun(member, uploaded, options, digest.hexdigest(), stored)
    except BaseException:
        _discard(stored)
        raise
    if not is_new:
        _discard(stored)
        return row
    job.IMPORTS.begin(row)
    return row


@transaction.atomic
def _begun(
    member: Membership, uploaded: "UploadedFile[bytes] | None", options: ImportOptions, sha256: str, stored: str
) -> tuple[Import, bool]:
    """Return the row of the import, and whether it is a new one."""
    option_values = options.model_dump(mode="json")
    # Two posts of the same file come one after the other here.
    project = Project.objects.select_for_update().get(pk=member.project_id)
    active = Import.objects.filter(project=project, sha256=sha256, state__in=_ACTIVE)
    same = next((row for row in active.order_by("pk") if row.options == option_values), None)
    if same is not None:
        return same, False
    row = Import.objects.create(
        project=project,
        started_by=member,
        file_name=_file_name((uploaded.name or "") if uploaded else name_of(options.address)),
        file=stored,
        size=(uploaded.size or 0) if uploaded else 0,
        sha256=sha256,
        options=option_values,
    )
    record(
        EventVerb.IMPORT_UPLOADED, project=project, actor=member, row=row.public_id, sha256=row.sha256, size=row.size
    )
    return row, True


def _discard(stored: str) -> None:
    if stored:
        default_storage.delete(stored)


def check_again(row: Import, options: ImportOptions) -> bool:
    """Begin another dry run of a file that rests, with other options; False where it does not rest."""
    resting = Import.objects.filter(pk=row.pk, state__in=_RESTING).exclude(file="")
    begun = resting.update(
        state=ImportState.UPLOADED,
        options=options.model_dump(mode="json"),
        rows_done=0,
        share=0,
        finished_at=None,
        beat_at=None,
    )
    if begun:
        job.IMPORTS.begin(row)
    return bool(begun)


def leave_out_bad_rows(row: Import) -> bool:
    """Check again, leaving out the rows with errors; False where the file does not rest."""
    return check_again(row, ImportOptions.model_validate(row.options | {"leave_out": True}))


def decide_column(row: Import, name: str, choice: str) -> bool:
    """Check again with a column as the label (`use_column`), kept as it is (`keep_column`), or left out.

    Returns False where the file does not rest, or where the column neither stops the import nor is kept.
    """
    options, found = ImportOptions.model_validate(row.options), row.outcome
    if name not in (*found.get("bad_columns", ()), *found.get("kept", ())):
        return False
    match choice:
        case "use_column":
            changed: dict[str, Any] = {"mapped": replace(options.mapped, label=name)}
        case "keep_column":
            changed = {"keep": options.keep | {name}, "ignore": options.ignore - {name}}
        case _:
            changed = {"ignore": options.ignore | {name}, "keep": options.keep - {name}}
    return check_again(row, options.model_copy(update=changed))


def count_one(row: Import, twice: Twice) -> bool:
    """Check again, counting one of two labels of one person at one post."""
    return check_again(row, ImportOptions.model_validate(row.options | {"twice": twice}))


def name_category_columns(row: Import) -> bool:
    """Check again with the columns of 0 and 1 that stop the import as a column for each category."""
    options, found = ImportOptions.model_validate(row.options), row.outcome
    columns = dict.fromkeys(found.get("category_columns", ()), "")
    mapped = replace(options.mapped, category_columns=columns)
    return bool(columns) and check_again(row, options.model_copy(update={"mapped": mapped}))


def store(row: Import, member: Membership) -> bool:
    """Begin to store a checked file; False where it is not checked (any more)."""
    checked = Import.objects.filter(pk=row.pk, state=ImportState.CHECKED)
    begun = checked.update(
        state=ImportState.IMPORTING, started_by=member, rows_done=0, share=0, beat_at=None, cancel_requested=False
    )
    if begun:
        job.IMPORTS.begin(row)
    return bool(begun)


def _file_name(client_name: str) -> str:
    """Return the name by which people recognise the file; nothing is stored or opened under it."""
    name = one_line(client_name)[:255]
    return "file" if is_blank(name) else name
