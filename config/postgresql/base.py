"""Checks a pooled connection before its use without asking the server.

Django's own check (CONN_HEALTH_CHECKS) sends an empty query each time a connection leaves the pool: a third of all
queries of a run's step. A server that went away has closed its end, which the socket shows at once; a server that is
silent would not have answered the query either.

While the server is away, nobody waits for a connection as long as for one that others use: the requests queued behind
would be answered late, all with the same 503.
"""

import select
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from django.db.backends.postgresql.operations import DatabaseOperations
from django.utils.asyncio import async_unsafe
from psycopg_pool import PoolTimeout


class _Operations(DatabaseOperations):
    def last_executed_query(self, cursor: Any, sql: Any, params: Any) -> str:
        """Return the query for `connection.queries`; of a planned statement its text, without the values."""
        return super().last_executed_query(cursor, sql, params) or str(sql)


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL; pooled connections that the server has closed are replaced."""

    ops_class = _Operations
    _AWAY = 0.5
    """So many seconds a connection is waited for once one was waited for in vain, until there is one again."""

    @async_unsafe
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a connection that the server has not closed; raise as Django's does."""
        while True:
            connection = self._taken(conn_params)
            if not self.pool or _is_open(connection):
                return connection
            connection.close()
            self.pool.putconn(connection)  # which replaces it

    @async_unsafe
    def planned_cursor(self) -> Any:
        """Return a cursor for SQL whose text never changes: the server plans it once per connection, not every time.

        Values are bound by the server here: a value without a type of its own (`SELECT %s`) needs a cast.
        """
        self.ensure_connection()
        usual, self.connection.cursor_factory = self.connection.cursor_factory, base.ServerBindingCursor
        try:
            return self.cursor()
        finally:
            self.connection.cursor_factory = usual

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
