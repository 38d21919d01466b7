"""Files of the site, in a folder or in a bucket: what Django's storages leave to each storage.

Names are relative to the storage, with slashes: `pictures/…`, `imports/…`, `releases/…`. A folder (MEDIA_ROOT) is on
this machine; a bucket (MEDIA_BUCKET) is shared by all machines, and has neither folders nor renaming.
"""

import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _

_BLOCK = 1 << 18


MARKER = "site.json"
"""The file by which a process knows that this is the storage of its site."""


class StoreAway(OSError):
    """The storage does not answer, or refuses; the same request may succeed later."""


def away_sentence() -> str:
    """Return what a person is told while the storage is away."""
    return _("The place where this site keeps its files does not answer. Nothing is lost; try again in a minute.")


class _Expected:
    """What the marker held when this process started; None where nobody looked."""

    marker: bytes | None = None


def expect_marker(content: bytes) -> None:
    """Take this content of the marker for that of the site's storage."""
    _Expected.marker = content


def read_marker() -> bytes | None:
    """Return what the storage's marker holds. Returns None if there is none. Raises StoreAway."""
    try:
        with default_storage.open(MARKER, "rb") as file:
            return bytes(file.read())
    except FileNotFoundError:
        return None


def is_out_of_sight() -> bool:
    """Return whether this process no longer sees the storage that it saw at its start, such as an unmounted folder."""
    return _Expected.marker is not None and read_marker() != _Expected.marker


def local_path(name: str) -> Path | None:
    """Return the path of a file or folder in the storage.

    Returns None if the storage is a bucket.
    """
    try:
        return Path(default_storage.path(name))
    except NotImplementedError:
        return None


def is_bucket() -> bool:
    """Return whether the files are in a bucket."""
    return local_path("") is None


def files_below(folder: str) -> Iterator[str]:
    """Yield the names of all files below a folder, which need not exist."""
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    yield from (f"{folder}/{name}" for name in sorted(files))
    for name in sorted(folders):
        yield from files_below(f"{folder}/{name}")


def remove_below(folder: str) -> None:
    """Remove a folder with all files below it; do nothing if there is none.

    A file that another process writes meanwhile may stay, and its folder with it.
    """
    path = local_path(folder)
    if path is None:
        for name in [*files_below(folder)]:
            default_storage.delete(name)
    elif path.is_dir():
        shutil.rmtree(path, onerror=_raise_unless_changed)


def _raise_unless_changed(_call: object, _path: str, error: tuple[object, BaseException, object]) -> None:
    """Go on where another process has added or removed a file in between. Raises the error if it is another one."""
    fault = error[1]
    if not isinstance(fault, OSError) or fault.errno not in (errno.ENOENT, errno.ENOTEMPTY):
        raise fault


def move_in(file: Path, name: str) -> None:
    """Move a complete local file into the storage, in place of the one that has this name.

    A folder takes it by renaming, so the file should be on the same disk.
    """
    target = local_path(name)
    if target is not None:
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(file, target)
        return
    with file.open("rb") as content:
        default_storage.save(name, File(content))
    file.unlink()


def read_part(name: str, first: int, last: int) -> Iterator[bytes]:
    """Yield the bytes of a file from `first` to `last`, both included, in blocks."""
    storage: Any = default_storage
    if hasattr(storage, "read_part"):  # a bucket sends that part alone
        yield from storage.read_part(name, first, last)
        return
    remaining = last - first + 1
    with storage.open(name, "rb") as file:
        file.seek(first)
        while remaining > 0 and (block := file.read(min(_BLOCK, remaining))):
            remaining -= len(block)
            yield block
