"""A migrated database kept between test sessions, because all migrations take longer than a minute of tests.

On SQLite it is a file, on PostgreSQL a database. Its name contains a hash of what it is made from, so a changed
migration or library version gives a new one. Whoever needs it first makes it; the others wait and copy it.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.db import connection
from psycopg.sql import SQL, Identifier

from postgresql_cluster import Cluster, version
from worker_processes import database_url


def is_file() -> bool:
    """Return whether the tests run on a database file."""
    return connection.vendor == "sqlite"


def begin_with(test_database: Path) -> None:
    """Make an SQLite database by copying the migrated one."""
    folder = Path(settings.VAR_DIR)
    template = folder / f"migrated-{_digest()}.sqlite3"
    with _only_one_makes_it():
        if not template.is_file():
            unfinished = template.with_suffix(".unfinished")
            unfinished.unlink(missing_ok=True)
            _migrate(f"sqlite:///{unfinished}")
            unfinished.replace(template)
            for earlier in folder.glob("migrated-*.sqlite3"):
                if earlier != template:
                    earlier.unlink(missing_ok=True)
    shutil.copyfile(template, test_database)


def postgresql_template() -> str:
    """Return the name of the migrated database on the server, to create others from."""
    checkout = f"migrated_{sha256(bytes(settings.BASE_DIR)).hexdigest()[:8]}_"
    template, unfinished = f"{checkout}{_digest()}", f"{checkout}unfinished"
    with _only_one_makes_it(), connection._nodb_cursor() as cursor:  # type: ignore[attr-defined]
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [checkout])
        present = {name for (name,) in cursor.fetchall()}
        if template not in present:
            for earlier in present:
                cursor.execute(SQL("DROP DATABASE {}").format(Identifier(earlier)))
            cursor.execute(SQL("CREATE DATABASE {}").format(Identifier(unfinished)))
            _migrate(database_url(unfinished))
            cursor.execute(SQL("ALTER DATABASE {} RENAME TO {}").format(Identifier(unfinished), Identifier(template)))
    return template


def cluster() -> Cluster:
    """Start a PostgreSQL of a test's own that is migrated."""
    kept = Path(settings.VAR_DIR) / f"cluster-{_digest()}"
    with _only_one_makes_it():
        if not kept.is_dir():
            unfinished = kept.with_suffix(".unfinished")
            for earlier in kept.parent.glob("cluster-*"):
                shutil.rmtree(earlier)
            first = Cluster()
            try:
                _migrate(first.url)
                first.stop(signal.SIGINT)
                first.copy_files(Path(first.folder, "data"), unfinished)
            finally:
                first.remove()
            unfinished.rename(kept)
    return Cluster(kept)


def make_site(folder: Path) -> dict[str, str]:
    """Create a separate site in a folder, with a migrated SQLite database. Return the environment of its commands."""
    begin_with(folder / "interplay.sqlite3")
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "INTERPLAY_ENV") if name in os.environ}
    return {**inherited, "VAR_DIR": str(folder)}


def _migrate(url: str) -> None:
    """Apply all migrations to the database with this address, in a process of its own."""
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings_for_tests", "DATABASE_URL": url},
        check=True,
        timeout=1200,  # a busy machine needs minutes
    )


def _digest() -> str:
    base = Path(settings.BASE_DIR)
    digest = sha256((base / "requirements.lock").read_bytes() + version())
    for path in sorted([*base.glob("*/migrations/*.py"), *base.glob("config/postgresql/*.py")]):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def _only_one_makes_it() -> Iterator[None]:
    folder = Path(settings.VAR_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "migrated.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
