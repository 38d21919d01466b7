"""Times by the database's clock: those of machines may differ (threats F24, F33)."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import connection
from django.db.models import DateTimeField, Func, Value
from django.db.models.expressions import Combinable

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models.sql.compiler import SQLCompiler


class _FromNow(Func):
    """A time relative to the database's clock, in the same text form as `Now()`.

    SQLite compares times as texts, and Django's own sum has three digits more than `Now()`: of two equal times the
    longer text would count as later.
    """

    output_field = DateTimeField()

    def as_sqlite(self, compiler: "SQLCompiler", connection: "BaseDatabaseWrapper", **more: Any) -> Any:
        form = "STRFTIME('%%%%Y-%%%%m-%%%%d %%%%H:%%%%M:%%%%f', 'NOW', %(expressions)s)"
        return self.as_sql(compiler, connection, template=form, **more)

    def as_postgresql(self, compiler: "SQLCompiler", connection: "BaseDatabaseWrapper", **more: Any) -> Any:
        form = "(STATEMENT_TIMESTAMP() + (%(expressions)s)::interval)"
        return self.as_sql(compiler, connection, template=form, **more)


def database_now() -> datetime:
    """Return the time by the database's clock, to the millisecond."""
    sqlite = "STRFTIME('%Y-%m-%d %H:%M:%f', 'NOW')"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {'STATEMENT_TIMESTAMP()' if connection.vendor == 'postgresql' else sqlite}")
        moment: datetime | str = cursor.fetchone()[0]
    return datetime.fromisoformat(f"{moment}+00:00") if isinstance(moment, str) else moment


def seconds_from_now(seconds: float) -> Combinable:
    """Return the time `seconds` from now by the database's clock, to the millisecond."""
    return _FromNow(Value(f"{seconds:+.3f} seconds"))


def just_now(seconds: float) -> tuple[Combinable, Combinable]:
    """Return the moments between which something was within the last `seconds`.

    One that is yet to come by more than that was noted before the clock of the database was put back, and says nothing.
    """
    return seconds_from_now(-seconds), seconds_from_now(seconds)
