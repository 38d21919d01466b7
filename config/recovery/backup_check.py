"""Whether a backup would bring a site back: it is restored beside the site's database, audited there, and dropped.

Nothing of the site is changed. The files are read where they lie in the backup.
"""

import fcntl
import shutil
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any, NoReturn, cast

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

from annotation.operations.audit import Audited, audits
from config import shared_parts
from config.recovery import backup, database_dump
from config.recovery.database_dump import BadBackup

_LOCK = "interplay: a backup is being checked"
_NO_RIGHT = (
    "Only the checksums were compared: the role of DATABASE_URL may not create a database. "
    "`ALTER ROLE … CREATEDB` lets it restore the backup for a moment and audit it."
)


def checked(folder: Path) -> dict[str, Any]:
    """Return whether a backup is what it was and would be a sound site again, what is wrong, and remarks."""
    wrong = backup.problems(folder)
    if wrong:
        return _said(wrong)
    try:
        return _tried(folder)
    except (BadBackup, DatabaseError) as fault:
        return _said([str(fault).strip()])


def _tried(folder: Path) -> dict[str, Any]:
    about = backup.about(folder)
    if about["database"] != connection.vendor:
        raise BadBackup(f"The backup is of {about['database']}, and DATABASE_URL names {connection.vendor}.")
    if connection.vendor == "postgresql" and not _may_create():
        return _said([], remarks=[_NO_RIGHT])
    source = folder / database_dump.FILES[connection.vendor]
    scratch = _sqlite_file if connection.vendor == "sqlite" else _postgresql_database
    with _ended_in_order(), scratch() as database:
        remarks = database_dump.load(source, database)
        with _site_in(database, folder / backup.FILES):
            remarks += _brought_up_to_date()
            problems, projects = list(_lost(about)), list(audits())
            remarks += shared_parts.differences(make_marks=False)
    problems += [f"{project.slug}: {problem}" for project in projects for problem in project.problems]
    return _said(problems, projects, remarks)


def _said(problems: list[str], projects: list[Audited] | None = None, remarks: Sequence[str] = ()) -> dict[str, Any]:
    """Return the answer; without projects nothing was restored."""
    return {
        "ok": not problems,
        "problems": problems,
        "restored": projects is not None,
        "projects": [
            {"slug": project.slug, "name": project.name, "items": project.items, "labels": project.labels}
            for project in projects or ()
        ],
        "remarks": list(remarks),
    }


def _brought_up_to_date() -> list[str]:
    """Apply the migrations that the backup lacks, as after a restore; return a remark if there are any."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not plan:
        return []
    call_command("migrate", interactive=False, verbosity=0)
    return [f"The backup lacks {len(plan)} migrations of this version: run `manage.py migrate` after a restore."]


def _lost(about: dict[str, Any]) -> Iterator[str]:
    lost = backup.lost_files()
    if len(lost) > about.get("missing_files", 0):
        yield f"The backup lacks {len(lost):,} files that its database names, such as {lost[0]}."


@contextmanager
def _site_in(database: str, files: Path) -> Iterator[None]:
    """Let everything in this thread read another database and other files of the same kind."""
    ours, lazy = connections[DEFAULT_DB_ALIAS], cast("Any", default_storage)
    storage = lazy._wrapped
    parts = deepcopy(ours.settings_dict) | {"NAME": database}
    parts["OPTIONS"].pop("pool", None)  # pools are shared by alias
    other = type(ours)(parts, DEFAULT_DB_ALIAS)
    connections[DEFAULT_DB_ALIAS], lazy._wrapped = other, FileSystemStorage(files)
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS], lazy._wrapped = ours, storage
        other.close()


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let a signal that ends the process raise SystemExit, so that what was made is removed."""

    def leave(number: int, _frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _may_create() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user")
        return bool(cursor.fetchone()[0])


@contextmanager
def _postgresql_database() -> Iterator[str]:
    """Yield the name of a new database with the encoding and locale of the site's; drop it at the end.

    Its name is always the same: what a killed check left is dropped by the next one.
    """
    with database_dump.session() as session:
        row = session.execute(
            "SELECT current_database(), pg_encoding_to_char(encoding), datcollate, datctype, "
            "pg_try_advisory_lock(hashtext(%s)) FROM pg_database WHERE datname = current_database()",
            [_LOCK],
        ).fetchone()
        assert row
        site, encoding, collate, ctype, is_alone = row
        if not is_alone:
            raise BadBackup("Another check of a backup is under way. Wait for its end.")
        name = f"{str(site)[:45]}_backup_check"
        drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        create = sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING {} LC_COLLATE {} LC_CTYPE {}")
        session.execute(drop)
        try:
            session.execute(create.format(sql.Identifier(name), encoding, collate, ctype))
            yield name
        finally:
            session.execute(drop)


@contextmanager
def _sqlite_file() -> Iterator[str]:
    """Yield the path of a file for a copy of the database; remove it at the end, or at the next check."""
    folder = Path(settings.VAR_DIR) / "backup-check"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder.with_suffix(".lock")).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadBackup("Another check of a backup is under way. Wait for its end.") from None
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        file = folder / "database.sqlite3"
        try:
            yield str(file)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
