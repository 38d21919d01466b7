"""Empty the database between transactional tests: only tables with rows, and without creating permissions again.

Django's own flush truncates every table and then creates all permissions again, which takes longer than most tests.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from annotation.core.append_only import lifted

_KEPT = frozenset({"django_migrations", "django_content_type", "auth_permission"})


def empty(connection: BaseDatabaseWrapper) -> None:
    """Delete all rows except those that migrations create; those of append-only tables too."""
    tables = _tables_with_rows(connection)
    if not tables:
        return
    with _unguarded(connection), connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"DELETE FROM {table}")


def _tables_with_rows(connection: BaseDatabaseWrapper) -> list[str]:
    tables = set(connection.introspection.django_table_names(only_existing=True, include_views=False)) - _KEPT
    name = connection.ops.quote_name
    with connection.cursor() as cursor:
        cursor.execute(
            " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {name(table)})" for table in tables)
        )
        return [name(table) for (table,) in cursor.fetchall()]


@contextmanager
def _unguarded(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Run in one transaction without triggers and foreign keys.

    On PostgreSQL a superuser sets them aside by a variable. To drop and create triggers there, or to truncate tables,
    takes forty times as long.
    """
    if connection.vendor == "postgresql" and _is_superuser(connection):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            yield
    else:
        with lifted(connection), connection.constraint_checks_disabled(), transaction.atomic():
            yield


def _is_superuser(connection: BaseDatabaseWrapper) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('is_superuser') = 'on'")
        return bool(cursor.fetchone()[0])
