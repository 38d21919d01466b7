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
        transaction.on_commit(partial(_analyze, models), robust=True)


def _analyze(models: Sequence[type[Model]]) -> None:
    """Count the tables that have rows.

    One that is counted while it is empty is planned for as empty, however many rows it gets, until it is counted again.
    """
    filled = [model._meta.db_table for model in models if model._base_manager.using(connection.alias).exists()]
    if filled:
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {', '.join(map(connection.ops.quote_name, filled))}")
