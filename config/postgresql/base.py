"""A pooled connection is glanced at before it is handed out, without asking the server.

Django's own check (CONN_HEALTH_CHECKS) sends an empty query each time a connection leaves the pool: a third of all
that a run's step asks of the database. A server that went away has closed its end, which the socket tells at once; one
that is silent would have swallowed the query just as well.

While the server is away nobody waits for a connection as long as for one that others use: the requests that queue up
behind those that wait would be answered late, and all with the same 503.
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
        """What was run, for `connection.queries`; of a planned statement its text, without the values."""
        return super().last_executed_query(cursor, sql, params) or str(sql)


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL, with connections of the pool that the server has closed replaced."""

    ops_class = _Operations
    _AWAY = 0.5
    """So many seconds a connection is waited for once one was waited for in vain, until there is one again."""

    @async_unsafe
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection that the server has not closed; raises as Django's does."""
        while True:
            connection = self._taken(conn_params)
            if not self.pool or _is_open(connection):
                return connection
            connection.close()
            self.pool.putconn(connection)  # which replaces it

    @async_unsafe
    def planned_cursor(self) -> Any:
        """A cursor for statements whose text never changes: the server plans them once a connection, not every time.

        Values are bound by the server here: what has no type of its own (`SELECT %s`) needs a cast.
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
    """Whether the server still holds its end; only where it has said something unasked it is asked in turn."""
    try:
        poll = select.poll()
        poll.register(connection.fileno(), select.POLLIN)
        if poll.poll(0):
            connection.execute("")
    except psycopg.OperationalError:
        return False
    return True
