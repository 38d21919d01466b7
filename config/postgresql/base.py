"""Checks a pooled connection before its use without asking the server.

Django's own check (CONN_HEALTH_CHECKS) sends an empty query each time a connection leaves the pool: a third of all
queries of a run's step. A server that went away has closed its end, which the socket shows at once; a server that is
silent would not have answered the query either.

While the server is away, nobody waits for a connection as long as for one that others use: the requests queued behind
would be answered late, all with the same 503.
"""

import re
import select
import time
from collections.abc import Sequence
from datetime import UTC
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import psycopg
from django.apps import apps
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, OperationalError
from django.db.backends.postgresql import base
from django.db.backends.postgresql.operations import DatabaseOperations
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from django.db.models import DateField
from django.db.utils import DatabaseErrorWrapper
from django.utils.asyncio import async_unsafe
from django.utils.functional import cached_property
from psycopg.adapt import Transformer
from psycopg_pool import PoolTimeout

from config import late_modules
from runs.sql import database_time
from runs.sql.sqlstates import Outage, outage

# With the first number that a process sends, psycopg decides for good whether to expect numpy's, and loads numpy if
# somebody imports it: 15 MB and 0.1 s in each command and worker. The site sends none.
with late_modules.hidden("numpy"):
    Transformer().as_literal(1)


class _Operations(DatabaseOperations):
    def last_executed_query(self, cursor: Any, sql: Any, params: Any) -> str:
        """Return the query for `connection.queries`; of a planned statement its text, without the values."""
        return super().last_executed_query(cursor, sql, params) or str(sql)


_BUSY = ("user", "project", "membership", "item", "seat", "label")
"""The tables of `annotation` that most transactions touch, in the order in which they do."""


class _SchemaEditor(DatabaseSchemaEditor):
    """Changes tables while the code before the migration goes on working.

    The default of a column that is added to a table of the site stays; Django's own editor drops it at once. The old
    code does not know the column and leaves it out: without a default each of its rows would be refused. A moment is no
    such default.

    A migration that adds columns to several tables locks the busy ones first, as transactions of the site do. Who holds
    one of them then needs none that the migration has, and neither waits for the other.
    """

    _adds_a_column = False
    _holds_busy_tables = False

    def add_field(self, model: Any, field: Any) -> None:
        """Add the column of a field."""
        if self.atomic_migration and not self._holds_busy_tables:
            self._lock_busy_tables()
        self._adds_a_column = True
        try:
            super().add_field(model, field)
        finally:
            self._adds_a_column = False

    def skip_default_on_alter(self, field: Any) -> bool:
        """Return whether a default stays as it is; `add_field` asks before it drops one."""
        own = Path(apps.get_app_config(field.model._meta.app_label).path).parent == settings.BASE_DIR
        keeps = self._adds_a_column and own and not isinstance(field, DateField)
        return keeps or super().skip_default_on_alter(field)

    def _lock_busy_tables(self) -> None:
        self._holds_busy_tables = True
        with self.connection.cursor() as cursor:
            present = self.connection.introspection.table_names(cursor)
            tables = [name for name in (f"annotation_{table}" for table in _BUSY) if name in present]
            if tables:
                cursor.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE")


class _PlannedCursor(base.CursorMixin, psycopg.RawCursor[Any]):
    """Lets the server bind the values. The places of a statement are looked for once, however long it is.

    Other cursors of psycopg look for them at each execution if the statement has more than 4,096 characters.
    """

    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        """Run a statement with places as in any other cursor, `%s` or `%(name)s`."""
        if params is None:
            return super().execute(query, **options)
        numbered, names = _numbered(query)
        return super().execute(numbered, [params[name] for name in names] if names else params, **options)


class _KeptCursor(_PlannedCursor):
    """A planned cursor that its connection keeps, with what it has found out about types.

    To make a cursor, and to wrap it as Django does, takes a third of the time of a short statement.
    """

    wrapper: "DatabaseWrapper"
    """Who uses the connection now."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        """Run a statement; raise as Django's cursors do."""
        self.wrapper.validate_no_broken_transaction()
        with self.wrapper.wrap_database_errors:
            return super().execute(query, params, **options)

    def __exit__(self, *exception: object) -> None:
        """Stay open for the next statement."""


@lru_cache(maxsize=1024)
def _numbered(statement: str) -> tuple[str, Sequence[str]]:
    """Return a statement with the places $1, $2 and so on; where its places have names, their names in this order."""
    numbers: dict[str, int] = {}

    def number(place: re.Match[str]) -> str:
        if place[0] == "%%":
            return "%"
        return f"${numbers.setdefault(place[1] or str(len(numbers)), len(numbers) + 1)}"

    numbered = re.sub(r"%(?:%|\((\w+)\)s|s)", number, statement)
    return numbered, () if "0" in numbers else tuple(numbers)


class _ErrorWrapper(DatabaseErrorWrapper):
    """Raises errors as Django does, and remembers those after which the connection is of no use.

    A server that takes no writes is such a case, although it answers: it was made a standby, and the address leads to
    another one. psycopg calls that an internal error; to the site it is an outage as any other.
    """

    wrapper: "DatabaseWrapper"

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        if exc_type is not None and outage(exc_value) is Outage.LOST:
            self.wrapper.is_lost = self.wrapper.errors_occurred = True
            if isinstance(exc_value, psycopg.InternalError):
                raise OperationalError(*exc_value.args).with_traceback(traceback) from exc_value
        super().__exit__(exc_type, exc_value, traceback)


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL; pooled connections that the server has closed, or that take no writes, are replaced."""

    SchemaEditorClass = _SchemaEditor
    ops_class = _Operations
    is_lost = False
    """Whether the connection is of no use any more, whatever it answers."""
    _AWAY = 0.5
    """So many seconds a connection is waited for once one was waited for in vain, until there is one again."""

    @cached_property
    def wrap_database_errors(self) -> _ErrorWrapper:
        """Return what raises the errors of psycopg as Django's."""
        return _ErrorWrapper(self)

    def is_usable(self) -> bool:
        """Return whether the connection can be used again; asked after an error."""
        return not self.is_lost and super().is_usable()

    @async_unsafe
    def close(self) -> None:
        """Give the connection back to the pool; one that is of no use is closed before, so that the pool drops it."""
        if self.is_lost and self.connection is not None:
            self.connection.close()
        super().close()

    @async_unsafe
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a connection that the server has not closed; raise as Django's does."""
        self.is_lost = False
        while True:
            connection = self._taken(conn_params)
            if not self.pool or _is_open(connection):
                return connection
            connection.close()
            self.pool.putconn(connection)  # which replaces it

    @async_unsafe
    def planned_cursor(self) -> Any:
        """Return a cursor for SQL whose text never changes: the server plans it once per connection, not every time.

        Values are bound by the server here: a value without a type of its own (`SELECT %s`) needs a cast. A connection
        has one such cursor. Read its rows before the next statement.
        """
        self.ensure_connection()
        if self.execute_wrappers or self.queries_logged:
            return self._watched_cursor()
        cursor: _KeptCursor | None = vars(self.connection).get("kept_cursor")
        if cursor is None:
            cursor = self.connection.kept_cursor = _KeptCursor(self.connection)
        cursor.wrapper = self
        return cursor

    def _watched_cursor(self) -> Any:
        """Return a new planned cursor in Django's wrapper, which tells those who watch about each statement."""
        usual, self.connection.cursor_factory = self.connection.cursor_factory, _PlannedCursor
        try:
            return self.cursor()
        finally:
            self.connection.cursor_factory = usual

    def _configure_connection(self, connection: Any) -> bool:
        """Prepare a new connection, and ask what time it is there. Return whether a transaction is open."""
        super()._configure_connection(connection)  # type: ignore[misc]  # unknown to the stubs
        if self.alias == DEFAULT_DB_ALIAS:  # not a replica's
            asked = time.monotonic()
            (moment,) = connection.execute("SELECT clock_timestamp()").fetchone()
            database_time.learn(moment.astimezone(UTC), asked, time.monotonic())
        return True

    def _taken(self, conn_params: dict[str, Any]) -> Any:
        if not self.pool:
            return super().get_new_connection(conn_params)
        try:
            connection = super().get_new_connection(conn_params)
        except PoolTimeout:
            self.pool.timeout = self._AWAY
            raise
        self.pool.timeout = self.settings_dict["OPTIONS"]["pool"]["timeout"]
        return connection


def _is_open(connection: "psycopg.Connection[Any]") -> bool:
    """Return whether the server still holds its end. The server is asked only if it has sent something unexpectedly."""
    try:
        poll = select.poll()
        poll.register(connection.fileno(), select.POLLIN)
        if poll.poll(0):
            connection.execute("")
    except psycopg.OperationalError:
        return False
    return True
