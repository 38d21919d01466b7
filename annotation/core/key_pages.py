"""Pages of long lists by key: the rows after or before one row, so that a page far down costs what the first one does.

The key of a page is the public id of the row at its edge. Rows that come or go meanwhile move no other row from one
page to the next, as numbered pages do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db.models import F, Model, Q, QuerySet
from django.db.models.expressions import OrderBy

Row = TypeVar("Row", bound=Model)
Entry = TypeVar("Entry")
AFTER, BEFORE = "after", "before"


class UnknownKey(ValueError):
    """The row that a page was to begin at is not in the list, or the key is none."""

    code = "unknown_key"


@dataclass(frozen=True)
class KeyPage(Generic[Entry]):
    """Rows in the order of the list, with the keys of the pages around them."""

    rows: Sequence[Entry]
    previous: str | None
    """The key for `before`. None: this is the first page."""
    next: str | None
    """The key for `after`. None: this is the last page."""


def is_asked_by_key(query: Mapping[str, Any]) -> bool:
    """Return whether the query asks for a page by key."""
    return AFTER in query or BEFORE in query


def page_by_key(
    rows: QuerySet[Row], among: QuerySet[Row], query: Mapping[str, str], length: int, key: str = "public_id"
) -> KeyPage[Row]:
    """Return the page after the row that `after` names, or before that of `before`; both empty: the first page.

    `rows` are in an order that ends with a unique column. Keys are of rows of `among`, so that a list goes on at a row
    that has left it. `key` is the field of the public id, of the row or of one that it refers to.

    Raises UnknownKey for any other key.
    """
    backwards = bool(query.get(BEFORE))
    edge = query.get(BEFORE if backwards else AFTER, "")
    columns = [_Column.of(part, turned=backwards) for part in rows.query.order_by]
    wanted = rows.order_by(*(column.expression for column in columns))
    if edge:
        wanted = wanted.filter(_beyond(columns, _values(among, key, edge, columns)))
    found = list(wanted[: length + 1])
    more, found = len(found) > length, found[:length]
    if backwards:
        found.reverse()
    if not found:
        return KeyPage(found, None if backwards else edge or None, edge if backwards else None)
    has_previous, has_next = (more, True) if backwards else (bool(edge), more)
    return KeyPage(found, key_of(found[0], key) if has_previous else None, key_of(found[-1], key) if has_next else None)


def key_of(row: Model, key: str = "public_id") -> str:
    """Return the key of a row: its public id, or that of a row that it refers to."""
    value: Any = row
    for name in key.split("__"):
        value = getattr(value, name)
    return str(value)


@dataclass(frozen=True)
class _Column:
    """A column of the order. Only one that may be NULL says where such rows come, since an index then has to say so."""

    name: str
    down: bool
    nulls: str = ""

    @classmethod
    def of(cls, part: Any, *, turned: bool) -> "_Column":
        """Return a column of a queryset's order, or of the order turned round."""
        if isinstance(part, OrderBy):
            column: Any = part.expression
            nulls = ("first" if turned else "last") if part.nulls_last else ""
            return cls(column.name, part.descending != turned, nulls)
        return cls(str(part).lstrip("-"), str(part).startswith("-") != turned)

    @property
    def expression(self) -> OrderBy:
        nulls = {f"nulls_{self.nulls}": True} if self.nulls else {}
        return F(self.name).desc(**nulls) if self.down else F(self.name).asc(**nulls)

    def same(self, value: Any) -> Q:
        return Q(**{f"{self.name}__isnull": True}) if value is None else Q(**{self.name: value})

    def later(self, value: Any, or_same: str = "") -> Q:
        """Return the condition for rows whose value comes after this one; with `e`, or is the same."""
        if value is None:
            return Q(**{f"{self.name}__isnull": False}) if self.nulls == "first" else Q(pk__in=())
        beyond = Q(**{f"{self.name}__{'lt' if self.down else 'gt'}{or_same}": value})
        return beyond | Q(**{f"{self.name}__isnull": True}) if self.nulls == "last" else beyond


def _beyond(columns: Sequence[_Column], values: Sequence[Any]) -> Q:
    """Return the condition for rows after those with these values in these columns."""
    later, alike = Q(), Q()
    for column, value in zip(columns, values, strict=True):
        later |= alike & column.later(value)
        alike &= column.same(value)
    if len(columns) > 1 and not columns[0].nulls:
        later &= columns[0].later(values[0], "e")  # follows from the rest, and lets an index begin here
    return later


def _values(among: QuerySet[Any], key: str, edge: str, columns: Sequence[_Column]) -> Sequence[Any]:
    try:
        row = among.filter(**{key: UUID(edge)}).order_by().values_list(*(column.name for column in columns)).first()
    except ValueError:
        row = None
    if row is None:
        raise UnknownKey
    return tuple(row)
