"""Reading many rows in the state of one moment, while others continue to write."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections, transaction

from runs.sql.read_replica import reads_from


@contextmanager
def snapshot() -> Iterator[None]:
    """Let all reads inside see the database as it was at the first of them; writers do not wait.

    PostgreSQL: a REPEATABLE READ, READ ONLY transaction. SQLite: one deferred transaction, which in WAL mode reads from
    the snapshot of its first read (the site's usual IMMEDIATE mode would lock all writers). Inside a transaction of the
    caller no new one begins: the reads see what that transaction sees. Inside `from_replica` it is one of the replica.
    """
    alias = reads_from()
    connection = connections[alias]
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(using=alias):
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        with _deferred(connection), transaction.atomic(using=alias):
            yield


@contextmanager
def _deferred(sqlite: Any) -> Iterator[None]:
    """Begin the next transaction of this connection without the write lock."""
    sqlite.ensure_connection()  # which sets the mode
    mode = sqlite.transaction_mode
    sqlite.transaction_mode = "DEFERRED"
    try:
        yield
    finally:
        sqlite.transaction_mode = mode
