"""Backups of the site in a folder: the database, then all stored files, each with its SHA-256; and their way back.

The database comes first: a file without a row is harmless, a row without its file is not. The list of checksums is
written last, so a backup that was cut off has none and is refused. SECRET_KEY is not in it, and no session: who reads a
backup signs in as nobody.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection
from django.db.models import FileField
from django.utils import timezone

from annotation.core.release_paths import release_name
from annotation.core.stored_files import MARKER, files_below, local_path
from annotation.models import Release
from annotation.releases.documents import software_version
from annotation.releases.files import MANIFEST
from config import shared_parts
from config.models import BACKUP, Pulse
from config.recovery import database_dump
from config.recovery.database_dump import BadBackup as BadBackup

SUMS, ABOUT, FILES = "SHA256SUMS", "backup.json", "files"
FOLDERS = ("pictures", "imports", "releases", "vectors")


def make(folder: Path, *, incomplete: bool = False) -> dict[str, Any]:
    """Write a backup into a new folder, and return what it holds.

    Raises BadBackup, and leaves nothing there, if it fails; and if files and database are not those of one site, unless
    the caller takes an incomplete one.
    """
    existed = folder.exists()
    if existed and any(folder.iterdir()):
        raise BadBackup(f"{folder} is not empty. Name a new folder.")
    storage = local_path("")
    if storage is not None and folder.resolve().is_relative_to(storage.resolve()):
        raise BadBackup(f"{folder} is inside the storage of files, {storage}. Name a folder outside.")
    if not connection.introspection.table_names():
        raise BadBackup("The database has no tables: it is not that of a site. See DATABASE_URL and VAR_DIR.")
    lost = lost_files()
    if not incomplete:
        _refuse_parts_of_two_sites(lost)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        held = _write(folder, missing=len(lost))
    except BaseException:  # also when somebody presses Ctrl+C
        shutil.rmtree(folder, ignore_errors=True)
        if existed:
            folder.mkdir(mode=0o700, exist_ok=True)
        raise
    _note_the_time(held)
    return held


def _note_the_time(held: dict[str, Any]) -> None:
    """Leave the time in the database that was copied: whichever machine copied it, all of them can tell its age."""
    try:
        Pulse.beat(BACKUP)
    except DatabaseError:  # one that takes no writes was copied all the same
        held["warnings"] += ["The database takes no writes, so it does not hold when this backup was made."]


def lost_files() -> list[str]:
    """Return the names of files that rows name and the storage lacks."""
    named = _named()
    if not (lost := named - set(_stored())):
        return []
    return sorted(lost & _named())  # but not those whose rows were removed meanwhile


def _named() -> set[str]:
    """Return the names of all files that rows name; of a release its manifest."""
    names: set[str] = set()
    for model in apps.get_models():
        for field in (field for field in model._meta.get_fields() if isinstance(field, FileField)):
            rows = model._default_manager.exclude(**{field.name: ""})
            names.update(str(name) for name in rows.values_list(field.name, flat=True).iterator() if name)
    # The command `release` may have written one to a folder outside.
    inside = [row for row in Release.objects.only("folder").iterator() if not Path(row.folder).is_absolute()]
    return names | {f"{release_name(row)}/{MANIFEST}" for row in inside}


def _refuse_parts_of_two_sites(lost: list[str]) -> None:
    sentences = shared_parts.differences(make_marks=False)
    if lost:
        sentences.append(f"The storage of files lacks {len(lost):,} files that the database names, such as {lost[0]}.")
    if sentences:
        how = "See DATABASE_URL, VAR_DIR, MEDIA_ROOT and MEDIA_BUCKET; --incomplete makes a backup all the same."
        raise BadBackup(" ".join([*sentences, how]))


def _write(folder: Path, *, missing: int) -> dict[str, Any]:
    name = database_dump.FILES[connection.vendor]
    warnings = database_dump.dump(folder / name)
    sums = {name: _sha256(folder / name)}
    for stored in _stored():
        target = folder / FILES / stored
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with default_storage.open(stored, "rb") as source, target.open("xb") as out:
                shutil.copyfileobj(source, out, 1 << 20)
        except FileNotFoundError:  # removed since it was listed
            target.unlink(missing_ok=True)
            continue
        sums[f"{FILES}/{stored}"] = _sha256(target)
    about: dict[str, Any] = {
        "made": timezone.now().isoformat(timespec="seconds"),
        "version": software_version(),
        "site_url": settings.SITE_URL,
        "database": connection.vendor,
        "files": len(sums) - 1,
        "missing_files": missing,
        **({"postgresql": server} if (server := database_dump.description()) else {}),
    }
    (folder / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    sums[ABOUT] = _sha256(folder / ABOUT)
    (folder / SUMS).write_text("".join(f"{digest}  {path}\n" for path, digest in sums.items()), encoding="utf-8")
    return about | {"warnings": warnings}


def problems(folder: Path) -> list[str]:
    """Return what is wrong with a backup: files that are missing, changed or not listed."""
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return [f"{SUMS} is missing: this is no whole backup."]
    except UnicodeDecodeError:
        return [f"{SUMS} cannot be read: it is damaged."]
    listed = {path: digest for digest, _blanks, path in (line.partition("  ") for line in lines)}
    found = [f"{path} is missing." for path in listed if not (folder / path).is_file()]
    found += [
        f"{path} has changed."
        for path, digest in listed.items()
        if (folder / path).is_file() and _sha256(folder / path) != digest
    ]
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return found + [f"{path} is not part of the backup." for path in sorted(there - set(listed) - {SUMS})]


def restore(folder: Path) -> dict[str, Any]:
    """Put a backup into an empty database and an empty storage; return what it held.

    Raises BadBackup; both are still empty then, so that it can be tried again.
    """
    if wrong := problems(folder):
        raise BadBackup(" ".join(wrong[:5]))
    held = about(folder)
    if held["database"] != connection.vendor:
        raise BadBackup(f"The backup is of {held['database']}, and DATABASE_URL names {connection.vendor}.")
    if connection.vendor == "sqlite":
        Path(connection.settings_dict["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    if connection.introspection.table_names():
        raise BadBackup("The database is not empty. Restore into an empty one.")
    if next(_stored(), None) is not None:
        raise BadBackup("The storage of files is not empty. Restore into an empty one.")
    dump = folder / database_dump.FILES[connection.vendor]
    database_dump.refuse_unreadable(dump)  # before the files are copied, which takes long
    saved = []
    try:
        for path in sorted((folder / FILES).rglob("*")):
            if path.is_file():
                saved.append(path.relative_to(folder / FILES).as_posix())  # before: a part of it may be written
                with path.open("rb") as content:
                    default_storage.save(saved[-1], File(content))
        remarks = database_dump.load(dump)
    except BaseException:
        for name in saved:
            default_storage.delete(name)
        raise
    return held | {"remarks": remarks + _another_locale(held)}


def _another_locale(held: dict[str, Any]) -> list[str]:
    """Return a remark if the new database sorts or compares letters in another way than the old one."""
    old, new = held.get("postgresql") or {}, database_dump.description()
    names = [name for name in ("collation", "character_type") if name in old and old[name] != new.get(name)]
    return [f"The {name.replace('_', ' ')} was {old[name]} and is {new.get(name)} here." for name in names]


def about(folder: Path) -> dict[str, Any]:
    """Return what a backup says of itself. Raises BadBackup."""
    try:
        held = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        return {**held, "database": str(held["database"])}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise BadBackup(f"{ABOUT} is missing, or does not say which database the backup is of.") from None


def _stored() -> Iterator[str]:
    """Yield the names of all stored files, but not of releases that are being built."""
    if default_storage.exists(MARKER):
        yield MARKER
    for folder in FOLDERS:
        yield from (name for name in files_below(folder) if "/." not in name)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
