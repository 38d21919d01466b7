"""Rows of many people in a temporary file, so that those of one person are held at a time."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np

from annotation.domain.statistics.arrays import Ints


class RowsByPerson:
    """Rows of one kind, in the order in which they came. The file goes with the last reference to this object."""

    def __init__(self, kind: np.dtype[Any]) -> None:
        self._kind = kind
        self._file: IO[bytes] = TemporaryFile()  # noqa: SIM115 (the next line closes it with this object)
        weakref.finalize(self, self._file.close)
        self._blocks: list[tuple[int, Ints, Ints]] = []
        """Where each block begins, its people in order, and where the rows of each begin in it."""

    def add(self, people: Ints, rows: np.ndarray[Any, np.dtype[Any]]) -> None:
        """Add a block of rows, each of one of these people."""
        order = np.argsort(people, kind="stable")
        distinct, starts = np.unique(people[order], return_index=True)
        self._blocks.append((self._file.tell(), distinct, np.append(starts, len(rows))))
        self._file.write(rows[order].tobytes())

    def of(self, person: int) -> np.ndarray[Any, np.dtype[Any]]:
        """Return the rows of one person. Nothing may be added afterwards."""
        return np.concatenate((np.zeros(0, dtype=self._kind), *self._parts(person)))

    def _parts(self, person: int) -> Iterator[np.ndarray[Any, np.dtype[Any]]]:
        size = self._kind.itemsize
        for offset, people, bounds in self._blocks:
            at = int(np.searchsorted(people, person))
            if at < len(people) and people[at] == person:
                self._file.seek(offset + int(bounds[at]) * size)
                yield np.frombuffer(self._file.read(int(bounds[at + 1] - bounds[at]) * size), dtype=self._kind)
