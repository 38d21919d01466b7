"""Tally the columns of a file: the field each was read as, and its values with their counts."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypedDict

from annotation.domain.category_sets import SEPARATOR
from vocabulary.answers import answer

COLUMNS = 200
"""Columns that are counted; those after them are passed over without a count."""
VALUES = 40
"""Different values of a column that are counted. A column with more is a text or a number."""
LENGTH = 60
"""Characters of a value that is counted."""
PASSED_OVER, COMPUTED, KEPT = "", "computed", "kept"
UNCOUNTED = frozenset({"text", "image", "id", "labels", "picture_text", "answers", COMPUTED})
"""Uses whose values are not counted: every row has its own, or the site computes them itself."""
_DEEPEST = 6
"""Lists and objects inside one another whose names are noted."""
_OPENING, _LONGEST_CELL = frozenset("[{"), 2_000
"""How a cell begins that may hold JSON, and the characters of one that is looked into."""
UNUSED = (PASSED_OVER, KEPT)
"""Uses of columns that were read as no field."""


class ColumnReport(TypedDict):
    """What became of a column of the file; `became` is empty if it was passed over.

    `values` counts its different values; it is empty where they are not counted or there are too many (`many`).
    """

    name: str
    became: str
    rows: int
    values: dict[str, int]
    many: bool


@dataclass
class Column:
    """One column of a file. `became` is the field it was read as; KEPT: none, but it stays; PASSED_OVER: left out."""

    name: str
    became: str
    rows: int = 0
    """Rows with a value."""
    values: dict[str, int] = field(default_factory=dict)
    """The different values with their rows; empty if they are not counted or there are more than VALUES."""
    holds_lists: bool = False
    """Whether a value was an object, or a list of other than single values."""
    many: bool = False
    """Whether there are more different values than are counted."""
    parts: list[str] = field(default_factory=list)
    """The names of the parts of its objects, also of objects inside, where it holds some."""
    holds_shares: bool = False
    """Whether its objects hold a number for each of several names, and nothing else."""

    def count(self, value: Any) -> None:
        """Count the value of one row; an empty one counts for nothing."""
        is_text = type(value) is str
        if not value and (is_text or value is None or value == []):
            return
        self.rows += 1
        if self.became in UNCOUNTED or (self.many and (is_text or self.rows > VALUES)):
            return
        if is_text and value[0] in _OPENING:
            value, is_text = _parsed(value), False
        if not is_text and isinstance(value, list | dict):
            self._note_parts(value)
        if self.many:
            return
        word = value if is_text else _as_read(value)
        self.holds_lists = self.holds_lists or (not word and isinstance(value, list | dict))
        if not 0 < len(word) <= LENGTH or (word not in self.values and len(self.values) == VALUES):
            self.many, self.values = True, {}
        else:
            self.values[word] = self.values.get(word, 0) + 1

    def _note_parts(self, value: Any) -> None:
        are_numbers = isinstance(value, dict) and all(type(part) in (int, float) for part in value.values())
        self.holds_shares = are_numbers and len(value) > 1 and (self.holds_shares or not self.parts)
        self.parts = [*dict.fromkeys((*self.parts, *islice(_names_in(value), VALUES)))][:VALUES]

    def with_values_of(self, other: "Column") -> "Column":
        """Return the column with what was counted of it in another file."""
        values = Counter(self.values) + Counter(other.values)
        many = self.many or other.many or len(values) > VALUES
        return replace(
            self,
            became=self.became if self.rows else other.became,
            rows=self.rows + other.rows,
            values={} if many else dict(values),
            holds_lists=self.holds_lists or other.holds_lists,
            many=many,
            parts=[*dict.fromkeys((*self.parts, *other.parts))],
            holds_shares=self.holds_shares and other.holds_shares,
        )


def _names_in(value: Any, depth: int = _DEEPEST) -> Iterator[str]:
    """Yield the names of the parts of objects, those of outer ones first where they stand first."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from _names_in(part, depth - 1) if depth else ()
    elif isinstance(value, list):
        for part in value[:VALUES]:
            yield from _names_in(part, depth - 1) if depth else ()


def _parsed(written: str) -> Any:
    """Return the list or object that a cell holds as JSON, else the cell as it is."""
    with suppress(ValueError, RecursionError):
        return json.loads(written) if len(written) <= _LONGEST_CELL else written
    return written


def _as_read(value: Any) -> str:
    """Return a value as mappings of values name it: `true`, and a whole number without a point.

    A list is told by its parts, and so is an object of single values. "" for other values.
    """
    if isinstance(value, dict):
        value = [part for part in value.values() if part is not None]  # Parquet has the names of all rows in each
        return "" if any(isinstance(part, list | dict) for part in value) else _as_read(value)
    if isinstance(value, list):
        parts = [_as_read(part) for part in value if not isinstance(part, list | dict)]
        return SEPARATOR.join(parts) if len(parts) == len(value) and all(parts) else ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, str | int | float) else ""


class ColumnTally:
    """The columns of one file in the order in which they first appear, and the sheet of the workbook they stand on."""

    def __init__(self, keeps: Callable[[str], bool] | None = None, asked_for: frozenset[str] = frozenset()) -> None:
        """Take what says which of the columns that the site does not know are kept; None: no column is.

        `asked_for` are those that somebody named.
        """
        self.keeps, self.asked_for = keeps, asked_for
        self._columns: dict[str, Column] = {}
        self.sheet = ""
        self.other_sheets: list[str] = []
        self.known: set[str] = set()
        """Columns that the format itself names, and that are no labels."""
        self.left: Counter[str] = Counter()
        """Records that are no posts, by the reason."""
        self.first: dict[str, Any] = {}
        """The first rows as they stand in the file, where they were asked for."""

    def take(self, counted: Mapping[str, Any]) -> None:
        """Take what another process counted, as `counted` returns it, beside what was counted of other files."""
        for column in (Column(**about) for about in counted["columns"]):
            known = self._columns.get(column.name)
            self._columns[column.name] = column if known is None else known.with_values_of(column)
        self.sheet, self.other_sheets, self.first = counted["sheet"], counted["other_sheets"], counted["first"]
        self.known |= {*counted["known"]}
        self.left += Counter(counted["left"])

    def counted(self) -> dict[str, Any]:
        """Return everything as JSON values; `take` reads them back."""
        return {
            "columns": [vars(column) for column in self],
            "sheet": self.sheet,
            "other_sheets": self.other_sheets,
            "known": sorted(self.known),
            "left": self.left,
            "first": self.first,
        }

    def count(self, values: Mapping[str, Any], use_of: Callable[[str], str]) -> dict[str, Any]:
        """Count the values of one row, and return those that are kept.

        `use_of` is asked once for each column, and again while it has no value.
        """
        kept = {}
        for name, value in values.items():
            column = self._columns.get(name)
            if column is None:
                if len(self._columns) == COLUMNS:
                    if self._use(name, use_of) == KEPT:
                        kept[name] = value
                    continue
                column = self._columns[name] = Column(name, self._use(name, use_of))
            elif not column.rows and column.became in UNUSED:
                column.became = self._use(name, use_of)
            column.count(value)
            if column.became == KEPT:
                kept[name] = value
        return kept

    def _use(self, name: str, use_of: Callable[[str], str]) -> str:
        use = use_of(name)
        return KEPT if use == PASSED_OVER and self.keeps is not None and self.keeps(name) else use

    def put(self, column: Column) -> None:
        """Add a column that its reader counted itself."""
        self._columns[column.name] = column

    def tell_left_out(self, name: str) -> None:
        """Count a value that its reader does not take unasked."""
        if len(self._columns) < COLUMNS or name in self._columns:
            self._columns.setdefault(name, Column(name, PASSED_OVER)).rows += 1
            self.known.add(name)

    def __iter__(self) -> Iterator[Column]:
        yield from self._columns.values()

    def passed_over(self) -> list[str]:
        """Return the names of columns that were not used, in alphabetical order."""
        return sorted(column.name for column in self if column.became == PASSED_OVER and column.name)

    def as_json(self) -> list[ColumnReport]:
        """Return the columns as JSON values."""
        return [answer(ColumnReport, column) for column in self]
