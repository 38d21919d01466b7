"""A release is rolled out while people label: old code and new code on one database, and no request fails.

The old code is the last commit with fewer migrations that starts, or the one that UPGRADE_FROM names. Both web servers
accept from one socket, as where systemd or `serve` holds it; so the new one takes over before the old one is told to
stop. Clients open a connection for each request, as the proxy does, and send nothing twice: a connection that is
refused or cut off counts as a fault.
"""

import http.client
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.db import connection
from django_migration_linter import MigrationLinter

from absent import skip_or_fail
from config.server.gunicorn_config import READY_PIPE
from config.server.supervisor import listening_socket
from postgresql_cluster import Cluster, program
from redis_server import Redis
from site_visitors import Crowd, Visitor
from worker_processes import environment, kill

ROOT = Path(settings.BASE_DIR)
ITEMS, PEOPLE, READERS = 2_000, 4, 2


# ── The rule ──────────────────────────────────────────────────────────────────

LOOSER = ("0008_categories_change_while_people_label", "0007_pauses_of_models", "0023_sealed_columns")
"""They replace a unique constraint by a looser one, or a text of limited length by one without a limit."""


@pytest.mark.django_db(transaction=True)  # an index that is added beside the work is added outside of any
@pytest.mark.skipif(connection.vendor != "postgresql", reason="on SQLite the site is stopped for an upgrade")
def test_the_code_before_a_migration_can_live_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    apps = [path.parent.name for path in ROOT.glob("*/migrations")]
    options = {"include_apps": apps, "no_cache": True, "ignore_initial_migrations": True}
    quiet = ["ok", "ignore", "warning"]  # warnings are of indexes: docs/scaling.md
    linter = MigrationLinter(str(ROOT), quiet=quiet, ignore_name=LOOSER, **options)
    linter.lint_all_migrations()
    assert linter.nb_valid + linter.nb_warnings > 15
    assert not linter.has_errors, capsys.readouterr().out


# ── An upgrade under load ─────────────────────────────────────────────────────


class Client(Visitor):
    """Somebody who labels by way of the proxy: a connection a request, and no second try after a cut one."""

    phase = ""
    rest = 0.2
    """Seconds between two requests, but while a server stops: what is under way then must not be cut."""
    requests: dict[str, int] = {}
    faults: list[str] = []

    def _ask(self, method: str, path: str, fields: dict[str, str] | None) -> tuple[int, str | None, str]:
        self.stop.wait(Client.rest)
        phase = Client.phase
        with closing(self._connection()) as server:
            headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
            if fields is not None:
                headers |= {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"}
            headers |= {"HX-Target": "bench", "Connection": "close"}
            try:
                server.request(method, path, urlencode(fields) if fields else None, headers)
                answer = server.getresponse()
                text = answer.read().decode()
            except (OSError, http.client.HTTPException) as cut:
                Client.faults.append(f"{phase}: {method} {path}: {cut!r}")
                raise
        Client.requests[phase] = Client.requests.get(phase, 0) + 1
        if answer.status >= 500 or answer.status in (400, 403, 404, 409, 422):
            Client.faults.append(f"{phase}: {method} {path}: {answer.status} {text[:300]}")
        for cookie in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer.status, answer.headers["Retry-After"], text


class Reader(threading.Thread):
    """Somebody who reads pages."""

    def __init__(self, client: Client, pages: list[str], stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.client, self.pages, self.stop = client, pages, stop

    def run(self) -> None:
        while not self.stop.is_set():
            for page in self.pages:
                try:
                    self.client._ask("GET", page, None)
                except (OSError, http.client.HTTPException):
                    continue  # counted


class Release:
    """One version of the code, its web server and its worker."""

    def __init__(self, code: Path, environ: dict[str, str], listener: socket.socket) -> None:
        self.code, self.listener = code, listener
        self.started: list[subprocess.Popen[bytes]] = []
        self.environ = environ | {"PYTHONPATH": f"{code}:{code / 'tests/support'}"}

    def ran(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            env=self.environ,
            cwd=self.code,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-2000:]
        return done.stdout

    def web(self) -> "subprocess.Popen[bytes]":
        """Start a web server that accepts from the common socket, and wait until it does."""
        readiness, ready = os.pipe()
        command = ["-m", "gunicorn", "--config", "python:config.server.gunicorn_config", "--workers", "1"]
        server = subprocess.Popen(
            [sys.executable, *command, "--bind", f"fd://{self.listener.fileno()}"],
            env=self.environ | {READY_PIPE: str(ready)},
            cwd=self.code,
            pass_fds=[ready, self.listener.fileno()],
            start_new_session=True,
        )
        self.started.append(server)
        os.close(ready)
        assert os.read(readiness, 16) == b"ready", "the web server did not start"
        os.close(readiness)
        return server

    def worker(self) -> "subprocess.Popen[bytes]":
        command = ["-m", "celery", "-A", "config.celery", "worker", "-P", "threads", "-c", "4", "-B", "-l", "ERROR"]
        worker = subprocess.Popen([sys.executable, *command], env=self.environ, cwd=self.code, start_new_session=True)
        self.started.append(worker)
        return worker


def ended(process: "subprocess.Popen[bytes]") -> int:
    """Ask a process to stop, and return its exit code."""
    process.send_signal(signal.SIGTERM)
    return process.wait(80)


def ended_under_load(process: "subprocess.Popen[bytes]") -> int:
    """Ask a web server to stop while everybody asks it without a pause, and return its exit code."""
    rest, Client.rest = Client.rest, 0.0
    try:
        return ended(process)
    finally:
        Client.rest = rest


def old_commits() -> list[str]:
    """Return the commits to upgrade from, best first: those with fewer migrations, or the one that is named."""
    if named := os.environ.get("UPGRADE_FROM"):
        return log("-1", named)
    return log("-20", f"{log('-1', '--diff-filter=A', '--', '*/migrations/0*.py')[0]}^")


def log(*arguments: str) -> list[str]:
    git = ["git", "log", "--format=%H", *arguments]
    return subprocess.run(git, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()


def starts(code: Path) -> bool:
    """Return whether a commit is whole: one in the middle of a series may lack what the next one adds."""
    apps = [sys.executable, "-c", "import django; django.setup()"]
    environ = os.environ | {"PYTHONPATH": str(code)}
    return subprocess.run(apps, cwd=code, env=environ, capture_output=True, check=False).returncode == 0


@pytest.fixture
def old_code(tmp_path: Path) -> Path:
    for commit in old_commits():
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=False)
        if archive.returncode:
            skip_or_fail("the clone lacks the history: nothing older to upgrade from")
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(tmp_path / commit, filter="data")
        if starts(tmp_path / commit):
            return tmp_path / commit
    pytest.fail("none of the commits before the last migration starts")


@pytest.fixture
def servers() -> Iterator[tuple[Cluster, Redis]]:
    if not (program("initdb") and shutil.which("redis-server")):
        skip_or_fail("the programs of PostgreSQL's and Redis's servers are not installed")
    cluster, redis = Cluster(), Redis()
    yield cluster, redis
    cluster.remove()
    redis.remove()


FILL = "import django; django.setup(); import site_visitors; site_visitors.main('drain', {}, {})"


@pytest.fixture
def releases(old_code: Path, servers: tuple[Cluster, Redis], tmp_path: Path) -> Iterator[tuple[Release, Release]]:
    """The old and the new code, on one database and one listening socket."""
    cluster, redis = servers
    broker = f"redis://127.0.0.1:{redis.port}/0"
    environ = environment(tmp_path, broker, DATABASE_URL=cluster.url, RATE_LIMITED="off", WORKER_NICE="0")
    with closing(listening_socket("127.0.0.1", 0)) as listener:
        listener.listen(2048)
        both = Release(old_code, environ, listener), Release(ROOT, environ, listener)
        yield both
        for process in [*both[0].started, *both[1].started]:
            kill(process)


@pytest.mark.faults
@pytest.mark.once
def test_people_label_on_while_a_release_is_rolled_out(
    releases: tuple[Release, Release],
    servers: tuple[Cluster, Redis],
    record_property: Callable[[str, object], None],
) -> None:
    old, new = releases
    cluster = servers[0]
    old.ran("manage.py", "migrate", "--verbosity", "0")
    filled = json.loads(old.ran("-c", FILL.format(ITEMS, PEOPLE + READERS)).splitlines()[-1])
    Client.requests, Client.faults, Client.phase = {}, [], "old code"
    old_web, old_worker = old.web(), old.worker()
    port = new.listener.getsockname()[1]
    labelling = Crowd(port, {"slug": "drain", "sessions": filled["sessions"][:PEOPLE]}, Client)
    stop = threading.Event()
    readers = [
        Reader(Client(port, "drain", session, stop), ["/", "/p/drain/", "/livez"], stop)
        for session in filled["sessions"][PEOPLE:]
    ]
    for reader in readers:
        reader.start()
    labelling.labels(10)
    Client.phase = "old code, while the migrations run"
    new.ran("manage.py", "migrate", "--verbosity", "0")
    Client.phase = "old code after the migrations"
    labelling.labels(20)
    Client.phase = "both, old worker"
    new_web = new.web()
    labelling.labels(20)
    Client.phase = "the old web server stops"
    assert ended_under_load(old_web) == 0
    labelling.labels(20)
    Client.phase = "the worker is replaced"
    assert ended(old_worker) == 0
    new_worker = new.worker()
    labelling.labels(10)
    for round_number in (1, 2):
        Client.phase = f"rolling restart {round_number}"
        successor = new.web()
        assert ended_under_load(new_web) == 0
        new_web = successor
        labelling.labels(20)
    stop.set()
    labelling.go_home()
    for reader in readers:
        reader.join(60)
    assert [ended(new_worker), ended(new_web)] == [0, 0]
    record_property("from", old.code.name[:7])
    for phase, requests in Client.requests.items():
        record_property(f"requests, {phase}", str(requests))
    assert Client.faults == []
    assert [odd for odd in labelling.odd if odd[0] != 302] == [] and labelling.away == []
    with cluster.connect() as server:
        stored = {str(key) for (key,) in server.execute("SELECT client_key FROM annotation_label")}
    assert len(stored) >= len(labelling.acknowledged) >= 120 and set(labelling.acknowledged) <= stored
    assert '"ok": true' in new.ran("manage.py", "audit", "drain", "--json")


@pytest.mark.faults
@pytest.mark.once
def test_a_migration_steps_back_while_somebody_holds_a_table(servers: tuple[Cluster, Redis], tmp_path: Path) -> None:
    cluster = servers[0]
    environ = environment(tmp_path, "memory://", DATABASE_URL=cluster.url)
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run([*command, "annotation", "0012"], env=environ, cwd=ROOT, check=True, timeout=300)
    with cluster.connect() as holder, cluster.connect() as reader:
        holder.execute("BEGIN; LOCK TABLE annotation_label IN ACCESS SHARE MODE")
        migrating = subprocess.Popen(command, env=environ, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        assert migrating.stderr
        for _try in range(2):
            assert "It is repeated." in (migrating.stderr.readline() + migrating.stderr.readline())
        assert reader.execute("SELECT count(*) FROM annotation_user").fetchone() == (0,)  # nobody waits for ever
        holder.execute("COMMIT")
        assert migrating.wait(120) == 0
        migrating.stderr.close()
        columns = "SELECT column_default FROM information_schema.columns WHERE table_name = 'annotation_user'"
        (default,) = reader.execute(f"{columns} AND column_name = 'tours'").fetchone()
    assert default == "'{}'::jsonb"
