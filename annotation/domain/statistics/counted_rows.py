"""Rows of whole numbers, each kept once with how often it came: memory goes with the distinct ones."""

from __future__ import annotations

import numpy as np

from annotation.domain.statistics.arrays import Flags, Ints

_AT_LEAST = 1 << 13


class CountedRows:
    """Distinct rows with their numbers. New ones wait until they are as many as the distinct ones so far."""

    def __init__(self, width: int) -> None:
        self._rows, self._times = np.zeros((0, width), dtype=np.int64), np.zeros(0, dtype=np.int64)
        self._new: list[Ints] = []
        self._waiting = 0

    def add(self, *columns: Ints | Flags) -> None:
        """Add rows that are given as parallel columns of any kind of whole numbers or flags."""
        self._new.append(np.column_stack(columns).astype(np.int64))
        self._waiting += len(self._new[-1])
        if self._waiting > max(_AT_LEAST, len(self._rows)):
            self._count()

    def counted(self) -> tuple[Ints, Ints]:
        """Return the distinct rows as columns, sorted, and how often each came."""
        self._count()
        return self._rows.T, self._times

    def _count(self) -> None:
        rows = np.concatenate((self._rows, *self._new))
        times = np.concatenate((self._times, np.ones(self._waiting, dtype=np.int64)))
        self._new, self._waiting = [], 0
        if not len(rows):
            return
        order = np.lexsort(rows.T[::-1])
        rows, times = rows[order], times[order]
        new = np.concatenate(([True], (rows[1:] != rows[:-1]).any(axis=1)))
        self._rows, self._times = rows[new], np.add.reduceat(times, np.flatnonzero(new))
