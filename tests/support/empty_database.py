"""Empty the database between transactional tests: only tables with rows, and without creating permissions again.

Django's own flush truncates every table and then creates all permissions again, which takes longer than most tests.
"""

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

_KEPT = frozenset({"django_migrations", "django_content_type", "auth_permission"})


def empty(connection: BaseDatabaseWrapper) -> None:
    """Delete all rows except those that migrations create."""
    tables = sorted(set(connection.introspection.django_table_names(only_existing=True, include_views=False)) - _KEPT)
    name = connection.ops.quote_name
    with connection.cursor() as cursor:
        cursor.execute(
            " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {name(table)})" for table in tables)
        )
        full = [name(table) for (table,) in cursor.fetchall()]
    if not full:
        return
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"TRUNCATE {', '.join(full)} CASCADE")
        return
    with connection.constraint_checks_disabled(), transaction.atomic(), connection.cursor() as cursor:
        for table in full:
            cursor.execute(f"DELETE FROM {table}")
