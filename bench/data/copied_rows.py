"""Copy a row as often as one likes, by one statement of the database."""

from collections.abc import Mapping
from typing import Any

from django.db import connection
from django.db.models import Model


def copy(row: Model, source: str, columns: Mapping[str, str], *, but: str = "TRUE") -> None:
    """Copy a row (`t` in SQL) for each row of `source` (SQL), where `but` (SQL) holds.

    `columns` are SQL of what differs. Keys are new ones where it has none.
    """
    table: str = row._meta.db_table
    fields: list[Any] = [
        field for field in row._meta.concrete_fields if not field.primary_key or field.column in columns
    ]
    values = ", ".join(columns.get(field.column, f't."{field.column}"') for field in fields)
    names = ", ".join(f'"{field.column}"' for field in fields)
    with connection.cursor() as cursor:
        cursor.execute(
            f'INSERT INTO "{table}" ({names}) SELECT {values} FROM "{table}" t, {source}'
            f" WHERE t.id = {row.pk} AND ({but})"
        )
