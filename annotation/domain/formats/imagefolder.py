"""ImageFolder: folders of pictures, with a table of rows in each folder, or with the folder's name as the label."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from annotation.domain.formats.base import SPLITS, Reading, Row, RowError, Unreadable
from annotation.domain.formats.columns import PASSED_OVER, Column
from annotation.domain.formats.labels.of_row import with_label

CLASS_FOLDER = "class folder"
"""The name by which the folder of a picture is told and mapped, as if it were a column."""
_BESIDE_LABELS = "folder"
"""Its name where the rows have labels of their own."""

Rows = Iterable[Row | RowError]


class Folders:
    """The rows of several tables. Line numbers continue from one table to the next; an error also names its folder."""

    def __init__(self, readers: Sequence[tuple[str, Rows]]) -> None:
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


class WithClassFolders:
    """Rows whose pictures lie in folders named after classes: the folder's name is the label of a row without one.

    It is used if every name is a category's or is translated to one, or if it is mapped as the label column; else it is
    counted as a column that was passed over, which stops the import where the rows have no other label.
    """

    def __init__(self, rows: Rows, reading: Reading, pictures: Collection[str], is_category: Callable[[str], bool]):
        self._rows, self._reading = rows, reading
        values, classes = reading.mapped.values, {class_of(name) for name in pictures} - {""}
        is_mapped = reading.mapped.label == CLASS_FOLDER
        self._is_used = is_mapped or (bool(classes) and all(is_category(values.get(name, name)) for name in classes))
        # A single folder that is no category's is where the pictures lie, and says nothing about them.
        self._says_something = self._is_used or len(classes) > 1

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the rest cannot be read."""
        label_is = self._reading.mapped.label_is
        column = Column(CLASS_FOLDER, f"label: {label_is}" if self._is_used else PASSED_OVER)
        reading = replace(self._reading, mapped=replace(self._reading.mapped, label=CLASS_FOLDER))
        has_labels = False
        for row in self._rows:
            name = class_of(row.picture) if isinstance(row, Row) else ""
            if isinstance(row, RowError) or not name:
                yield row
                continue
            column.count(name)
            has_labels = has_labels or _has_label(row)
            yield with_label(row, name, reading) if self._is_used and not _has_label(row) else row
        if column.rows:
            is_told_apart = self._says_something and (self._is_used or not has_labels)
            self._reading.columns.put(column if is_told_apart else replace(column, name=_BESIDE_LABELS))


def class_of(picture: str) -> str:
    """Return the folder that a picture lies in; empty if it lies in none, or in that of a split."""
    name = PurePosixPath(picture).parent.name
    return "" if name.casefold() in SPLITS else name


def _has_label(row: Row) -> bool:
    return bool(row.labels) or any(
        value is not None for value in (row.intended, row.intended_hateful, row.gold, row.known_category)
    )
