"""A dump of any client of PostgreSQL from 15 to 18 goes back into any server from 15 that it fits, or says why not."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings as site
from django.db.utils import ConnectionHandler

import postgresql_cluster
from absent import skip_or_fail
from config.environment import env_database
from config.recovery import database_dump
from config.recovery.database_dump import BadBackup, Version
from deploy.pin_images import POSTGRESQL
from postgresql_cluster import Cluster
from worker_processes import environment

VERSIONS = (15, 16, 17, 18)


# ── Rules ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("server", "writer", "reader", "warned"),
    [
        ("15.20", "15.20", "15.20", []),
        ("16.14", "17.12", "17.12", ["pg_dump 17.12 is newer than the server, PostgreSQL 16.14", "of version 16 fits"]),
        ("16.14", "16.14", "15.20", ["pg_restore 15.20 here cannot read what pg_dump 16.14 writes"]),
        ("15.20", "18.4", "17.10", ["pg_dump 18.4 is newer", "needs version 18 of both"]),
    ],
)
def test_a_backup_warns_of_programs_that_do_not_fit_the_server(
    server: str, writer: str, reader: str, warned: list[str]
) -> None:
    versions = [Version(int(name.partition(".")[0]), name) for name in (server, writer, reader)]
    warnings = " ".join(database_dump._fit_of_programs(*versions))
    assert all(part in warnings for part in warned) and bool(warnings) == bool(warned)


def test_a_client_that_is_older_than_the_server_is_refused_with_what_to_install() -> None:
    with pytest.raises(BadBackup, match=r"cannot read PostgreSQL 17.10: install the client .* postgresql-client-17"):
        database_dump._fit_of_programs(Version(17, "17.10"), Version(15, "15.20"), Version(15, "15.20"))


def test_only_settings_before_the_first_object_are_left_out() -> None:
    printed = b"SET transaction_timeout = 0;\n\n--\n-- Name: a; Type: TABLE\nSET transaction_timeout = 0;\n"
    head = list(database_dump._until_objects_begin(io.BytesIO(printed)))
    assert [database_dump._name_set(line) for line in head] == ["transaction_timeout", "", "", ""]


def test_what_a_server_noted_for_itself_is_left_out_of_columns_and_of_no_text() -> None:
    own = b"ALTER TABLE ONLY public.post ALTER COLUMN text SET (pg_attver=30896584);\n"
    printed = (
        own + b"ALTER TABLE ONLY public.post ALTER COLUMN text SET (n_distinct=5);\n-- Data for Name: post\n" + own
    )
    looked_at = list(database_dump._until_data_begin(io.BytesIO(printed)))
    assert len(looked_at) == 3, "rows begin there"
    assert [bool(database_dump._OWN_COLUMN_OPTION.match(line)) for line in looked_at] == [True, False, False]


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ('ERROR:  permission denied to create extension "pg_trgm"', 'CREATE EXTENSION "pg_trgm"'),
        ("ERROR:  permission denied for schema public", "GRANT CREATE ON SCHEMA public"),
        ('ERROR:  collation "xx" for encoding "UTF8" does not exist', "take a server with ICU"),
        ("ERROR:  disk full", ""),
    ],
)
def test_a_refusal_of_the_server_says_what_to_do_where_that_is_known(said: str, advice: str) -> None:
    sentence = str(database_dump._failed("psql", said))
    assert sentence.startswith(f"psql failed: {said}") and advice in sentence
    assert advice or sentence == f"psql failed: {said}"


# ── Clients and servers of all versions ───────────────────────────────────────


@pytest.fixture(scope="module")
def programs() -> Iterator[dict[int, Path]]:
    """The folders with the programs of each version, where the account of the server can read them."""
    with postgresql_cluster.programs_for_the_account() as found:
        if missing := set(VERSIONS) - set(found):
            skip_or_fail(f"PostgreSQL {sorted(missing)} is not here; `make .venv/postgresql/ready` brings them")
        yield found


@pytest.fixture(scope="module")
def servers(programs: dict[int, Path]) -> Iterator[dict[int, Cluster]]:
    """A server of each version."""
    made: dict[int, Cluster] = {}
    try:
        for version in VERSIONS:
            made[version] = Cluster(programs=programs[version])
        yield made
    finally:
        for server in made.values():
            server.remove()


@pytest.fixture
def on(
    monkeypatch: pytest.MonkeyPatch, programs: dict[int, Path], servers: dict[int, Cluster]
) -> Iterator[Callable[[int, str, int], None]]:
    """Lead the module to a database of the server of one version, with the programs of another."""
    opened = []
    path = os.environ["PATH"]

    def lead(server: int, database: str, client: int) -> None:
        address = servers[server].url.replace("/site", f"/{database}")
        row = env_database.database("X", default=Path(), environ={"X": address})
        row["OPTIONS"].pop("pool")
        opened.append(ConnectionHandler({"default": row})["default"])
        monkeypatch.setattr(database_dump, "connection", opened[-1])
        monkeypatch.setenv("PATH", f"{programs[client]}{os.pathsep}{path}")
        assert database_dump.program_version("pg_restore").major == client

    yield lead
    for one in opened:
        one.close()


TABLE = """
CREATE TABLE django_session (session_key text);
CREATE TABLE post (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, text text NOT NULL, tags jsonb);
CREATE INDEX post_text ON post (upper(text));
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'append only'; END $$;
CREATE TRIGGER guard BEFORE UPDATE ON post FOR EACH ROW EXECUTE FUNCTION refuse();
INSERT INTO post (text) SELECT
    E'증오 표현\\n-- Name: x\\nSET transaction_timeout = 0;\\nALTER TABLE ONLY a ALTER COLUMN b SET (pg_attver=1);'
    FROM generate_series(1, 3);
INSERT INTO django_session VALUES ('secret');
"""


def fresh(server: Cluster, name: str, options: str = "") -> None:
    with server.connect("postgres") as session:
        session.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        session.execute(f"CREATE DATABASE {name} {options}")


@pytest.mark.slow
@pytest.mark.once
def test_a_dump_of_every_client_goes_back_into_every_server(
    servers: dict[int, Cluster], on: Callable[[int, str, int], None], tmp_path: Path
) -> None:
    """Old servers with new clients, and a dump of a new server into an old one."""
    dumps = {}
    for server in VERSIONS:
        fresh(servers[server], "old")
        with servers[server].connect("old") as session:
            session.execute(TABLE)
        for client in {server, VERSIONS[-1]}:
            on(server, "old", client)
            dumps[server, client] = tmp_path / f"{server}-{client}"
            assert bool(database_dump.dump(dumps[server, client])) == (client > server)
    for (source, writer), file in dumps.items():
        for target in VERSIONS:
            fresh(servers[target], "new")
            on(target, "new", writer)
            remarks = database_dump.load(file)
            said = f"since PostgreSQL {target}." in (remarks[0] if remarks else "")
            assert ("transaction_timeout" in "".join(remarks)) is (writer >= 17 > target), (source, writer, target)
            assert said is bool(remarks)
            with servers[target].connect("new") as session:
                assert session.execute("SELECT count(*), max(length(text)) FROM post").fetchone() == (3, 98)
                assert session.execute("SELECT count(*) FROM django_session").fetchone() == (0,)
                with pytest.raises(psycopg.errors.RaiseException, match="append only"):
                    session.execute("UPDATE post SET text = ''")


@pytest.mark.slow
@pytest.mark.once
def test_what_does_not_fit_is_one_sentence_and_leaves_the_database_empty(
    servers: dict[int, Cluster], on: Callable[[int, str, int], None], tmp_path: Path
) -> None:
    def is_empty(server: int, database: str) -> bool:
        with servers[server].connect(database) as session:
            return session.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)

    fresh(servers[17], "old")
    with servers[17].connect("old") as session:
        session.execute(TABLE)
    on(17, "old", 17)
    database_dump.dump(tmp_path / "17")
    on(17, "old", 15)
    with pytest.raises(BadBackup, match="install the client of version 17"):
        database_dump.dump(tmp_path / "never")

    fresh(servers[15], "new")
    on(15, "new", 15)
    with pytest.raises(
        BadBackup, match=r"by pg_dump 17\.\d+, and pg_restore 15\.\S+ here cannot read it: .*version 17,"
    ):
        database_dump.load(tmp_path / "17")
    fresh(servers[17], "latin", "TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'")
    on(17, "latin", 17)
    with pytest.raises(BadBackup, match="encoding UTF8, and the database LATIN1"):
        database_dump.load(tmp_path / "17")
    assert is_empty(15, "new") and is_empty(17, "latin")

    with servers[17].connect("old") as session:
        session.execute("CREATE EXTENSION pg_trgm")
    on(17, "old", 17)
    database_dump.dump(tmp_path / "trigrams")
    fresh(servers[18], "new")  # this one has no extension but its own
    on(18, "new", 18)
    with pytest.raises(BadBackup, match="does not have the extension pg_trgm"):
        database_dump.load(tmp_path / "trigrams")
    assert is_empty(18, "new")

    with servers[17].connect("old") as session:  # rows that no server takes back
        session.execute("DROP EXTENSION pg_trgm")
        session.execute("ALTER TABLE post ADD CONSTRAINT here CHECK (current_database() = 'old')")
    on(17, "old", 17)
    database_dump.dump(tmp_path / "broken")
    whole = (tmp_path / "17").read_bytes()
    (tmp_path / "cut").write_bytes(whole[: len(whole) - 200])
    for name, sentence in (("broken", "violates check constraint"), ("cut", "pg_restore failed")):
        fresh(servers[16], "new")
        on(16, "new", 18)
        with pytest.raises(BadBackup, match=sentence):
            database_dump.load(tmp_path / name)
        assert is_empty(16, "new"), name


@pytest.mark.slow
@pytest.mark.once
def test_a_backup_of_the_image_goes_back_into_the_server_of_the_compose_file(
    programs: dict[int, Path], servers: dict[int, Cluster], tmp_path: Path
) -> None:
    """As docs/operators.md says, with the major version that both have; and checked beside the site before that."""
    major = POSTGRESQL
    server = servers[major]
    fresh(server, "site")
    fresh(server, "new")
    path = f"{programs[major]}{os.pathsep}{os.environ['PATH']}"
    old, new = (tmp_path / name for name in ("old", "new"))

    def run(folder: Path, *command: str) -> Any:
        folder.mkdir(exist_ok=True)
        address = server.url if folder is old else server.url.replace("/site", "/new")
        environ = environment(folder, "memory://", DATABASE_URL=address, PATH=path)
        arguments = [sys.executable, "manage.py", *command]
        done = subprocess.run(arguments, env=environ, cwd=site.BASE_DIR, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout) if "--json" in command else done.stdout

    run(old, "migrate", "--verbosity", "0")
    run(old, "demo")
    made = run(old, "backup", str(tmp_path / "backup"), "--json")
    assert made["warnings"] == [] and made["postgresql"]["pg_dump"].startswith(f"{major}.")
    checked = run(old, "backup", str(tmp_path / "backup"), "--check", "--json")
    assert checked["ok"] and checked["restored"] and len(checked["projects"]) == 2, checked
    with server.connect("postgres") as session:
        names = [name for (name,) in session.execute("SELECT datname FROM pg_database")]
    assert not [name for name in names if "check" in str(name)]
    assert run(new, "restore", str(tmp_path / "backup"), "--json")["remarks"] == []
    assert run(new, "audit", "--json")["projects"] == [{**each, "problems": []} for each in checked["projects"]]
