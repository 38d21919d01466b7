"""Rows that no query put in order come in reverse, so that whoever counts on an order is found.

PostgreSQL promises no order without `ORDER BY`, and keeps one nearly always: what counts on it fails one time in a
hundred, elsewhere.
"""

from django.db.models.query import QuerySet


def install() -> None:
    """Turn round what every query without an order brings, from now on."""
    fetch = QuerySet._fetch_all

    def fetch_reversed(rows: QuerySet) -> None:
        is_first = rows._result_cache is None
        fetch(rows)
        found = rows._result_cache
        if is_first and isinstance(found, list) and not rows.ordered and not rows.query.combinator:
            found.reverse()

    QuerySet._fetch_all = fetch_reversed
