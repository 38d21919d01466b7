"""A pooled connection that the server has closed is replaced before anybody uses it (config/postgresql)."""

import time

import psycopg
import pytest
from django.db import OperationalError, close_old_connections, connection, transaction
from django.test import RequestFactory

import builders
from annotation.core.database_faults import away_sentence
from annotation.models import User
from config.web import error_pages

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


def test_a_connection_to_a_server_that_takes_no_writes_leaves_the_pool_and_the_page_is_503():
    builders.make_user()
    with connection.cursor() as cursor:  # as a demoted primary, which goes on answering
        cursor.execute("SET default_transaction_read_only = on")
        cursor.execute("SELECT pg_backend_pid()")
        (read_only,) = cursor.fetchone()
    with pytest.raises(OperationalError, match="read-only") as fault, transaction.atomic():
        User.objects.update(first_name="a")
    try:
        raise fault.value
    except OperationalError:
        answer = error_pages.server_error(RequestFactory().post("/api/v1/projects/"))
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    sentence = away_sentence(fault.value)  # of a command
    assert sentence.endswith("could not do this now: cannot execute UPDATE in a read-only transaction. Try again soon.")
    close_old_connections()  # as at the end of each request
    assert read_only not in {backend() for _ in range(2 * connection.pool.max_size)}  # type: ignore[attr-defined]
    assert User.objects.update(first_name="b") == 1


def test_no_plan_is_compiled():
    with connection.cursor() as cursor:
        cursor.execute("SHOW jit")
        assert cursor.fetchone() == ("off",)
