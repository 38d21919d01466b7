import random
import time
from contextlib import suppress
from typing import Any

from django.core.management.commands import migrate
from django.db import DatabaseError, OperationalError, connections

from config import pending_migrations

LOCK_TIMEOUT = "300ms"
"""How long a migration waits for a lock. Less than PostgreSQL's `deadlock_timeout`: pages wait so long at most."""
PATIENCE = 120.0
"""Seconds for which a migration that meets locks is repeated."""
_LOCKS = {"40P01", "55P03"}  # a deadlock, a lock that was not free in time


class Command(migrate.Command):
    help = f"{migrate.Command.help} On PostgreSQL, one that meets a lock of the site steps back and is repeated."

    def get_check_kwargs(self, options: dict[str, Any]) -> Any:
        """Return what is checked first; that migrations are missing need not be said here."""
        pending_migrations.begin_migrating()
        return super().get_check_kwargs(options)

    def handle(self, *args: Any, **options: Any) -> None:
        """Apply the migrations.

        A migration that waits for a table keeps everybody else waiting for those that it has altered. So it waits for a
        moment, gives up all its locks, and begins again: each is one transaction, and those before it are kept.
        """
        connection, until = connections[options["database"]], time.monotonic() + PATIENCE
        if connection.vendor != "postgresql" or connection.in_atomic_block:
            super().handle(*args, **options)
            return
        while True:
            try:
                with connection.cursor() as cursor:
                    cursor.execute("SELECT set_config('lock_timeout', %s, false)", [LOCK_TIMEOUT])
                super().handle(*args, **options)
                return
            except OperationalError as fault:
                if getattr(fault.__cause__, "sqlstate", "") not in _LOCKS or time.monotonic() > until:
                    raise
                self.stderr.write("\nThe running site holds a table that a migration needs. It is repeated.")
                time.sleep(random.uniform(0.1, 0.6))
            finally:
                with suppress(DatabaseError), connection.cursor() as cursor:
                    cursor.execute("RESET lock_timeout")  # the session goes back to a pool and is used again
                connection.close()
