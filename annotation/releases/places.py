"""Where a release is built, and how it gets to its final place: by renaming its folder, or into the bucket.

Either way its row is stored last. What a lost process leaves is found later by what it lacks: a folder under
construction its name, a folder in the bucket its row.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Protocol
from uuid import UUID

from django.core.files.storage import default_storage

from annotation.core.release_paths import FOLDER, building_home, releases_of, releases_root
from annotation.core.stored_files import files_below, is_bucket, move_in, remove_below
from annotation.models import Release
from annotation.releases.files import MANIFEST, SUMS, sync

_LEFT_BEHIND = 1800.0
"""Seconds without a change after which a folder under construction belongs to nobody."""
_BUILDING = ".building-"


class Place(Protocol):
    """Where one release is built and kept."""

    building: Path
    """The folder of this machine in which it is built."""

    def take_rows(self, paths: Iterable[str]) -> None:
        """Bring the large files to their place before the row of the release is stored."""

    def seal(self, version: int, papers: Iterable[str]) -> str:
        """Bring the rest there: papers and manifest. Return the name of the folder, below that of all releases."""

    def unseal(self, papers: Iterable[str]) -> None:
        """Undo that, since the row could not be stored. It may be tried again, with another version."""

    def leave(self) -> None:
        """Remove what is left of the construction."""


class FolderPlace:
    """A folder beside the final one, which gets its name when it is complete."""

    def __init__(self, project_key: UUID, release_key: UUID) -> None:
        self._home, self._release_key = building_home(project_key), release_key
        self.building = _new_building(self._home)
        self._final = self.building

    def take_rows(self, paths: Iterable[str]) -> None:
        """Do nothing: renaming the folder brings them."""

    def seal(self, version: int, papers: Iterable[str]) -> str:
        self._final = self._home / f"{version}-{self._release_key}"
        os.rename(self.building, self._final)
        sync(self._home)
        return self._final.relative_to(releases_root()).as_posix()

    def unseal(self, papers: Iterable[str]) -> None:
        os.rename(self._final, self.building)
        _remove_papers(self.building, papers)

    def leave(self) -> None:
        shutil.rmtree(self.building, ignore_errors=True)


class BucketPlace:
    """A folder of this machine whose files go into the bucket. The folder there has no version in its name.

    The large files are sent before the transaction that stores the row, which must be short.
    """

    def __init__(self, project_key: UUID, release_key: UUID) -> None:
        self._project_key, self._release_key = project_key, release_key
        self.building = _new_building(building_home(project_key))
        self._sealed = False

    def take_rows(self, paths: Iterable[str]) -> None:
        for path in paths:
            move_in(self.building / path, f"{self._name}/{path}")

    def seal(self, version: int, papers: Iterable[str]) -> str:
        self._sealed = True
        self.take_rows([*papers, SUMS, MANIFEST])
        return self._name.removeprefix(f"{FOLDER}/")

    def unseal(self, papers: Iterable[str]) -> None:
        for path in [*papers, SUMS, MANIFEST]:
            default_storage.delete(f"{self._name}/{path}")
        self._sealed = False

    def leave(self) -> None:
        """Remove the folder here, and in the bucket what has no manifest.

        With one, its row may be stored: if the database was lost at the commit, nobody knows yet.
        """
        shutil.rmtree(self.building, ignore_errors=True)
        if not self._sealed:
            with suppress(OSError):  # `remove_unlisted_releases` does it later
                remove_below(self._name)

    @property
    def _name(self) -> str:
        return f"{releases_of(self._project_key)}/{self._release_key}"


def new_place(project_key: UUID, release_key: UUID) -> Place:
    """Prepare the place of a release, in the storage of the site."""
    return BucketPlace(project_key, release_key) if is_bucket() else FolderPlace(project_key, release_key)


def _new_building(home: Path) -> Path:
    return Path(tempfile.mkdtemp(prefix=_BUILDING, dir=home))


def _remove_papers(folder: Path, papers: Iterable[str]) -> None:
    for path in [*papers, MANIFEST, SUMS]:
        (folder / path).unlink()


# ── For the sweeper ───────────────────────────────────────────────────────────


def remove_abandoned_folders() -> int:
    """Remove what processes of this machine left that died while they built a release; return how many folders.

    The age is taken from the clock of the files alone: a process whose own clock is ahead removes no living folder.
    """
    removed = 0
    for folder in releases_root().glob(f"*/{_BUILDING}*"):
        with suppress(FileNotFoundError):  # its release has just been finished
            changed = max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
            if _file_clock() - changed > _LEFT_BEHIND:
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
    return removed


def _file_clock() -> float:
    """Return the time that a file gets which is written now."""
    with tempfile.NamedTemporaryFile(dir=releases_root()) as written:
        return os.stat(written.name).st_mtime


def remove_unlisted_releases(before: datetime) -> int:
    """Remove releases from the bucket that have no row and did not change since `before`; return how many.

    In a folder there are none: a release gets its name there when all is written.
    """
    if not is_bucket():
        return 0
    removed = 0
    for project_key in default_storage.listdir(FOLDER)[0]:
        inside = default_storage.listdir(f"{FOLDER}/{project_key}")[0]
        names = {f"{project_key}/{name}" for name in inside}
        names -= set(Release.objects.filter(folder__in=names).values_list("folder", flat=True))
        for name in names:
            files = [*files_below(f"{FOLDER}/{name}")]
            if all(default_storage.get_modified_time(file) < before for file in files):
                remove_below(f"{FOLDER}/{name}")
                removed += 1
    return removed
