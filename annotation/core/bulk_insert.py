"""Insertion of many rows at once: COPY on PostgreSQL, one prepared statement on SQLite.

Used by imports of hundreds of thousands of rows, where one model instance per row would take most of the time. A column
that the caller does not give gets the default of its field, so a new column with a default needs no change. A primary
key that is not given comes from the database.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import chain
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, models

BLOCK = 20_000
"""The maximum number of keys reserved at a time, unless the caller needs more."""

Plain = Callable[[Any], Any]


class Rows:
    """Rows of one model to insert, with values in the order of `columns` (attribute names: `item_id`)."""

    def __init__(self, model: type[models.Model], columns: Sequence[str]) -> None:
        fields = {field.attname: field for field in model._meta.concrete_fields}
        left = [field for name, field in fields.items() if name not in columns and not field.primary_key]
        self.table = model._meta.db_table
        self.columns = [str(fields[name].column) for name in columns] + [str(field.column) for field in left]
        self._plain = [(place, plain) for place, name in enumerate(columns) if (plain := _plain(fields[name]))]
        self._defaults = [_default(field) for field in left]
        self._constant = tuple(
            None if callable(field.default) and not _is_fixed(field) else make()
            for field, make in zip(left, self._defaults, strict=True)
        )
        self._fresh = [
            (place, make)
            for place, (field, make) in enumerate(zip(left, self._defaults, strict=True))
            if callable(field.default) and not _is_fixed(field)
        ]
        self._waiting: list[tuple[Any, ...]] = []

    def add(self, *values: Any) -> None:
        """Add one row."""
        if self._plain:
            row = list(values)
            for place, plain in self._plain:
                if row[place] is not None:
                    row[place] = plain(row[place])
            values = tuple(row)
        if self._fresh:
            rest = list(self._constant)
            for place, make in self._fresh:
                rest[place] = make()
            self._waiting.append((*values, *rest))
        else:
            self._waiting.append(values + self._constant)

    def take(self) -> "Batch":
        """Return the rows added since the last call, ready to be sent."""
        rows, self._waiting = self._waiting, []
        return Batch(self.table, self.columns, rows)


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


def _json(value: Any) -> str:
    return _encode(value) if value else ("{}" if isinstance(value, Mapping) else _encode(value))


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
