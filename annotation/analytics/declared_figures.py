"""A figure is declared once: its title, the parts of its rows, where they come from, and who may see it.

Its table, its CSV, the rows of its chart, its object in JSON and the type of that object in the API follow.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum
from typing import Any, Generic, NotRequired, Self, TypeVar, cast

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.analytics.figure_words import REASONS, Words, reason_of
from annotation.domain.statistics.figure import Figure, Measured
from annotation.pages.display_names import name_of
from vocabulary.answers import object_type

S = TypeVar("S")
W = TypeVar("W")
Cell = str | int | float | None
Cells = tuple[Cell, ...]
Rows = Iterator[tuple[Any, ...]]


def cell_of(value: Any) -> Cell:
    """Return a value as a cell of a table: stored words by their names, in the reader's language."""
    if isinstance(value, Enum):
        return name_of(value.value)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value) if isinstance(value, Promise) else cast(Cell, value)


@dataclass(frozen=True)
class Part:
    """A number or word of each row: its value, the name of its column, its key and type in JSON.

    Without a label it is in no table.
    """

    of: Callable[[Any], Any]
    label: Promise | str = ""
    key: str = ""
    kind: Any = int

    def within(self, part: Callable[[Any], Any]) -> Self:
        """Return it as a part of rows that have its own row as a part."""
        return replace(self, of=lambda row: self.of(part(row)))

    def columns(self) -> tuple[str, ...]:
        """Return the names of its columns."""
        return (str(self.label),)

    def cells(self, row: Any) -> Cells:
        """Return its cells in a row."""
        return (cell_of(self.of(row)),)

    def json(self, row: Any) -> dict[str, Any]:
        """Return its entries in the JSON object of a row."""
        value = self.of(row)
        return {self.key: list(value) if isinstance(value, tuple) else value}

    def fields(self) -> dict[str, Any]:
        """Return the types of its entries in JSON."""
        return {self.key: self.kind}


@dataclass(frozen=True)
class FigurePart(Part):
    """A figure of each row: its value, both ends of its interval, and the reason if one of them is undefined."""

    label: Promise | str = gettext_lazy("value")
    key: str = "value"
    words: Words = field(default_factory=lambda: REASONS)

    def columns(self) -> tuple[str, ...]:
        """Return the names of its four columns."""
        return str(self.label), _("low, 95 %"), _("high, 95 %"), _("why undefined")

    def cells(self, row: Any) -> Cells:
        """Return its four cells in a row."""
        return figure_cells(self.of(row), self.words)

    def json(self, row: Any) -> dict[str, Any]:
        """Return the value and the interval, each None if undefined, and `why` if the reason is known."""
        value, low, high, why = self.cells(row)
        return {self.key: value, "interval": None if low is None else [low, high]} | ({"why": why} if why else {})

    def fields(self) -> dict[str, Any]:
        """Return the types of these entries."""
        return {self.key: float | None, "interval": list[float] | None, "why": NotRequired[str]}


def value_at(place: int) -> Callable[[tuple[Any, ...]], Any]:
    """Return what reads this value of a row that is a plain tuple."""
    return lambda row: row[place]


def columns_of(*labels: Promise | str) -> tuple[Part, ...]:
    """Return a part for each value of rows that are plain tuples."""
    return tuple(Part(value_at(place), label) for place, label in enumerate(labels))


def figure_cells(figure: Figure, words: Words = REASONS) -> Cells:
    """Return the value, both ends of the interval and the reason; None for what there is not."""
    value = figure.value if isinstance(figure, Measured) else None
    interval = figure.interval if isinstance(figure, Measured) else None
    ends = (interval.low, interval.high) if interval else (None, None)
    return value, *ends, reason_of(figure, words)


@dataclass(frozen=True)
class FigureTable:
    """Columns and rows of plain values; None is an empty cell."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Cells, ...]


@dataclass(frozen=True)
class Drawn:
    """A figure as a page shows it."""

    title: str
    note: str
    foot: str
    drawing: str
    table: FigureTable
    chart: Any


@dataclass(frozen=True)
class DeclaredFigure(Generic[S]):
    """A figure of `S`: its rows, their parts, and how it is drawn."""

    name: str
    title: Promise
    rows: Callable[[S], Iterable[Any]]
    parts: Sequence[Part] | Callable[[S], Sequence[Part]]
    personal: bool = False
    """Whether it tells of single annotators: only admins see it."""
    hidden_if_empty: bool = False
    """Whether pages leave it out while it has no rows."""
    note: Promise | str = ""
    """What stands beside its title."""
    foot: Promise | str = ""
    """What stands below its table."""
    chart: Callable[[S, Sequence[Any]], Any] = lambda _source, _rows: None
    """What its drawing needs, from all and from the rows."""
    drawing: str = "annotation/_figure.html"
    """The template that draws it; this one draws bars."""

    def table(self, source: S) -> FigureTable:
        """Return its table in the reader's language."""
        return self._table(source, tuple(self.rows(source)))

    def drawn(self, source: S) -> Drawn | None:
        """Return it for a page in the reader's language. Returns None if it is hidden there."""
        rows = tuple(self.rows(source))
        if self.hidden_if_empty and not rows:
            return None
        words = (str(self.title), str(self.note), str(self.foot))
        return Drawn(*words, self.drawing, self._table(source, rows), self.chart(source, rows))

    def within(self, part: Callable[[W], S], **changed: Any) -> "DeclaredFigure[W]":
        """Return it as a figure of a whole that has its source as a part, with what is drawn otherwise there."""
        return replace(cast(Any, self), rows=lambda whole: self.rows(part(whole)), **changed)

    def _table(self, source: S, rows: Sequence[Any]) -> FigureTable:
        parts = self.parts(source) if callable(self.parts) else self.parts
        columns = tuple(column for part in parts for column in part.columns())
        cells = tuple(tuple(cell for part in parts for cell in part.cells(row)) for row in rows)
        return FigureTable(self.name, str(self.title), columns, cells)


def tables(figures: Iterable[DeclaredFigure[S]], source: S, *, with_people: bool = True) -> dict[str, FigureTable]:
    """Return the tables of figures by name; those about single annotators only if `with_people`."""
    return {figure.name: figure.table(source) for figure in figures if with_people or not figure.personal}


def table_csv_rows(table: FigureTable) -> Iterator[list[Any]]:
    """Yield the table's header and rows for a CSV writer, before cells are made safe."""
    yield list(table.columns)
    yield from map(list, table.rows)


# ── JSON and its type ─────────────────────────────────────────────────────────


def json_of(parts: Iterable[Part], row: Any) -> dict[str, Any]:
    """Return a row as a JSON object; reasons why something is undefined come last."""
    entries = [entry for part in parts for entry in part.json(row).items()]
    return dict(sorted(entries, key=lambda entry: entry[0] == "why"))


def type_of(parts: Iterable[Part]) -> Any:
    """Return the type of `json_of`, a base for the type that describes it in the API."""
    fields = [field for part in parts for field in part.fields().items()]
    return object_type(dict(sorted(fields, key=lambda field: field[0] == "why")))
