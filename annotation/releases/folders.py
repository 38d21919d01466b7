"""The files of a release, to be read: in a folder of this machine, or in the site's bucket."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Protocol, cast

from django.core.files.storage import default_storage

from annotation.core.release_paths import folder_of, release_name
from annotation.core.stored_files import files_below, is_bucket
from annotation.models import Release


class ReleaseFolder(Protocol):
    """The files of one release, by paths relative to it (with /). A path that leads out of it is not found."""

    def open(self, path: str) -> IO[bytes]:
        """Open a file for reading. Raises OSError, FileNotFoundError for a missing one."""

    def size(self, path: str) -> int:
        """Return the size of a file in bytes. Raises OSError."""

    def paths(self) -> Iterator[str]:
        """Yield the paths of all files, and of all links."""

    def is_link(self, path: str) -> bool:
        """Return whether the path is a link to something else, which no release has."""


@dataclass(frozen=True)
class LocalFolder:
    """A release in a folder of this machine."""

    root: Path

    def open(self, path: str) -> IO[bytes]:
        return (self.root / inside(path)).open("rb")

    def size(self, path: str) -> int:
        return (self.root / inside(path)).stat().st_size

    def paths(self) -> Iterator[str]:
        for path in sorted(self.root.rglob("*")):
            if path.is_symlink() or path.is_file():
                yield path.relative_to(self.root).as_posix()

    def is_link(self, path: str) -> bool:
        return (self.root / inside(path)).is_symlink()


@dataclass(frozen=True)
class StoredFolder:
    """A release in a bucket, by the name of its folder."""

    name: str

    def open(self, path: str) -> IO[bytes]:
        return cast(IO[bytes], default_storage.open(f"{self.name}/{inside(path)}", "rb").file)

    def size(self, path: str) -> int:
        return default_storage.size(f"{self.name}/{inside(path)}")

    def paths(self) -> Iterator[str]:
        yield from (name.removeprefix(f"{self.name}/") for name in files_below(self.name))

    def is_link(self, path: str) -> bool:
        return False


def release_folder(release: Release) -> ReleaseFolder:
    """Return the folder with the files of a release."""
    return StoredFolder(release_name(release)) if is_bucket() else LocalFolder(folder_of(release))


class LeadsOut(FileNotFoundError):
    """A path that leads out of the release."""


def inside(path: str) -> PurePosixPath:
    """Return a path that stays in the release. Raises LeadsOut for others."""
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or not parts.parts:
        raise LeadsOut(f"{path}: the path leads out of the release.")
    return parts
