"""A PostgreSQL cluster that belongs to one test, which may stop or starve it; needs the server's programs."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from worker_processes import free_port, wait_until

_SYSTEM = Path("/usr/lib/postgresql")
_USER = "postgres"
"""The server refuses to run as root, so that a test that does gives it this account."""


def program(name: str, folder: Path | None = None) -> str:
    """Return the path of a program of the server, in this folder if one is given.

    It is empty if the program is not installed, or root has no user to run it as.
    """
    if os.geteuid() == 0 and not any(account.pw_name == _USER for account in pwd.getpwall()):
        return ""
    places = [str(folder)] if folder else [os.environ.get("PATH", ""), *map(str, _SYSTEM.glob("*/bin"))]
    return shutil.which(name, path=os.pathsep.join(places)) or ""


def programs_by_version() -> dict[int, Path]:
    """Return the folders with programs of client and server, by major version: those of the system and of `make`."""
    beside = Path(sys.prefix) / "postgresql"
    folders = [*_SYSTEM.glob("*/bin"), *beside.glob("*/pginstall*/bin")]
    found: dict[int, Path] = {}
    for folder in folders:
        if all(program(name, folder) for name in ("initdb", "postgres", "pg_dump", "pg_restore", "psql")):
            said = subprocess.run([folder / "postgres", "--version"], check=True, capture_output=True, text=True).stdout
            found.setdefault(int(said.partition(") ")[2].partition(".")[0]), folder)
    return found


@contextmanager
def programs_for_the_account() -> Iterator[dict[int, Path]]:
    """Yield the folders of `programs_by_version`, copied to where the account of the server can read them."""
    beside = Path(sys.prefix) / "postgresql"
    copies = Path(tempfile.mkdtemp(prefix="postgresql-"))
    copies.chmod(0o755)
    try:
        if beside.is_dir():
            shutil.copytree(beside, copies / "beside")
        yield {
            version: copies / "beside" / folder.relative_to(beside) if folder.is_relative_to(beside) else folder
            for version, folder in programs_by_version().items()
        }
    finally:
        shutil.rmtree(copies)


def version() -> bytes:
    """Return the version of the server's programs; empty if there are none."""
    postgres = program("postgres")
    return subprocess.run([postgres, "--version"], check=True, capture_output=True).stdout if postgres else b""


class Cluster:
    """One server on a free port with an empty database `site`, or with a copy of what a stopped one had.

    Its programs are those of the system, or those in a folder.
    """

    def __init__(self, files: Path | None = None, programs: Path | None = None) -> None:
        self._files, self._programs = files, programs
        self.folder = tempfile.mkdtemp(prefix="cluster-")
        self.port = free_port()
        self._server: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            shutil.chown(self.folder, _USER)
        self._create()

    def _create(self) -> None:
        if self._files is not None:
            self.copy_files(self._files, Path(self.folder, "data"))
            self.start()
            return
        self._run("initdb", "-D", f"{self.folder}/data", "-A", "trust", "-U", _USER, "--no-sync", "-E", "UTF8")
        self.start()
        with self.connect("postgres") as server:
            server.execute("CREATE DATABASE site")

    @property
    def url(self) -> str:
        """The value of DATABASE_URL."""
        return f"postgres://{_USER}@127.0.0.1:{self.port}/site"

    def connect(self, database: str = "site") -> "psycopg.Connection[tuple[object, ...]]":
        """Return a connection separate from the site's."""
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user=_USER, dbname=database, autocommit=True, connect_timeout=5
        )

    def start(self, **settings: object) -> None:
        """Start the server and wait until it answers."""
        options = [f"-c{name}={value}" for name, value in settings.items()]
        base = ["-D", f"{self.folder}/data", "-p", str(self.port), "-k", self.folder, "-h", "127.0.0.1"]
        self._server = self._begin("postgres", *base, "-clog_min_messages=panic", *options)
        wait_until(self._answers, "PostgreSQL", 60)

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop the server. SIGQUIT is PostgreSQL's immediate stop; it then recovers as after a crash."""
        if self._server is not None:
            self._server.send_signal(how)
            self._server.wait(60)
            self._server = None

    @staticmethod
    def copy_files(source: Path, target: Path) -> None:
        """Copy the files of a stopped server; they stay its account's own."""
        subprocess.run(["cp", "-a", source, target], check=True)

    def remove(self) -> None:
        """Stop the server and delete its files."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self) -> bool:
        try:
            with self.connect("postgres"):
                return True
        except psycopg.OperationalError:
            return False

    def _begin(self, name: str, *arguments: str) -> "subprocess.Popen[bytes]":
        user = _USER if os.geteuid() == 0 else None
        quiet = subprocess.DEVNULL
        return subprocess.Popen(
            [program(name, self._programs), *arguments],
            user=user,
            cwd=self.folder,
            stdout=quiet,
            stderr=quiet,
            env={"PATH": os.defpath},
        )

    def _run(self, name: str, *arguments: str) -> None:
        assert self._begin(name, *arguments).wait(120) == 0, name


class Standby(Cluster):
    """A streaming replica of another server, made as docs/scaling.md says.

    Whatever that one commits can be read here a moment later.
    """

    def __init__(self, primary: Cluster) -> None:
        self._primary = primary
        super().__init__()

    def _create(self) -> None:
        with self._primary.connect() as server:
            server.execute("CREATE ROLE copies REPLICATION LOGIN")
        source = ["-h", "127.0.0.1", "-p", str(self._primary.port), "-U", "copies"]
        options = ["--write-recovery-conf", "--create-slot", "--slot", "interplay"]
        self._run("pg_basebackup", "-D", f"{self.folder}/data", *source, *options, "--checkpoint=fast", "--no-sync")
        self.start(hot_standby_feedback="on")

    def pause(self) -> None:
        """Fall behind: keep what the primary sends, and show none of it."""
        self._recover("pg_wal_replay_pause")

    def resume(self) -> None:
        """Catch up."""
        self._recover("pg_wal_replay_resume")

    def _recover(self, function: str) -> None:
        with self.connect() as server:
            server.execute(f"SELECT {function}()")
