"""Tables that PostgreSQL never counted, as just after an import: it plans without statistics."""

from django.db import connection

from absent import skip_or_fail


def forget_statistics() -> None:
    """Make the tables of the test's transaction ones that were never counted, whatever the server counted meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        if not cursor.fetchone()[0]:
            skip_or_fail("only a superuser of the server can remove its statistics")
        tables = "SELECT oid FROM pg_class WHERE relkind = 'r' AND relname LIKE 'annotation_%'"
        cursor.execute(f"DELETE FROM pg_statistic WHERE starelid IN ({tables})")
        cursor.execute(f"UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE oid IN ({tables})")
