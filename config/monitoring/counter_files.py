"""The files in which the processes of one machine count, and who writes which.

prometheus_client lets many processes count by giving each its own files, named after the process's id. Web servers are
replaced after some thousands of requests and workers after each deployment: the files would pile up, and to delete one
would make sums fall. In containers, ids are also the same in each of them. So a process counts in the files of the
lowest free number and goes on where the process before it stopped. A lock says that a number is taken; the system
releases it when the process ends, however it ends.
"""

import fcntl
import json
import os
import struct
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import IO

from prometheus_client import values
from prometheus_client.mmap_dict import MmapedDict

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Where prometheus_client reads the folder."""
_KINDS = ("counter", "histogram")
_SIZE = 2**20
"""Bytes that a file gets at once. On a disk that is full later, a process that writes into it would be killed."""


class _Number:
    """The number of this process, taken at its first count; a process that was forked from it takes another one."""

    def __init__(self) -> None:
        self._process = 0
        self._number = 0
        self._lock: IO[str] | None = None

    def __call__(self) -> int:
        """Return the number. Raises OSError if the folder or its disk takes no files."""
        if self._process != os.getpid():
            if self._lock:
                self._lock.close()  # the parent keeps its own
            self._number, self._lock = _take_number(Path(os.environ[FOLDER_VARIABLE]))
            self._process = os.getpid()
        return self._number


def use_folder(folder: Path) -> None:
    """Count in files of this folder from now on. Called before the first counter is made."""
    folder.mkdir(parents=True, exist_ok=True)
    os.environ[FOLDER_VARIABLE] = str(folder)
    # prometheus_client has no types here.
    values.ValueClass = values.MultiProcessValue(process_identifier=_Number())  # type: ignore[no-untyped-call]  # the library has no types


def _take_number(folder: Path) -> tuple[int, IO[str]]:
    for number in count():
        lock = (folder / f"{number}.lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        for kind in _KINDS:
            _make_room(folder / f"{kind}_{number}.db")
        return number, lock
    raise AssertionError("there is no last number")


def _make_room(path: Path) -> None:
    """Give the file its room on the disk; empty one that a power cut left unreadable."""
    with path.open("a+b") as file:
        if file.tell() and not _is_readable(path):
            file.truncate(0)
        with suppress(AttributeError):  # not on every system
            os.posix_fallocate(file.fileno(), 0, _SIZE)


def _is_readable(path: Path) -> bool:
    try:
        for key, *_value in MmapedDict.read_all_values_from_file(str(path)):  # type: ignore[no-untyped-call]  # as above
            json.loads(key)
    except (RuntimeError, ValueError, struct.error):
        return False
    return True
