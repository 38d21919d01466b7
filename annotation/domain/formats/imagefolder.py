"""ImageFolder: a table of rows in each folder of pictures, read as one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from annotation.domain.formats.base import Row, RowError, Unreadable


class Reader(Protocol):
    """What reads one of the tables."""

    ignored: set[str]

    def __iter__(self) -> Iterator[Row | RowError]: ...


class Folders:
    """The rows of several tables. Lines are counted on from one to the next; a fault also names its folder."""

    def __init__(self, readers: Sequence[tuple[str, Reader]]) -> None:
        """Each table's folder in the archive, and its reader."""
        self._readers = readers
        self.ignored: set[str] = set()

    def __iter__(self) -> Iterator[Row | RowError]:
        """Raises Unreadable where nothing further can be read."""
        before = 0
        for folder, reader in self._readers:
            last = before
            try:
                for row in reader:
                    last = before + row.line
                    yield self._placed(folder, row, last)
            except Unreadable as fault:
                error = replace(fault.error, reason=f"{folder}: {fault.error.reason}")
                raise Unreadable(error) from fault
            self.ignored |= reader.ignored
            before = last

    def _placed(self, folder: str, row: Row | RowError, line: int) -> Row | RowError:
        if isinstance(row, RowError):
            return replace(row, line=line, reason=f"{folder}, line {row.line}: {row.reason}")
        inside = "" if folder in ("", ".") else f"{folder}/"
        return replace(row, line=line, picture=f"{inside}{row.picture}" if row.picture else "")
