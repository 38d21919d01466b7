"""A pooled connection that the server has closed is replaced before anybody uses it (config/postgresql)."""

import time

import psycopg
import pytest
from django.db import connection

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL has a pool"),
]


def backend() -> int:
    """The server process that serves this thread, which hands its connection back."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (found,) = cursor.fetchone()
    connection.close()
    return int(found)


def test_a_connection_that_the_server_closed_is_replaced():
    pool = connection.pool  # type: ignore[attr-defined]  # PostgreSQL's alone
    assert pool, "a site on PostgreSQL keeps connections in a pool"
    ended = {backend()}
    at = connection.settings_dict
    address = {"host": at["HOST"], "port": at["PORT"], "user": at["USER"], "password": at["PASSWORD"] or None}
    with psycopg.connect(dbname=at["NAME"], autocommit=True, **address) as other:
        sql = "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> %s"
        ended |= {pid for pid, _done in other.execute(sql, [at["NAME"], other.info.backend_pid])}
        until = time.monotonic() + 10
        left = "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY(%s)"
        while other.execute(left, [list(ended)]).fetchone() != (0,):
            assert time.monotonic() < until
            time.sleep(0.01)
    assert {backend() for _ in range(2 * pool.max_size)}.isdisjoint(ended)


def test_no_plan_is_compiled():
    with connection.cursor() as cursor:
        cursor.execute("SHOW jit")
        assert cursor.fetchone() == ("off",)
