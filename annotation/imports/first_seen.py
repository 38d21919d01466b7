"""Which row of a file had a key first, for files of any length: most keys of a long one wait in a temporary file.

A key is held as its hash of 64 bits, which takes a third of the memory and of the time. Two keys of one hash would be
taken for equal: in a file of a million rows that happens once in forty million files, and nobody can plan it, because
each process has other hashes.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from itertools import groupby
from operator import itemgetter

IN_MEMORY = 100_000
"""So many keys are held in memory, 12 MB; one more, and all go into a temporary file."""
_CACHE_KB = 8 * 1024


class FirstSeen:
    """The number with which each key came first. The temporary file has no name and goes with the process."""

    def __init__(self, stack: ExitStack) -> None:
        """Take what closes the temporary file."""
        self._stack = stack
        self._numbers: dict[int, int] = {}
        self._file: sqlite3.Connection | None = None

    def first(self, key: str, number: int) -> int:
        """Return the number with which the key came first: this one, if it is new."""
        if self._file is not None:
            row = (hash(key), number)
            if self._file.execute("INSERT INTO seen VALUES (?, ?) ON CONFLICT DO NOTHING", row).rowcount:
                return number
            return int(self._file.execute("SELECT number FROM seen WHERE key = ?", row[:1]).fetchone()[0])
        first = self._numbers.setdefault(hash(key), number)
        if len(self._numbers) > IN_MEMORY:
            self._spill()
        return first

    def _spill(self) -> None:
        self._file = _temporary(self._stack, "seen (key INTEGER PRIMARY KEY, number INTEGER)")
        self._file.executemany("INSERT INTO seen VALUES (?, ?)", sorted(self._numbers.items()))
        self._numbers.clear()


class RowsByKey:
    """The numbers of rows by their keys: those of one key together, the keys in the order in which they first came."""

    def __init__(self, stack: ExitStack) -> None:
        """Take what closes the temporary files."""
        self._first = FirstSeen(stack)
        self._file = _temporary(
            stack, "of_key (first INTEGER, number INTEGER, PRIMARY KEY (first, number)) WITHOUT ROWID"
        )

    def add(self, key: str, number: int) -> None:
        """Add a row; each number is higher than the one before."""
        self._file.execute("INSERT INTO of_key VALUES (?, ?)", (self._first.first(key, number), number))

    def __iter__(self) -> Iterator[list[int]]:
        """Yield the numbers of each key."""
        rows = self._file.execute("SELECT first, number FROM of_key ORDER BY first, number")
        for _first, of_key in groupby(rows, key=itemgetter(0)):
            yield [number for _first, number in of_key]


def _temporary(stack: ExitStack, table: str) -> sqlite3.Connection:
    """Return a temporary file with this table; of its one transaction nothing is written before it must be."""
    file = stack.enter_context(closing(sqlite3.connect("", isolation_level=None)))
    for setting in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{_CACHE_KB}"):
        file.execute(f"PRAGMA {setting}")
    file.execute(f"CREATE TABLE {table}")
    file.execute("BEGIN")
    return file
