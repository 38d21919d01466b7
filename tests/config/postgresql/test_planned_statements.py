"""Statements whose text never changes take their values as in any other cursor (config/postgresql)."""

import pytest

from runs.sql.compiled_queries import planned_cursor

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
