"""A site that ran before the migrations were squashed goes on with all its rows.

The two files beside this test hold the sample campaign as the commit eb6a9f4 stored it, with its 18 + 7 + 2 + 2 + 1
migrations applied: a SQLite file, and what `pg_dump --inserts` wrote of a PostgreSQL database.
"""

import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

FOLDER = Path(__file__).parent
APPS = ("annotation", "config", "generation", "moderation", "runs")

Rows = Callable[[str], list[tuple[Any, ...]]]
"""Runs one query and returns its rows."""


def manage(environment: dict[str, str], *arguments: str, status: int = 0) -> str:
    """Run a command of the site in a process of its own. Fail if it ends with another exit status."""
    result = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout


@pytest.fixture
def sqlite_site(tmp_path: Path) -> tuple[dict[str, str], Rows]:
    file = tmp_path / "interplay.sqlite3"
    file.write_bytes(gzip.decompress((FOLDER / "first_schema.sqlite3.gz").read_bytes()))

    def rows(query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(file)) as database:
            return database.execute(query).fetchall()

    return {"DEMO": "on", "VAR_DIR": str(tmp_path), "DATABASE_URL": ""}, rows


@pytest.fixture
def postgresql_site(tmp_path: Path) -> Iterator[tuple[dict[str, str], Rows]]:
    server = settings.DATABASES["default"]
    name = f"upgrade_{os.getpid()}"
    address = f"postgres://{server['USER']}:{server['PASSWORD']}@{server['HOST']}:{server['PORT'] or 5432}/"
    with psycopg.connect(address + "postgres", autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {name}")
        admin.execute(f"CREATE DATABASE {name}")
    with psycopg.connect(address + name, autocommit=True) as site:
        site.execute(gzip.decompress((FOLDER / "first_schema.postgresql.sql.gz").read_bytes()))

    def rows(query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(address + name) as site:
            return site.execute(query.encode()).fetchall()

    yield {"DEMO": "on", "VAR_DIR": str(tmp_path), "DATABASE_URL": address + name}, rows
    with psycopg.connect(address + "postgres", autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def tables(rows: Rows) -> list[str]:
    query = (
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        if connection.vendor == "postgresql"
        else "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    return sorted(name for (name,) in rows(query) if name != "django_migrations")


def contents(rows: Rows) -> dict[str, int]:
    """How many rows each table holds."""
    return {table: rows(f'SELECT count(*) FROM "{table}"')[0][0] for table in tables(rows)}


def schema(rows: Rows) -> dict[str, Any]:
    """Columns, indexes, constraints and triggers by table, in an order of their own."""
    if connection.vendor == "postgresql":
        return {
            "columns": sorted(
                rows(
                    "SELECT table_name, column_name, data_type, is_nullable, column_default, character_maximum_length"
                    " FROM information_schema.columns WHERE table_schema = 'public'"
                ),
                key=str,
            ),
            "constraints": sorted(
                rows(
                    # A dump writes a CHECK in other words of the same meaning, so that its name has to do.
                    "SELECT conrelid::regclass::text, contype,"
                    " CASE contype WHEN 'c' THEN conname ELSE pg_get_constraintdef(oid) END FROM pg_constraint"
                    " WHERE connamespace = 'public'::regnamespace"
                ),
                key=str,
            ),
            "indexes": sorted(
                (table, re.sub(r"INDEX \S+ ON|::(text|character varying)(\[\])?|[()]", "", definition))
                for table, definition in rows("SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'")
            ),
            "triggers": sorted(
                rows("SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal"), key=str
            ),
        }
    return {
        "columns": {
            table: sorted(
                (name, kind, required, str(default), key)
                for _, name, kind, required, default, key in rows(f'PRAGMA table_info("{table}")')
            )
            for table in tables(rows)
        },
        "constraints": {
            table: sorted(re.findall(r'CONSTRAINT "(\w+)"', sql or ""))
            for table, sql in rows("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
            if table in tables(rows)
        },
        "indexes and triggers": sorted(
            rows(
                "SELECT type, name, tbl_name FROM sqlite_master"
                " WHERE type IN ('index', 'trigger') AND name NOT LIKE 'sqlite_%'"
            )
        ),
    }


def own_rows(query: str) -> list[tuple[Any, ...]]:
    """Rows of the tests' own database, which the present migrations made."""
    with connection.cursor() as cursor:
        cursor.execute(query.replace("%", "%%"), ())
        return [tuple(row) for row in cursor.fetchall()]


@pytest.mark.django_db
@pytest.mark.slow
def test_a_site_from_before_the_squash_is_upgraded_with_all_its_rows(request: pytest.FixtureRequest) -> None:
    environment, rows = request.getfixturevalue(f"{connection.vendor}_site")
    before = contents(rows)
    assert before["annotation_item"] == 116
    manage(environment, "migrate", "--verbosity", "0")
    after = contents(rows)
    # The types of models and their permissions are Django's own rows; new models add some.
    own = {"django_content_type", "auth_permission"}
    free = rows(
        "SELECT COUNT(*) FROM annotation_seat s JOIN annotation_item i ON i.id = s.item_id"
        " WHERE i.stage = 'known' AND s.annotator_id IS NULL"
    )[0][0]
    assert after.pop("annotation_seat") == before.pop("annotation_seat") + free  # seats of checks are made ahead
    assert {table: count for table, count in after.items() if table in before and table not in own} == {
        table: count for table, count in before.items() if table not in own
    }
    assert "[ ]" not in manage(environment, "showmigrations", *APPS)
    now, fresh = schema(rows), schema(own_rows)
    for part in fresh:
        assert [row for row in now[part] if row not in fresh[part]] == []
        assert [row for row in fresh[part] if row not in now[part]] == []
        assert now[part] == fresh[part]
    manage(environment, "check", "--database", "default")
    # The rows are sound; the pictures themselves are not beside this test.
    audited = json.loads(manage(environment, "audit", "--json", status=1))["projects"]
    problems = [problem for project in audited for problem in project["problems"]]
    assert [problem for problem in problems if "is lost" not in problem and "more of this kind" not in problem] == []
    # A second time changes nothing.
    assert "No migrations to apply" in manage(environment, "migrate")


@pytest.mark.django_db(transaction=True)
def test_migrating_leaves_its_short_wait_for_locks_to_nobody() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no such limit")
    call_command("migrate", verbosity=0)
    for _session in range(8):  # all of the pool
        with connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            assert cursor.fetchone() == ("5s",)
        connection.close()
