"""Backups of the site in a folder: the database, then all stored files, each with its SHA-256; and their way back.

The database comes first: a file without a row is harmless, a row without its file is not. The list of checksums is
written last, so a backup that was cut off has none and is refused. SECRET_KEY is not in it, and no session: who reads a
backup signs in as nobody.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import connection
from django.db.models import FileField
from django.utils import timezone
from psycopg import pq
from psycopg.conninfo import make_conninfo

from annotation.core.release_paths import release_name
from annotation.core.stored_files import MARKER, files_below, local_path
from annotation.models import Release
from annotation.releases.documents import software_version
from annotation.releases.files import MANIFEST
from config import env_database, shared_parts

SUMS, ABOUT, FILES = "SHA256SUMS", "backup.json", "files"
FOLDERS = ("pictures", "imports", "releases", "vectors")
_SESSIONS = Session._meta.db_table
_DATABASES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}


class BadBackup(Exception):
    """A backup that cannot be made or restored; the message says why."""


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
        return _write(folder, missing=len(lost))
    except BaseException:  # also when somebody presses Ctrl+C
        shutil.rmtree(folder, ignore_errors=True)
        if existed:
            folder.mkdir(mode=0o700, exist_ok=True)
        raise


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
    name = _DATABASES[connection.vendor]
    _dump(folder / name)
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
    about = {
        "made": timezone.now().isoformat(timespec="seconds"),
        "version": software_version(),
        "database": connection.vendor,
        "files": len(sums) - 1,
        "missing_files": missing,
    }
    (folder / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    sums[ABOUT] = _sha256(folder / ABOUT)
    (folder / SUMS).write_text("".join(f"{digest}  {path}\n" for path, digest in sums.items()), encoding="utf-8")
    return about


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
    about = _about(folder)
    if about["database"] != connection.vendor:
        raise BadBackup(f"The backup is of {about['database']}, and DATABASE_URL names {connection.vendor}.")
    if connection.vendor == "sqlite":
        Path(connection.settings_dict["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    if connection.introspection.table_names():
        raise BadBackup("The database is not empty. Restore into an empty one.")
    if next(_stored(), None) is not None:
        raise BadBackup("The storage of files is not empty. Restore into an empty one.")
    saved = []
    try:
        for path in sorted((folder / FILES).rglob("*")):
            if path.is_file():
                with path.open("rb") as content:
                    saved.append(default_storage.save(path.relative_to(folder / FILES).as_posix(), File(content)))
        _load(folder / _DATABASES[connection.vendor])
    except BaseException:
        for name in saved:
            default_storage.delete(name)
        raise
    return about


def _about(folder: Path) -> dict[str, Any]:
    """Return what a backup says of itself. Raises BadBackup."""
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        return {**about, "database": str(about["database"])}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise BadBackup(f"{ABOUT} is missing, or does not say which database the backup is of.") from None


def _stored() -> Iterator[str]:
    """Yield the names of all stored files, but not of releases that are being built."""
    if default_storage.exists(MARKER):
        yield MARKER
    for folder in FOLDERS:
        yield from (name for name in files_below(folder) if "/." not in name)


def _dump(target: Path) -> None:
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(target)])
        with closing(sqlite3.connect(target, isolation_level=None)) as copy:
            copy.execute(f"DELETE FROM {_SESSIONS}")  # noqa: S608  # a name of Django's own
            copy.execute("VACUUM")  # or the bytes of what was deleted stay in the file
    else:
        left_out = f"--exclude-table-data={_SESSIONS}"
        _run("pg_dump", "--format", "custom", "--no-owner", left_out, "--file", str(target))


def _load(source: Path) -> None:
    if connection.vendor == "sqlite":
        connection.close()
        database = Path(connection.settings_dict["NAME"])
        copy = database.with_name(f"{database.name}.restoring")
        try:
            shutil.copyfile(source, copy)
            copy.replace(database)
        finally:
            copy.unlink(missing_ok=True)
    else:
        # Roles that had rights on the old server may be missing on this one; extensions may be an administrator's.
        others = ("--no-owner", "--no-privileges", "--no-comments")
        _run("pg_restore", *others, "--exit-on-error", "--single-transaction", str(source))


def _run(*command: str) -> None:
    """Run a program of PostgreSQL on the site's database. The password is in no command line."""
    database = make_conninfo(dbname=connection.get_connection_params()["dbname"])
    asked = [*command, "--no-password", "--dbname", database]
    try:
        done = subprocess.run(asked, env=os.environ | _as_environment(), capture_output=True, text=True)
    except FileNotFoundError:
        raise BadBackup(f"{command[0]} is not installed here; it comes with PostgreSQL's client.") from None
    if done.returncode:
        raise BadBackup(f"{command[0]} failed: {done.stderr.strip()[-300:]}")


def _as_environment() -> dict[str, str]:
    """Return how Django connects as the variables that programs of PostgreSQL read.

    What has no variable, such as keepalives, does not decide which database is meant.
    """
    given = connection.get_connection_params()
    if given.get("options") == env_database.SESSION_OPTIONS:
        del given["options"]  # time limits of pages
    variables = {
        option.keyword.decode(): option.envvar.decode() for option in pq.Conninfo.get_defaults() if option.envvar
    }
    return {variables[name]: str(value) for name, value in given.items() if name in variables and value is not None}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
