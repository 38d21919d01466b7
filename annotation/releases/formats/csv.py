"""CSV for spreadsheets: the items, and their labels in a table of their own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.domain.releases.columns import in_cells, label_rows, label_table_columns
from annotation.releases.files import ITEMS_CSV, LABELS_CSV, CsvFile, ReleasedFile
from annotation.releases.formats.base import Target


class Sheets:
    """`items.csv` and `labels.csv`."""

    def __init__(self, target: Target) -> None:
        self._columns = target.columns
        self._label_columns = label_table_columns(target.columns, target.kinds)
        self._items = CsvFile(target.folder, ITEMS_CSV, list(target.columns))
        self._labels = CsvFile(target.folder, LABELS_CSV, self._label_columns)

    def add(self, row: Mapping[str, Any], picture: Path | None) -> None:
        self._items.row(in_cells(row, self._columns))
        for values in label_rows(row, self._label_columns):
            self._labels.row(values)

    def close(self) -> list[ReleasedFile]:
        return [self._items.close(), self._labels.close()]
