"""ImageFolder: one table of rows in each folder of pictures, read as one list of rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from annotation.domain.formats.base import Row, RowError, Unreadable


class Folders:
    """The rows of several tables. Line numbers continue from one table to the next; an error also names its folder."""

    def __init__(self, readers: Sequence[tuple[str, Iterable[Row | RowError]]]) -> None:
        """Take, for each table, its folder in the archive and its reader."""
        self._readers = readers

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the rest of a table cannot be read."""
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
            before = last

    def _placed(self, folder: str, row: Row | RowError, line: int) -> Row | RowError:
        if isinstance(row, RowError):
            return replace(row, line=line, reason=f"{folder}, line {row.line}: {row.reason}")
        prefix = "" if folder in ("", ".") else f"{folder}/"
        return replace(row, line=line, picture=f"{prefix}{row.picture}" if row.picture else "")
