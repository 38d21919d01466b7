"""Tally the columns of a file: the field each was read as, and its values with their counts.

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
UNCOUNTED = frozenset({"text", "image", "id", "labels", "provenance", "picture_text", "answers", COMPUTED})
"""Uses whose values are not counted: every row has its own, or the site computes them itself."""
_LABEL_NAMES = frozenset(
    {"label", "labels", "category", "categories", "class", "classes", "cls", "gold", "annotation", "annotations"}
    | {"hate", "hateful", "ishate", "ishateful", "hatespeech", "labelname", "labelid", "labeltext", "goldlabel"}
    | {"y", "toxic", "toxicity", "offensive", "abusive", "abuse", "istoxic", "isoffensive", "classfolder"}
    | {"finallabel", "majoritylabel", "groundtruth", "answer", "라벨", "레이블", "标签", "類別", "类别", "分类"}
)
_PARTS_OF_NAMES = ("toxic", "hateful", "hatespeech", "offensive", "abusive")
"""A longer name with one of these is a label's too: toxicity_score, offensive_language."""
_LABEL_WORDS = frozenset(
    {
        "hate",
        "nohate",
        "nonhate",
        "nothate",
        "hateful",
        "nothateful",
        "hatespeech",
        "normal",
        "neutral",
        "none",
        "clean",
    }
    | {"off", "not", "hof", "offensive", "notoffensive", "toxic", "nontoxic", "abusive", "nonabusive"}
    | {"혐오", "비혐오", "정상", "仇恨", "非仇恨", "正常", "攻击性", "非攻击性"}
)
"""Values that data sets of this field call their labels."""

_ANSWER = "answer_"  # answers to further questions, which belong to a label


@dataclass
class Column:
    """One column of a file. `became` is the field it was read as; PASSED_OVER: none."""

    name: str
    became: str
    rows: int = 0
    """Rows with a value."""
    values: dict[str, int] = field(default_factory=dict)
    """The different values with their rows; empty if they are not counted or there are more than VALUES."""
    holds_lists: bool = False
    """Whether a value was a list or an object."""
    many: bool = False
    """Whether there are more different values than are counted."""

    def count(self, value: Any) -> None:
        """Count the value of one row; an empty one counts for nothing."""
        if value is None or value in ("", []):
            return
        self.rows += 1
        if self.many or self.became in UNCOUNTED:
            return
        self.holds_lists = self.holds_lists or isinstance(value, list | dict)
        word = _as_read(value)
        if not 0 < len(word) <= LENGTH or (word not in self.values and len(self.values) == VALUES):
            self.many, self.values = True, {}
        else:
            self.values[word] = self.values.get(word, 0) + 1


def _as_read(value: Any) -> str:
    """Return a value as mappings of values name it: `true`, and a whole number without a point. "" for other values."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, str | int | float) else ""


class ColumnTally:
    """The columns of one file in the order in which they first appear, and the sheet of the workbook they stand on."""

    def __init__(self) -> None:
        self._columns: dict[str, Column] = {}
        self.sheet = ""
        self.other_sheets: list[str] = []

    def take(self, counted: Mapping[str, Any]) -> None:
        """Take what another process counted, as `counted` returns it."""
        self._columns = {column["name"]: Column(**column) for column in counted["columns"]}
        self.sheet, self.other_sheets = counted["sheet"], counted["other_sheets"]

    def counted(self) -> dict[str, Any]:
        """Return everything as JSON values; `take` reads them back."""
        return {"columns": [vars(column) for column in self], "sheet": self.sheet, "other_sheets": self.other_sheets}

    def count(self, values: Mapping[str, Any], use_of: Callable[[str], str]) -> None:
        """Count the values of one row. `use_of` is asked once for each column, and again while it has no value."""
        for name, value in values.items():
            column = self._columns.get(name)
            if column is None:
                if len(self._columns) == COLUMNS:
                    continue
                column = self._columns[name] = Column(name, use_of(name))
            elif not column.rows and column.became == PASSED_OVER:
                column.became = use_of(name)
            column.count(value)

    def put(self, column: Column) -> None:
        """Add a column that its reader counted itself."""
        self._columns[column.name] = column

    def __iter__(self) -> Iterator[Column]:
        yield from self._columns.values()

    def passed_over(self) -> list[str]:
        """Return the names of columns that were not used, in alphabetical order."""
        return sorted(column.name for column in self if column.became == PASSED_OVER and column.name)

    def as_json(self) -> list[dict[str, Any]]:
        """Return the columns as JSON values."""
        names = ("name", "became", "rows", "values", "many")
        return [{name: getattr(column, name) for name in names} for column in self]


def label_like(columns: ColumnTally, categories: Sequence[Category], ignored: Collection[str]) -> list[Column]:
    """Return the columns that were passed over and look like labels.

    Either their name says so, or is a category's (a column for each), or every value is a category's name or a usual
    word for a label. Columns of `ignored` are left out by wish.
    """
    category_names = frozenset(
        _plain(name) for category in categories for name in names(category) if not name.isdecimal()
    )
    return [
        column
        for column in columns
        if column.became == PASSED_OVER
        and column.rows
        and column.name not in ignored
        and (
            _is_label_name(_plain(column.name), category_names)
            or column.name.startswith(_ANSWER)
            or _names_categories(column, category_names)
        )
    ]


def _names_categories(column: Column, category_names: frozenset[str]) -> bool:
    plain = {_plain(value) for value in column.values}
    return bool(plain) and (plain <= category_names or (len(plain) > 1 and plain <= category_names | _LABEL_WORDS))


def _is_label_name(plain: str, category_names: frozenset[str]) -> bool:
    return plain in _LABEL_NAMES or plain in category_names or any(part in plain for part in _PARTS_OF_NAMES)


def _plain(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(character for character in folded if character.isalnum())
