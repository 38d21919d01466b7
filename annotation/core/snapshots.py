"""Reading many rows as they stood at one moment, while others go on writing."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """All reads inside see the database as it was at the first of them; writers are not held up.

    PostgreSQL: a REPEATABLE READ, READ ONLY transaction. SQLite: one deferred transaction, which in WAL mode reads
    from its first read's snapshot (the site's usual IMMEDIATE would lock all writers out meanwhile). Inside a
    transaction of the caller nothing is begun: it sees what that transaction sees.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        with _deferred(), transaction.atomic():
            yield


@contextmanager
def _deferred() -> Iterator[None]:
    """Begin the next transaction of this thread's connection without taking the write lock."""
    sqlite: Any = connection  # `transaction_mode` exists on SQLite's wrapper only
    mode = sqlite.transaction_mode
    sqlite.transaction_mode = "DEFERRED"
    try:
        yield
    finally:
        sqlite.transaction_mode = mode
