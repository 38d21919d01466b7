"""Let PostgreSQL count tables anew after many rows came or went.

Its plans rest on what a table held when it was last counted. Autovacuum counts a minute or more after a large change;
until then each label on a site with 100,000 new items takes ten times as long.
"""

from collections.abc import Sequence
from functools import partial

from django.db import connection, transaction
from django.db.models import Model

MANY = 1_000
"""Fewer changed rows move no plan."""


def refresh_statistics(changed: int, *models: type[Model]) -> None:
    """Count the tables of these models anew, once the transaction is committed, if `changed` rows are many."""
    if changed >= MANY and connection.vendor == "postgresql":
        tables = [model._meta.db_table for model in models]
        transaction.on_commit(partial(_analyze, tables), robust=True)


def _analyze(tables: Sequence[str]) -> None:
    """Count the tables that have rows.

    One that is counted while it is empty is planned for as empty, however many rows it gets, until it is counted again.
    """
    names = [connection.ops.quote_name(table) for table in tables]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(f'EXISTS (SELECT FROM {name})' for name in names)}")  # noqa: S608  # names of models
        if filled := [name for name, has_rows in zip(names, cursor.fetchone(), strict=True) if has_rows]:
            cursor.execute(f"ANALYZE {', '.join(filled)}")
