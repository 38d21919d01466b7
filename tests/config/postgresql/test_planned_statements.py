"""Statements whose text never changes take their values as in any other cursor (config/postgresql)."""

from datetime import UTC, datetime

import pytest
from django.contrib.sessions.models import Session
from django.db import IntegrityError, connection, transaction
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext

from runs.sql.compiled_queries import CompiledQuery, planned_cursor, slot

pytestmark = pytest.mark.django_db

FILLING = f"/* {'long ' * 1_000} */"  # psycopg looks for the places of such a statement each time


@pytest.mark.parametrize("filling", ["", FILLING])
@pytest.mark.parametrize(
    ("statement", "values", "row"),
    [
        ("SELECT 1", None, (1,)),
        ("SELECT '100%%'", (), ("100%",)),
        ("SELECT 'a%b'", None, ("a%b",)),
        ("SELECT CAST(%s AS INTEGER), CAST(%s AS INTEGER)", (1, 2), (1, 2)),
        (
            "SELECT CAST(%(b)s AS INTEGER), CAST(%(a)s AS INTEGER), CAST(%(b)s AS INTEGER)",
            {"a": 1, "b": 2, "unused": 3},
            (2, 1, 2),
        ),
        ("SELECT CAST(%(a_1)s AS TEXT), 'it''s 5 %%', 7 %% 4", {"a_1": "%s $1 %(a)s"}, ("%s $1 %(a)s", "it's 5 %", 3)),
        ("SELECT " + ", ".join(["CAST(%s AS INTEGER)"] * 12), tuple(range(12)), tuple(range(12))),
    ],
)
def test_values_reach_their_places(filling: str, statement: str, values: object, row: tuple[object, ...]) -> None:
    for _ in range(7):  # PostgreSQL keeps the plan after the fifth time
        with planned_cursor() as cursor:
            cursor.execute(f"{statement} {filling}", values)
            assert cursor.fetchone() == row


def test_a_refused_statement_raises_as_elsewhere_and_ends_the_transaction() -> None:
    columns = "session_key, session_data, expire_date"
    refused = f"INSERT INTO {Session._meta.db_table} ({columns}) VALUES (%s, NULL, NULL)"
    with pytest.raises(IntegrityError), transaction.atomic(), planned_cursor() as cursor:
        cursor.execute(refused, ["a key"])
    with transaction.atomic():
        connection.set_rollback(True)
        with pytest.raises(TransactionManagementError), planned_cursor() as cursor:
            cursor.execute("SELECT 1")
        connection.set_rollback(False)


def test_who_watches_sees_each_statement() -> None:
    with planned_cursor() as cursor:
        cursor.execute("SELECT 1")
    with CaptureQueriesContext(connection) as captured, planned_cursor() as cursor:
        cursor.execute("SELECT 2")
        assert cursor.fetchone() == (2,)
    assert [query["sql"] for query in captured] == ["SELECT 2"]


@pytest.mark.django_db(transaction=True)
def test_a_new_connection_has_a_cursor_of_its_own() -> None:
    for number in (1, 2):
        with planned_cursor() as cursor:
            cursor.execute("SELECT CAST(%s AS INTEGER)", [number])
            assert cursor.fetchone() == (number,)
        connection.close()


def test_moments_are_in_the_time_zone_of_the_site() -> None:
    moment = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    Session.objects.create(session_key="moment", session_data="", expire_date=moment)
    row = CompiledQuery(Session.objects.filter(session_key=slot("key"))).first(key="moment")
    assert row is not None
    assert (row.expire_date, row.expire_date.tzinfo) == (moment, Session.objects.get(pk="moment").expire_date.tzinfo)
