"""Insertion of many rows at once: COPY on PostgreSQL, one prepared statement on SQLite.

Used by imports of hundreds of thousands of rows, where one model instance per row would take most of the time. A column
that the caller does not give gets the default of its field, or what its field derives from the other columns
(`derive`), so such a new column needs no change. A primary key that is not given comes from the database.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, models

BLOCK = 20_000
"""The maximum number of keys reserved at a time, unless the caller needs more."""

Plain = Callable[[Any], Any]


class Rows:
    """Rows of one model to insert. The first row decides which columns are given; every other row gives the same."""

    def __init__(self, model: type[models.Model]) -> None:
        self._model = model
        derived = ((field.attname, getattr(field, "derive", None)) for field in model._meta.concrete_fields)
        self._derived = [(name, derive) for name, derive in derived if derive]
        self._form: _Form | None = None
        self._waiting: list[tuple[Any, ...]] = []

    def add(self, **values: Any) -> None:
        """Add one row: a value for each column, by attribute name (`item_id`).

        Raises TypeError if the columns are not those of the first row.
        """
        for name, derive in self._derived:
            values.setdefault(name, derive(values))
        if self._form is None:
            self._form = _Form.of(self._model, tuple(values))
        if values.keys() != self._form.names:
            raise TypeError(f"{self._model.__name__}: {sorted(values.keys() ^ self._form.names)}")
        self._waiting.append(self._form.row(values))

    def take(self) -> "Batch":
        """Return the rows added since the last call, ready to be sent."""
        rows, self._waiting = self._waiting, []
        return Batch(self._model._meta.db_table, self._form.columns if self._form else (), rows)


@dataclass(frozen=True)
class _Form:
    """How the values of a row become the values of its columns."""

    names: Set[str]
    columns: Sequence[str]
    plain: Sequence[tuple[str, Plain]]
    """Converters by attribute name, of the columns that need one."""
    constant: tuple[Any, ...]
    fresh: Sequence[tuple[int, Callable[[], Any]]]
    """What makes a new default for every row, by its place in `constant`."""
    in_order: Callable[[Mapping[str, Any]], tuple[Any, ...]]

    @classmethod
    def of(cls, model: type[models.Model], names: tuple[str, ...]) -> "_Form":
        fields = {field.attname: field for field in model._meta.concrete_fields}
        unnamed = [field for name, field in fields.items() if name not in names and not field.primary_key]
        makers = [_default(field) for field in unnamed]
        is_fresh = [callable(field.default) and not _is_fixed(field) for field in unnamed]
        return cls(
            names=frozenset(names),
            columns=[str(fields[name].column) for name in names] + [str(field.column) for field in unnamed],
            plain=[(name, plain) for name in names if (plain := _plain(fields[name]))],
            constant=tuple(None if new else make() for new, make in zip(is_fresh, makers, strict=True)),
            fresh=[(place, make) for place, make in enumerate(makers) if is_fresh[place]],
            in_order=itemgetter(*names),
        )

    def row(self, values: dict[str, Any]) -> tuple[Any, ...]:
        for name, plain in self.plain:
            if values[name] is not None:
                values[name] = plain(values[name])
        if not self.fresh:
            return self.in_order(values) + self.constant
        rest = list(self.constant)
        for place, make in self.fresh:
            rest[place] = make()
        return (*self.in_order(values), *rest)


@dataclass(frozen=True)
class Batch:
    """Rows of one table, ready to be inserted."""

    table: str
    columns: Sequence[str]
    rows: Sequence[tuple[Any, ...]]


class Keys:
    """Primary keys reserved in the database's own sequence. The reserved number doubles from call to call, up to BLOCK.

    On SQLite the transaction must be a writing one (`BEGIN IMMEDIATE`), as every transaction of this site is.
    """

    def __init__(self, model: type[models.Model]) -> None:
        self.table = model._meta.db_table
        self.left = 0
        self._block = 0
        self._reserved: Iterator[int] = iter(())

    def next(self) -> int:
        """Return a key. `left` is the number of keys that need no query."""
        if not self.left:
            self.reserve(1)
        self.left -= 1
        return next(self._reserved)

    def reserve(self, count: int) -> None:
        """Reserve keys until at least `count` are left."""
        if self.left < count:
            self._block = max(count, min(2 * self._block, BLOCK))
            self._reserved = chain(self._reserved, self._more(self._block))
            self.left += self._block

    def _more(self, count: int) -> Iterable[int]:
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute(
                    "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
                    [f'"{self.table}"', count],
                )
                return [key for (key,) in cursor.fetchall()]
            cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [self.table])
            row = cursor.fetchone()
            first = (row[0] if row else 0) + 1
            if row:
                cursor.execute("UPDATE sqlite_sequence SET seq = seq + %s WHERE name = %s", [count, self.table])
            else:
                cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [self.table, count])
            return range(first, first + count)


class Sender:
    """A sender of rows that works while the caller prepares the next ones (PostgreSQL; SQLite writes at once).

    Use as a context manager inside a transaction. Call `wait` before any other query: a running COPY needs the
    connection for itself.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "sender") if connection.vendor == "postgresql" else None
        self._under_way: Future[None] | None = None

    def __enter__(self) -> "Sender":
        return self

    def __exit__(self, kind: type[BaseException] | None, *fault: object) -> None:
        try:
            if kind is None:
                self.wait()
        finally:
            if self._thread is not None:
                self._thread.shutdown(wait=True)

    def send(self, batches: Iterable[Batch]) -> None:
        """Write the batches in this order; return when the earlier ones are written.

        Raises the database error of an earlier batch.
        """
        filled = [batch for batch in batches if batch.rows]
        self.wait()
        if self._thread is None:
            _insert(filled)
        else:
            self._under_way = self._thread.submit(_copy, connection.connection, filled)

    def wait(self) -> None:
        """Wait until all sent rows are written. Raises the database error of a batch."""
        if self._under_way is not None:
            under_way, self._under_way = self._under_way, None
            with connection.wrap_database_errors:
                under_way.result()


def _copy(driver: Any, batches: Iterable[Batch]) -> None:
    """Send rows by COPY over psycopg's own connection: Django's belongs to the thread that began the transaction."""
    with driver.cursor() as cursor:
        for batch in batches:
            names = ", ".join(f'"{column}"' for column in batch.columns)
            with cursor.copy(f'COPY "{batch.table}" ({names}) FROM STDIN') as copy:
                for row in batch.rows:
                    copy.write_row(row)


def _insert(batches: Iterable[Batch]) -> None:
    with connection.cursor() as cursor:
        for batch in batches:
            names = ", ".join(f'"{column}"' for column in batch.columns)
            places = ", ".join(["%s"] * len(batch.columns))
            cursor.executemany(f'INSERT INTO "{batch.table}" ({names}) VALUES ({places})', batch.rows)


def _plain(field: "models.Field[Any, Any]") -> Plain | None:
    """Return a converter for values of this field that the driver cannot write. Returns None if it can."""
    if isinstance(field, models.JSONField):
        return _json
    if isinstance(field, models.CharField | models.TextField):
        return None
    if connection.vendor == "postgresql":
        return None
    if isinstance(field, models.UUIDField):
        return _hex
    if isinstance(field, models.DateTimeField):
        return _sqlite_moment
    return None


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_EMPTY: Mapping[type, str] = {dict: "{}", list: "[]", tuple: "[]"}


def _json(value: Any) -> str:
    """Return the JSON of a value. Most columns of most rows hold an empty list or object."""
    if not value and (empty := _EMPTY.get(type(value))):
        return empty
    if value or value is None or isinstance(value, str | int | float):
        return _encode(value)
    return "{}" if isinstance(value, Mapping) else "[]"


def fresh_uuids() -> Iterator[str]:
    """Yield random UUIDs (version 4) as hex, which both databases accept; random bytes are read for many at a time."""
    while True:
        random = os.urandom(16 * 256)
        for start in range(0, len(random), 16):
            number = int.from_bytes(random[start : start + 16])
            yield f"{number & ~(0xF << 76) & ~(0x3 << 62) | (4 << 76) | (2 << 62):032x}"


def _hex(value: UUID | str) -> str:
    return value if isinstance(value, str) else value.hex


@lru_cache(maxsize=64)
def _sqlite_moment(value: datetime) -> str:
    return str(connection.ops.adapt_datetimefield_value(value))


def _default(field: "models.Field[Any, Any]") -> Callable[[], Any]:
    plain = _plain(field)
    if field.default is uuid4:
        return fresh_uuids().__next__

    def make() -> Any:
        value = field.get_default()
        return value if value is None or plain is None else plain(value)

    return make


def _is_fixed(field: "models.Field[Any, Any]") -> bool:
    """Return whether all rows of an import may share one default: empty JSON values and the time of the import."""
    return isinstance(field, models.JSONField | models.DateTimeField)
