"""CSV for spreadsheets, and for programs: the items, and their labels in a table of their own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.domain.columns.items import PLAIN
from annotation.domain.releases.columns import cell_columns, in_cells, label_rows, label_table_columns
from annotation.releases.files import (
    ITEMS_CSV,
    LABELS_CSV,
    PLAIN_ITEMS_CSV,
    PLAIN_LABELS_CSV,
    CsvFile,
    ReleasedFile,
)
from annotation.releases.formats.base import Target


class Sheets:
    """`items.csv` and `labels.csv`."""

    files: tuple[str, str] = (ITEMS_CSV, LABELS_CSV)
    marks: tuple[str, ...] = ()
    """Columns that say how the cells are written; each holds true."""
    is_plain = False

    def __init__(self, target: Target) -> None:
        items, labels = self.files
        self._columns = cell_columns(target.columns, target.kept)
        self._label_columns = label_table_columns(target.columns, target.kinds)
        self._items = CsvFile(target.folder, items, [*self._columns, *self.marks], is_plain=self.is_plain)
        self._labels = CsvFile(target.folder, labels, self._label_columns, is_plain=self.is_plain)

    def add(self, row: Mapping[str, Any], picture: Path | None) -> None:
        self._items.row([*in_cells(row, self._columns), *(True for _ in self.marks)])
        for values in label_rows(row, self._label_columns):
            self._labels.row(values)

    def close(self) -> list[ReleasedFile]:
        return [self._items.close(), self._labels.close()]


class PlainSheets(Sheets):
    """`items_plain.csv` and `labels_plain.csv`: the same with cells as they are, which a spreadsheet may run.

    A column says so, since an import takes the apostrophes of the other form off again.
    """

    files = (PLAIN_ITEMS_CSV, PLAIN_LABELS_CSV)
    marks = (PLAIN,)
    is_plain = True
