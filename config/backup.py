"""Backups of the site in a folder: the database, then all stored files, each with its SHA-256; and their way back.

The database comes first: a file without a row is harmless, a row without its file is not. The list of checksums is
written last, so a backup that was cut off has none and is refused. SECRET_KEY is not in it.
"""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from annotation.core.stored_files import MARKER, files_below
from annotation.releases.documents import software_version

SUMS, ABOUT, FILES = "SHA256SUMS", "backup.json", "files"
FOLDERS = ("pictures", "imports", "releases", "vectors")
_DATABASES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}


class BadBackup(Exception):
    """A backup that cannot be made or restored; the message says why."""


def make(folder: Path) -> dict[str, Any]:
    """Write a backup into a new folder, and return what it holds. Raises BadBackup."""
    if folder.exists() and any(folder.iterdir()):
        raise BadBackup(f"{folder} is not empty. Name a new folder.")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
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
    """Put a backup into an empty database and an empty storage; return what it held. Raises BadBackup."""
    if wrong := problems(folder):
        raise BadBackup(" ".join(wrong[:5]))
    about = _about(folder)
    if about["database"] != connection.vendor:
        raise BadBackup(f"The backup is of {about['database']}, and DATABASE_URL names {connection.vendor}.")
    if connection.introspection.table_names():
        raise BadBackup("The database is not empty. Restore into an empty one.")
    if next(_stored(), None) is not None:
        raise BadBackup("The storage of files is not empty. Restore into an empty one.")
    for path in sorted((folder / FILES).rglob("*")):
        if path.is_file():
            with path.open("rb") as content:
                default_storage.save(path.relative_to(folder / FILES).as_posix(), File(content))
    _load(folder / _DATABASES[connection.vendor])
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
    else:
        _run("pg_dump", "--format", "custom", "--no-owner", "--file", str(target))


def _load(source: Path) -> None:
    if connection.vendor == "sqlite":
        connection.close()
        shutil.copyfile(source, connection.settings_dict["NAME"])
    else:
        name = str(connection.settings_dict["NAME"])
        _run("pg_restore", "--no-owner", "--exit-on-error", "--single-transaction", "--dbname", name, str(source))


def _run(*command: str) -> None:
    """Run a program of PostgreSQL on the site's database. The password is in no command line."""
    at = connection.settings_dict
    named = {"PGHOST": at["HOST"], "PGPORT": at["PORT"], "PGUSER": at["USER"], "PGPASSWORD": at["PASSWORD"]}
    named |= {"PGDATABASE": at["NAME"], "PGSSLMODE": at["OPTIONS"].get("sslmode", "")}
    environ = os.environ | {name: str(value) for name, value in named.items() if value}
    try:
        done = subprocess.run(command, env=environ, capture_output=True, text=True)
    except FileNotFoundError:
        raise BadBackup(f"{command[0]} is not installed here; it comes with PostgreSQL's client.") from None
    if done.returncode:
        raise BadBackup(f"{command[0]} failed: {done.stderr.strip()[-300:]}")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
