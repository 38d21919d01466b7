"""What became of each column of a file: the field it was read as, and its values with their counts.

A column that looks like labels and is not used must not pass unseen: `label_like` finds those.
"""

import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.domain.categories import names
from annotation.domain.votes import Category

COLUMNS = 200
"""Columns that are counted; those after them are passed over without a count."""
VALUES = 40
"""Different values of a column that are counted. A column with more is a text or a number."""
LENGTH = 60
"""Characters of a value that is counted."""
PASSED_OVER, COMPUTED = "", "computed"
UNCOUNTED = frozenset({"text", "image", "id", "labels", "provenance", "picture_text", COMPUTED})
"""Uses whose values are not counted: every row has its own, or the site computes them itself."""
_LABEL_NAMES = frozenset(
    {"label", "labels", "category", "categories", "class", "classes", "cls", "gold", "annotation", "annotations"}
    | {"hate", "hateful", "ishate", "ishateful", "hatespeech", "labelname", "labelid", "labeltext", "goldlabel"}
    | {"finallabel", "majoritylabel", "groundtruth", "answer", "라벨", "레이블", "标签", "類別", "类别", "分类"}
)


@dataclass
class Column:
    """One column of a file. `became` is the field it was read as; PASSED_OVER: none."""

    name: str
    became: str
    rows: int = 0
    """Rows with a value."""
    values: dict[str, int] = field(default_factory=dict)
    """The different values with their rows; empty if they are not counted or there are more than VALUES."""
    many: bool = False
    """Whether there are more different values than are counted."""

    def count(self, value: Any) -> None:
        """Count the value of one row; an empty one counts for nothing."""
        if value is None or value == "":
            return
        self.rows += 1
        if self.many or self.became in UNCOUNTED:
            return
        word = value if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""
        if not 0 < len(word) <= LENGTH or (word not in self.values and len(self.values) == VALUES):
            self.many, self.values = True, {}
        else:
            self.values[word] = self.values.get(word, 0) + 1


class ColumnTally:
    """The columns of one file in the order in which they first appear."""

    def __init__(self) -> None:
        self._columns: dict[str, Column] = {}

    def take(self, columns: Sequence[Mapping[str, Any]]) -> None:
        """Take the columns that another process counted, as `as_json` returns them."""
        self._columns = {column["name"]: Column(**column) for column in columns}

    def count(self, values: Mapping[str, Any], use_of: Callable[[str], str]) -> None:
        """Count the values of one row. `use_of` is asked once for each column."""
        for name, value in values.items():
            column = self._columns.get(name)
            if column is None:
                if len(self._columns) == COLUMNS:
                    continue
                column = self._columns[name] = Column(name, use_of(name))
            column.count(value)

    def __iter__(self) -> Iterator[Column]:
        yield from self._columns.values()

    def passed_over(self) -> list[str]:
        """Return the names of columns that were not used, in alphabetical order."""
        return sorted(column.name for column in self if column.became == PASSED_OVER and column.name)

    def as_json(self) -> list[dict[str, Any]]:
        """Return the columns as JSON values; `take` reads them back."""
        return [vars(column) for column in self]


def label_like(columns: ColumnTally, categories: Sequence[Category], ignored: Collection[str]) -> list[Column]:
    """Return the columns that were passed over and look like labels.

    Either their name says so, or every value is the name of a category. Columns of `ignored` are left out by wish.
    """
    known = {name.casefold() for category in categories for name in names(category) if not name.isdecimal()}
    return [
        column
        for column in columns
        if column.became == PASSED_OVER
        and column.rows
        and column.name not in ignored
        and (_plain(column.name) in _LABEL_NAMES or _names_categories(column, known))
    ]


def _names_categories(column: Column, known: Collection[str]) -> bool:
    return bool(column.values) and all(value.casefold() in known for value in column.values)


def _plain(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(character for character in folded if character.isalnum())
