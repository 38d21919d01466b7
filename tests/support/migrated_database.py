"""A migrated SQLite database kept between test sessions, because all migrations take longer than most tests.

Its name contains a hash of what it is made from, so a changed migration or library version gives a new one.
"""

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.db import connection


def is_file() -> bool:
    """Return whether the tests run on a database file."""
    return connection.vendor == "sqlite"


def template() -> Path:
    """Return the path of the migrated database for this code; the file may not exist yet."""
    base = Path(settings.BASE_DIR)
    digest = sha256((base / "requirements.lock").read_bytes())
    for path in sorted(base.glob("*/migrations/*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return Path(settings.VAR_DIR) / f"migrated-{digest.hexdigest()[:16]}.sqlite3"


def begin_with(test_database: Path) -> bool:
    """Make a test database by copying the migrated one. Return False if there is none yet."""
    try:
        shutil.copyfile(template(), test_database)
    except FileNotFoundError:
        return False
    return True


def make_site(folder: Path) -> dict[str, str]:
    """Create a separate site in a folder, with a migrated SQLite database. Return the environment of its commands."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    environment = {**inherited, "VAR_DIR": str(folder)}
    if not begin_with(folder / "interplay.sqlite3"):
        migrate = (sys.executable, "manage.py", "migrate", "--verbosity", "0")
        subprocess.run(migrate, cwd=settings.BASE_DIR, env=environment, check=True, timeout=120)
    return environment


def keep() -> None:
    """Store the database that was just migrated, completely or not at all, and delete those of earlier code."""
    path = template()
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.unlink(missing_ok=True)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(unfinished)])
    unfinished.replace(path)
    for other in path.parent.glob("migrated-*.sqlite3"):
        if other != path:
            other.unlink(missing_ok=True)
