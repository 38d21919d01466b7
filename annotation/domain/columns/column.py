"""A column is declared once: name, type, meaning, value, when releases have it, who sees it, how files give it.

Releases with their card and description, the list of items as a file, and imports with their page follow.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

TEXT, WHOLE, FLAG, NUMBER, CATEGORY = "string", "int64", "bool", "float64", "category"
"""The types of values. A list holds the type of its entries, a mapping its fields."""

Facts = Mapping[str, Any]
"""What was read about an item, a prior or a label, by the names of the database and those that its reader adds."""


class When(Enum):
    """The releases that have a column, beside those that have all."""

    ALWAYS = auto()
    SEVERAL = auto()
    """Answers may name several categories."""
    ASKED = auto()
    """The project asks further questions."""
    MARKED = auto()
    """Some labels came with passages that have names."""
    PEOPLE = auto()
    """What came in about annotators is asked for, and there is some."""
    WORDS = auto()
    """The pictures of some items were read."""
    KEPT = auto()
    """Some items have columns that the site does not know."""
    INJECTED = auto()
    """Models made some items."""
    CLOSED = auto()
    """There are closed items that are not gold."""
    EVIDENCE = auto()
    """It is asked for with the evidence."""
    WITHHELD = auto()
    """Texts or pictures are withheld."""
    SPLIT = auto()
    """The items are divided into train, dev and test."""


class Listed(Enum):
    """Who gets a column in the list of items as a file, beside the columns of releases."""

    MEMBERS = auto()
    ADMINS = auto()


@dataclass(frozen=True)
class FromFile:
    """How an import reads a column."""

    words: str = ""
    """What stands there, for the page; columns with the same words share a line."""
    names: tuple[str, ...] = ()
    """Its names in files, if there are others than its own."""
    most: int = 0
    """The most characters of a text that is read by itself. 0: it is read together with other columns."""
    lines: bool = False
    """Whether such a text may have several lines."""


@dataclass(frozen=True)
class Column:
    """A column of an item, of its priors or of its labels."""

    name: str
    field: str = ""
    """The fact that is its value; an empty text is null."""
    of: Callable[[Facts], Any] | None = None
    """Its value, where that is no single fact."""
    needs: tuple[str, ...] = ()
    """The values of the database that `of` reads."""
    kind: Any = TEXT
    when: When | None = When.ALWAYS
    """None: no release has it."""
    meaning: str = ""
    """What it is, for the description of a release."""
    quotes: bool = False
    """Whether it may quote the post: it is left out wherever texts are."""
    decided: bool = False
    """Whether it follows from the final category: it is empty where nothing is decided."""
    hidden: bool = False
    """Whether it is hidden from everybody who may still be asked for a view of their own."""
    compared: bool = False
    """Whether another value makes an item a revised one, beside its text and what its labels say."""
    long: bool = False
    """Whether the table with a row for each label has it; of a list by annotator, the entries of the label's own."""
    listed: Listed | None = None
    """Who gets it in the list of items as a file, if that has it after the columns of releases."""
    file: FromFile | None = None
    """None: imports do not read it."""

    def value(self, facts: Facts) -> Any:
        """Return its value from what was read."""
        if self.of is not None:
            return self.of(facts)
        found = facts[self.field]
        return None if found == "" else found

    @property
    def fields(self) -> tuple[str, ...]:
        """The values of the database that it needs."""
        return (self.field,) if self.field else self.needs

    @property
    def file_names(self) -> tuple[str, ...]:
        """Its names in files that are imported."""
        return () if self.file is None else self.file.names or (self.name,)


def among(columns: Iterable[Column], there: Collection[When]) -> tuple[Column, ...]:
    """Return the columns of a release that has these, beside those that all have."""
    return tuple(column for column in columns if column.when is When.ALWAYS or column.when in there)


def names_of(columns: Iterable[Column]) -> tuple[str, ...]:
    """Return the names of columns."""
    return tuple(column.name for column in columns)


def fields_of(columns: Iterable[Column]) -> tuple[str, ...]:
    """Return the values of the database that columns need, each once."""
    return tuple(dict.fromkeys(field for column in columns for field in column.fields))
