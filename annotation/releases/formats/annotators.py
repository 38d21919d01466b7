"""The long table: one row per label, with the item's columns, as studies of disagreement expect it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.domain.columns.column import FLAG, TEXT, names_of
from annotation.domain.columns.items import ITEMS
from annotation.domain.formats.kept_columns import EXTRA, PREFIX, as_cell
from annotation.domain.formats.labels.of_annotators import ABOUT, NAMED, parts_of
from annotation.domain.questions.released_answers import flat_columns, flat_values
from annotation.domain.releases.column_types import TYPES, Typed, label_types, types_of
from annotation.domain.releases.columns import SETS, joined
from annotation.releases.files import CsvFile, ReleasedFile
from annotation.releases.formats.base import Target
from annotation.releases.formats.parquet import ParquetFile

CSV, PARQUET = "annotators.csv", "annotators.parquet"
_ITEM = names_of(column for column in ITEMS if column.long)
_SETS = SETS | {"gold_categories"}


class Annotators:
    """`annotators.csv` and `annotators.parquet`: the item's columns, then the label's, `category_name` among them.

    Each further question has two columns, its answer and the version that was asked. Passages with names, and what is
    known of people, are those of the label's annotator.
    """

    def __init__(self, target: Target) -> None:
        self._name_of, self._hateful = target.name_of, {column.code: column.hateful for column in target.categories}
        self._asks = bool(target.kinds)
        split = ("split",) if "split" in target.columns else ()
        several = ("gold_categories",) if "categories" in target.columns else ()
        self._kept = {f"{PREFIX}{name}": kind for name, kind in target.kept.items()}
        self._item = (*(name for name in _ITEM if name in target.columns), *several, *split)
        kinds = label_types(target.columns).items()
        own = {f"label_{name}" if name in ("target_group",) else name: kind for name, kind in kinds}
        extra = {"category_name": TEXT, "hateful": FLAG}
        extra |= dict.fromkeys(several, TYPES["categories"])
        self._typed = Typed(
            types_of(self._item) | self._kept | own | extra | flat_columns(target.kinds), target.categories
        )
        self._sheet = CsvFile(target.folder, CSV, list(self._typed.types))
        self._table = ParquetFile(target, PARQUET, self._typed)

    def add(self, row: Mapping[str, Any], picture: Path | None) -> None:
        named = {**row, "gold_categories": row.get("categories")}
        kept = row.get(EXTRA) or {}
        item = {name: named[name] for name in self._item}
        item |= {name: kept.get(name.removeprefix(PREFIX)) for name in self._kept}
        for label in row["labels"]:
            code = label["category"]
            own = {name: parts_of(label["annotator"], item[name]) for name in (NAMED, ABOUT) if name in item}
            long = item | own | label | {"label_target_group": label["target_group"]}
            long |= flat_values(label) if self._asks else {}
            long |= {"category_name": self._name_of.get(code), "hateful": self._hateful.get(code)}
            self._sheet.row(joined(long[name]) if name in _SETS else as_cell(long[name]) for name in self._typed.types)
            self._table.add(self._typed.values(long))

    def close(self) -> list[ReleasedFile]:
        return [self._sheet.close(), self._table.close()]
