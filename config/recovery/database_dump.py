"""The site's database as one file, and back: pg_dump, pg_restore and psql, or a copy of the SQLite file.

Programs and server of PostgreSQL may be of different versions, 15 to 18. pg_restore prints the dump as statements, and
psql runs them in one transaction: so what a newer pg_restore sets and an older server does not know can be left out.
"""

import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import psycopg
from django.contrib.sessions.models import Session
from django.db import connection
from psycopg import pq
from psycopg.conninfo import make_conninfo

from annotation.models import OpenSession
from config.environment import env_database

FILES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
"""The name of the file, by the kind of the database."""
_SESSIONS = (OpenSession._meta.db_table, Session._meta.db_table)
"""What no backup holds; the first refers to the second."""
_SETTING = re.compile(rb"^SET (\w+) = ")
_OBJECTS_BEGIN = re.compile(rb"^-- (?:Name|Data for Name|TOC entry)\b")
_DATA_BEGINS = b"-- Data for Name: "
_OWN_COLUMN_OPTION = re.compile(rb"^ALTER TABLE ONLY \S+ ALTER COLUMN \S+ SET \(pg_attver=\d+\);$")
"""What newer servers note for themselves at a column, and an older pg_dump copies; no server takes it back."""
_VERSIONS_IN_ARCHIVE = re.compile(rb"\x00(\d+(?:\.\d+|devel|beta\d+|rc\d+))[^\x00]{0,60}")
_WHAT_TO_DO = (
    (
        r"permission denied to create extension \"(?P<what>[^\"]+)\"",
        'Let an administrator run `CREATE EXTENSION "{what}"` in the new database first.',
    ),
    (
        r"permission denied for schema (?P<what>\w+)",
        "Let an administrator run `GRANT CREATE ON SCHEMA {what} TO` the role of DATABASE_URL in the new database.",
    ),
    (
        r"collation \"(?P<what>[^\"]+)\" for encoding",
        "The server lacks this collation: install the locale or take a server with ICU.",
    ),
)
"""What PostgreSQL says of a server that a dump does not fit, and what to do then."""


class BadBackup(Exception):
    """A backup that cannot be made or restored; the message says why."""


_Session = psycopg.Connection[tuple[Any, ...]]


class Version(NamedTuple):
    """A version of PostgreSQL: its major number, and its whole name such as 17.12."""

    major: int
    name: str


def dump(target: Path) -> list[str]:
    """Write the database into a file without sessions; return warnings in sentences. Raises BadBackup."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(target)])
        with closing(sqlite3.connect(target, isolation_level=None)) as copy:
            for table in _SESSIONS:
                copy.execute(f"DELETE FROM {table}")  # noqa: S608  # a name of a model's own
            copy.execute("VACUUM")  # or the bytes of what was deleted stay in the file
        return []
    warnings = _fit_of_programs(server_version(), program_version("pg_dump"), program_version("pg_restore"))
    left_out = [f"--exclude-table-data={table}" for table in _SESSIONS]
    _run("pg_dump", "--format", "custom", "--no-owner", *left_out, "--file", str(target), *_database())
    return warnings


def load(source: Path, database: str = "") -> list[str]:
    """Fill an empty database, by default the site's, with a dump: all of it or nothing. Return remarks in sentences.

    Raises BadBackup with what the server refuses.
    """
    if connection.vendor == "sqlite":
        _copy_sqlite(source, Path(database or connection.settings_dict["NAME"]))
        return []
    refuse_unreadable(source, database)
    reader = program_version("pg_restore")
    with session(database) as new:
        left_out = _restore(source, new, database)
        server = _version_of(new.info.server_version)
    if not left_out:
        return []
    named = ", ".join(sorted(left_out))
    return [
        f"Left out of what pg_restore {reader.name} sets, since PostgreSQL {server.name} does not know it: {named}."
    ]


def refuse_unreadable(source: Path, database: str = "") -> None:
    """Raise BadBackup if this pg_restore cannot read a dump, or the server lacks an extension that it needs."""
    if connection.vendor == "sqlite":
        return
    listing = _listing(source, program_version("pg_restore"))
    with session(database) as new:
        _refuse_missing_extensions(new, listing)


def description() -> dict[str, str]:
    """Return what a restore compares: versions of server and pg_dump, encoding, locale. Empty on SQLite."""
    if connection.vendor == "sqlite":
        return {}
    with session() as opened:
        row = opened.execute(
            "SELECT pg_encoding_to_char(encoding), datcollate, datctype FROM pg_database "
            "WHERE datname = current_database()"
        ).fetchone()
        assert row
        server = _version_of(opened.info.server_version)
    encoding, collate, ctype = row
    return {
        "server": server.name,
        "pg_dump": program_version("pg_dump").name,
        "encoding": encoding,
        "collation": collate,
        "character_type": ctype,
    }


def server_version() -> Version:
    """Return the version of the site's server."""
    with session() as opened:
        return _version_of(opened.info.server_version)


def program_version(name: str) -> Version:
    """Return the version of a program of PostgreSQL's client. Raises BadBackup if it is not installed."""
    said = _run(name, "--version")
    found = re.search(r"\(PostgreSQL\) ((\d+)\S*)", said)
    if found is None:
        raise BadBackup(f"{name} does not say its version, but: {said.strip()[:100]}")
    return Version(int(found[2]), found[1])


def _version_of(number: int) -> Version:
    return Version(number // 10_000, f"{number // 10_000}.{number % 10_000}")


def _fit_of_programs(server: Version, writer: Version, reader: Version) -> list[str]:
    """Return warnings about programs that do not fit the server. Raises BadBackup if they cannot read it at all."""
    if writer.major < server.major:
        raise BadBackup(
            f"pg_dump {writer.name} cannot read PostgreSQL {server.name}: install the client of version {server.major} "
            f"(Debian: postgresql-client-{server.major})."
        )
    warnings = []
    if writer.major > server.major:
        warnings.append(
            f"pg_dump {writer.name} is newer than the server, PostgreSQL {server.name}: a restore needs pg_restore of "
            f"version {writer.major} or newer. A client of version {server.major} fits the server."
        )
    if reader.major < writer.major:
        warnings.append(
            f"pg_restore {reader.name} here cannot read what pg_dump {writer.name} writes: a restore needs version "
            f"{writer.major} of both."
        )
    return warnings


def _listing(source: Path, reader: Version) -> str:
    """Return the list of what a dump holds. Raises BadBackup if this pg_restore cannot read it."""
    try:
        return _run("pg_restore", "--list", str(source))
    except BadBackup as fault:
        if "unsupported version" not in str(fault):
            raise
        with source.open("rb") as file:
            versions = _VERSIONS_IN_ARCHIVE.findall(file.read(4096))
        # The first is the server's, the second that of pg_dump.
        writer = versions[1].decode() if len(versions) > 1 else ""
        need = f"version {int(re.split(r'[^0-9]', writer)[0])}" if writer else "a newer version"
        raise BadBackup(
            f"The backup was written by pg_dump {writer or 'of a newer version'}, and pg_restore {reader.name} here "
            f"cannot read it: install PostgreSQL's client of {need}, or newer."
        ) from None


@contextmanager
def session(database: str = "") -> Iterator[_Session]:
    """Yield a connection to a database beside the site's own."""
    given = connection.get_connection_params()
    known = {option.keyword.decode() for option in pq.Conninfo.get_defaults()}
    parts = {name: value for name, value in given.items() if name in known}
    with psycopg.connect(**parts | ({"dbname": database} if database else {}), autocommit=True) as opened:
        yield opened


def _refuse_missing_extensions(new: _Session, listing: str) -> None:
    needed = re.findall(r"^\d+; \d+ \d+ EXTENSION - (\S+)", listing, re.M)
    query = "SELECT name FROM unnest(%s::text[]) name WHERE name NOT IN (SELECT name FROM pg_available_extensions)"
    if missing := [str(name) for (name,) in new.execute(query, [needed])]:
        raise BadBackup(
            f"The server does not have the extension {', '.join(missing)}, which the backup needs: install it there "
            f"(Debian: postgresql-contrib) and repeat this."
        )


def _refuse_another_encoding(new: _Session, head: Sequence[bytes]) -> None:
    """Raise BadBackup if the database keeps letters in another way than the dump: some would be lost or unreadable."""
    written = next((line.split(b"'")[1].decode() for line in head if _name_set(line) == "client_encoding"), "")
    ours = new.info.parameter_status("server_encoding")
    if written and ours != written:
        raise BadBackup(
            f"The backup has the encoding {written}, and the database {ours}: make one with "
            f"`CREATE DATABASE … TEMPLATE template0 ENCODING '{written}'`."
        )


def _unknown_settings(new: _Session, head: Sequence[bytes]) -> set[str]:
    names = [name for line in head if (name := _name_set(line))]
    query = "SELECT name FROM unnest(%s::text[]) name WHERE current_setting(name, true) IS NULL"
    return {str(name) for (name,) in new.execute(query, [names])}


def _name_set(line: bytes) -> str:
    """Return the name of the setting that a statement sets; empty for any other line."""
    found = _SETTING.match(line)
    return found[1].decode() if found else ""


def _restore(source: Path, new: _Session, database: str) -> set[str]:
    """Let psql run what pg_restore prints, in one transaction; return the names of settings that were left out.

    Whatever ends before COMMIT leaves the database as it was. Raises BadBackup with what the server refuses.
    """
    # Roles that had rights on the old server may be missing on this one; extensions may be an administrator's.
    reading = ("pg_restore", "--no-owner", "--no-privileges", "--no-comments", "--file=-", str(source))
    quiet = ("--no-psqlrc", "--quiet", "--output", os.devnull, "--variable", "ON_ERROR_STOP=1", "--file=-")
    with _started(*reading) as reader, _started("psql", *quiet, *_database(database)) as psql:
        head = list(_until_objects_begin(reader.output))
        _refuse_another_encoding(new, head)
        unknown = _unknown_settings(new, head)
        left_out = set(unknown)
        try:
            psql.input.write(b"BEGIN;\n")
            psql.input.writelines(line for line in head if _name_set(line) not in unknown)
            for line in _until_data_begin(reader.output):
                if _OWN_COLUMN_OPTION.match(line):
                    left_out.add("pg_attver")
                else:
                    psql.input.write(line)
            shutil.copyfileobj(reader.output, psql.input, 1 << 20)
            psql.input.flush()
        except BrokenPipeError:  # psql ended at the first error
            psql.finish()
            raise
        reader.finish()
        with suppress(BrokenPipeError):
            psql.input.write(b"COMMIT;\n")
            psql.input.close()
        psql.finish()
    return left_out


def _until_objects_begin(statements: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines before the first object, and the one that names it: nothing of the site is among them."""
    for line in statements:
        yield line
        if _OBJECTS_BEGIN.match(line):
            return


def _until_data_begin(statements: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines that make tables and functions, and the first that names rows: no row is among them."""
    for line in statements:
        yield line
        if line.startswith(_DATA_BEGINS):
            return


def _copy_sqlite(source: Path, database: Path) -> None:
    connection.close()
    copy = database.with_name(f"{database.name}.restoring")
    try:
        shutil.copyfile(source, copy)
        copy.replace(database)
    finally:
        copy.unlink(missing_ok=True)


def _database(name: str = "") -> tuple[str, ...]:
    """Return the arguments that name the database, by default the site's. The password is in no command line."""
    return "--no-password", "--dbname", make_conninfo(dbname=name or connection.get_connection_params()["dbname"])


class _Program:
    """A program of PostgreSQL that runs beside another one."""

    def __init__(self, command: Sequence[str], said: IO[bytes]) -> None:
        self._name, self._said = command[0], said
        try:
            self._process = subprocess.Popen(
                command, env=_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said
            )
        except FileNotFoundError:
            raise _not_installed(self._name) from None
        assert self._process.stdin and self._process.stdout
        self.input, self.output = self._process.stdin, self._process.stdout

    def finish(self) -> None:
        """Wait for the end. Raises BadBackup if it failed."""
        if self._process.wait():
            self._said.seek(0)
            raise _failed(self._name, self._said.read().decode(errors="replace"))

    def end(self) -> None:
        """Stop it, if it still runs."""
        self._process.kill()
        self._process.wait()
        with suppress(BrokenPipeError):
            self.input.close()
        self.output.close()


@contextmanager
def _started(*command: str) -> Iterator[_Program]:
    with tempfile.TemporaryFile() as said:
        program = _Program(command, said)
        try:
            yield program
        finally:
            program.end()


def _run(*command: str) -> str:
    """Run a program of PostgreSQL and return what it printed. Raises BadBackup if it fails."""
    try:
        done = subprocess.run(command, env=_environment(), capture_output=True, text=True, errors="replace")
    except FileNotFoundError:
        raise _not_installed(command[0]) from None
    if done.returncode:
        raise _failed(command[0], done.stderr)
    return done.stdout


def _not_installed(name: str) -> BadBackup:
    return BadBackup(f"{name} is not installed here; it comes with PostgreSQL's client.")


def _failed(name: str, said: str) -> BadBackup:
    """Return the error with the first words of what a program said, and what to do where we know it."""
    advice = [do.format(**found.groupdict()) for pattern, do in _WHAT_TO_DO if (found := re.search(pattern, said))]
    return BadBackup(" ".join([f"{name} failed: {said.strip()[:300]}", *advice]))


def _environment() -> dict[str, str]:
    return os.environ | as_environment() | {"LC_ALL": "C.UTF-8"}


def as_environment() -> dict[str, str]:
    """Return how Django connects as the variables that programs of PostgreSQL read.

    What has no variable, such as keepalives, does not decide which database is meant.
    """
    given = connection.get_connection_params()
    if given.get("options") == env_database.SESSION_OPTIONS:
        del given["options"]  # time limits of pages
    variables = {
        option.keyword.decode(): option.envvar.decode() for option in pq.Conninfo.get_defaults() if option.envvar
    }
    return {variables[name]: str(value) for name, value in given.items() if name in variables and value is not None}
