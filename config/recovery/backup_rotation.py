"""A folder of backups of which some days and weeks are kept: `manage.py backup FOLDER --keep-daily 7 --keep-weekly 4`.

Each is a folder named by its moment. Nothing is removed that this did not make itself for this site: other names,
links, backups of other sites and unfinished ones stay, and so does a file that no backup lists.
"""

import re
import shutil
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from config.recovery import backup
from config.recovery.database_dump import BadBackup

_FORM = "%Y-%m-%dT%H%M%SZ"
_NAME = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z")


def make(parent: Path, *, daily: int, weekly: int, incomplete: bool = False) -> dict[str, Any]:
    """Make a backup in a new folder inside `parent`, then remove those that are kept no longer; return what it holds.

    Raises BadBackup, and removes none, if it fails.
    """
    moment = timezone.now().strftime(_FORM)
    if (parent / backup.SUMS).exists():
        raise BadBackup(f"{parent} is itself a backup. Name the folder in which backups are kept.")
    held = backup.make(parent / moment, incomplete=incomplete)
    ours = {name: about for name, about in _finished(parent).items() if about.get("site_url") == settings.SITE_URL}
    keep = kept(ours, daily=daily, weekly=weekly)
    removed: list[str] = []
    left: list[str] = []
    for name in sorted(ours.keys() - keep):
        (removed if _remove(parent / name) else left).append(name)
    return {"folder": str(parent / moment), **held, "removed": removed, "left": left + _unfinished(parent)}


def kept(names: Iterable[str], *, daily: int, weekly: int) -> set[str]:
    """Return which backups are kept: the newest of each of the last days and weeks that have one.

    The newest of all is among them. `names` are moments. Days and weeks (from Monday) are those of UTC.
    """
    newest_first = sorted(names, reverse=True)
    keep = set(newest_first[:1])
    for number, period in ((daily, "%Y-%m-%d"), (weekly, "%G-%V")):
        first_of: dict[str, str] = {}
        for name in newest_first:
            first_of.setdefault(datetime.strptime(name, _FORM).strftime(period), name)
        keep.update(list(first_of.values())[:number])
    return keep


def _finished(parent: Path) -> dict[str, dict[str, Any]]:
    """Return what whole backups say of themselves, by the name of their folder."""
    found = {}
    for folder in _by_moment(parent):
        if (folder / backup.SUMS).is_file():
            try:
                found[folder.name] = backup.about(folder)
            except BadBackup:
                continue
    return found


def _unfinished(parent: Path) -> list[str]:
    return [folder.name for folder in _by_moment(parent) if not (folder / backup.SUMS).is_file()]


def _by_moment(parent: Path) -> Sequence[Path]:
    named = (path for path in parent.iterdir() if _NAME.fullmatch(path.name))
    return sorted(path for path in named if path.is_dir() and not path.is_symlink())


def _remove(folder: Path) -> bool:
    """Remove a backup; return False, and leave it as it is, if it holds what it does not list."""
    listed = {line.partition("  ")[2] for line in (folder / backup.SUMS).read_text(encoding="utf-8").splitlines()}
    there = {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()
    }
    if there - listed - {backup.SUMS}:
        return False
    (folder / backup.SUMS).unlink()  # first: what is left after a crash is no whole backup
    shutil.rmtree(folder)
    return True
