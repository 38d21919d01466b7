"""The long table: one row per label, with the item's columns, as studies of disagreement expect it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.domain.csv_cells import cell
from annotation.domain.releases.column_types import LABEL_TYPES, Typed, types_of
from annotation.releases.files import CsvFile, ReleasedFile
from annotation.releases.formats.base import Target
from annotation.releases.formats.parquet import ParquetFile

CSV, PARQUET = "annotators.csv", "annotators.parquet"
_ITEM = ("id", "text", "image", "gold", "level", "source", "pattern", "difficulty")


class Annotators:
    """`annotators.csv` and `annotators.parquet`: the item's columns, then the label's, `category_name` among them."""

    def __init__(self, target: Target) -> None:
        self._name_of, self._hateful = target.name_of, {column.code: column.hateful for column in target.categories}
        split = ("split",) if "split" in target.columns else ()
        self._item = (*_ITEM, *split)
        own = {f"label_{name}" if name in ("target_group",) else name: kind for name, kind in LABEL_TYPES.items()}
        extra = {"category_name": "string", "hateful": "bool"}
        self._typed = Typed(types_of(self._item) | own | extra, target.categories)
        self._sheet = CsvFile(target.folder, CSV, list(self._typed.types))
        self._table = ParquetFile(target, PARQUET, self._typed)

    def add(self, row: Mapping[str, Any], picture: Path | None) -> None:
        item = {name: row[name] for name in self._item}
        for label in row["labels"]:
            code = label["category"]
            long = item | label | {"label_target_group": label["target_group"]}
            long |= {"category_name": self._name_of.get(code), "hateful": self._hateful.get(code)}
            self._sheet.row([cell(long[name]) for name in self._typed.types])
            self._table.add(self._typed.values(long))

    def close(self) -> list[ReleasedFile]:
        return [self._sheet.close(), self._table.close()]
