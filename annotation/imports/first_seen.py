"""Which row of a file had a key first, for files of any length: most keys of a long one wait in a temporary file."""

import sqlite3
from contextlib import ExitStack, closing

IN_MEMORY = 20_000
"""So many keys are held in memory; one more, and all go into a temporary file."""
_CACHE_KB = 8 * 1024


class FirstSeen:
    """The number with which each key came first. The temporary file has no name and goes with the process."""

    def __init__(self, stack: ExitStack) -> None:
        """Take what closes the temporary file."""
        self._stack = stack
        self._numbers: dict[str, int] = {}
        self._file: sqlite3.Connection | None = None

    def first(self, key: str, number: int) -> int:
        """Return the number with which the key came first: this one, if it is new."""
        if self._file is not None:
            row = (_bytes(key), number)
            if self._file.execute("INSERT INTO seen VALUES (?, ?) ON CONFLICT DO NOTHING", row).rowcount:
                return number
            return int(self._file.execute("SELECT number FROM seen WHERE key = ?", row[:1]).fetchone()[0])
        first = self._numbers.setdefault(key, number)
        if len(self._numbers) > IN_MEMORY:
            self._spill()
        return first

    def _spill(self) -> None:
        self._file = self._stack.enter_context(closing(sqlite3.connect("", isolation_level=None)))
        for setting in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{_CACHE_KB}"):
            self._file.execute(f"PRAGMA {setting}")
        self._file.execute("CREATE TABLE seen (key BLOB PRIMARY KEY, number INTEGER) WITHOUT ROWID")
        self._file.execute("BEGIN")  # of one transaction nothing is written before it must be
        rows = ((_bytes(key), number) for key, number in self._numbers.items())
        self._file.executemany("INSERT INTO seen VALUES (?, ?)", rows)
        self._numbers.clear()


def _bytes(key: str) -> bytes:
    """Return the key as it is stored; a file may hold halves of characters, which are refused later."""
    return key.encode("utf-8", "surrogatepass")
