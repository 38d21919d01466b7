"""Two machines serve one site: separate folders, one PostgreSQL, one broker, one bucket.

An import with pictures is killed on one and finished on the other. People label on both, debates run, a release is
built and fetched, a project is purged. A machine of another site does not start, and one that does not see the files
hands its job back.
"""

import hashlib
import io
import os
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.conf import settings as site
from kombu import Connection

import migrated_database
from absent import skip_or_fail
from postgresql_cluster import Cluster, program
from s3_server import S3Server
from site_visitors import Crowd, Visitor
from worker_processes import Console, Processes, environment, free_port, kill, listens, wait_until

pytestmark = [
    pytest.mark.faults,
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(
        not program("initdb") and not os.environ.get("CI"),
        reason="the programs of PostgreSQL's server are not installed",
    ),
]

PICTURES, ITEMS, PEOPLE, SEATS = 40, 16, 4, 3
"""Two people on each machine: those of one alone cannot fill three seats at an item."""
# Rolling upgrades, drains and changes of the key are tried with Redis.
RABBITMQ = "amqp://guest:guest@127.0.0.1:5672//"


class SlowVoter(Visitor):
    """Somebody who says "not hateful" to everything, and waits for a moment where nothing is left."""

    def _ask(self, method: str, path: str, fields: dict[str, str] | None) -> tuple[int, str | None, str]:
        status, wait, text = super()._ask(method, path, fields)
        if status == 302:  # nothing is left, or the receipt of the last label
            self.stop.wait(1)
            return 200, wait, "no form"
        return status, wait, text


class Machine:
    """One machine: a folder of its own, a web server and a worker that a test starts and kills."""

    def __init__(self, folder: Path, broker: str, **shared: str) -> None:
        folder.mkdir()
        tests = f"{site.BASE_DIR}:{site.BASE_DIR / 'tests/support'}"
        self.processes = Processes(
            environment(folder, broker, PYTHONPATH=tests, RATE_LIMITED="off", RUN_BELL_SECONDS="3", **shared)
        )
        self.port = free_port()

    @cached_property
    def console(self) -> Console:
        return self.processes.console("faulty_site")

    def start_web(self) -> None:
        command = ("-m", "gunicorn", "--config", "python:config.server.gunicorn_config", "--workers", "1")
        self.processes.start(*command, "--bind", f"127.0.0.1:{self.port}")

    def done(self, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
        """Run a program of the site on this machine."""
        return subprocess.run(
            [sys.executable, *arguments],
            env=self.processes.environment | more,
            cwd=site.BASE_DIR,
            capture_output=True,
            text=True,
            timeout=600,
        )

    def ran(self, *arguments: str) -> str:
        done = self.done(*arguments)
        assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-2000:]
        return done.stdout

    def called(self, name: str, *values: object) -> Any:
        """Call a function of `faulty_site` on this machine, and return its answer."""
        return self.console.call(name, *values)

    def fetched(self, path: str, session: str) -> bytes:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", headers={"Cookie": f"sessionid={session}"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return bytes(answer.read())


class TwoMachines:
    """Machines A and B, and what they share."""

    def __init__(self, cluster: Cluster, database: str, folder: Path, broker: str, prefix: str) -> None:
        self.cluster, self.database, self.bucket = cluster, database, S3Server()
        self.folder, self.broker = folder, broker
        self.shared = {"DATABASE_URL": _url(cluster, database), "QUEUE_PREFIX": prefix, **self.bucket.environment}
        self.a, self.b = self.machine("a"), self.machine("b")

    def machine(self, name: str, **other: str) -> Machine:
        return Machine(self.folder / name, self.broker, **(self.shared | other))

    @cached_property
    def connection(self) -> "psycopg.Connection[tuple[object, ...]]":
        """One for all questions: many are asked again until something has happened."""
        return self.cluster.connect(self.database)

    def asked(self, sql: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql).fetchall()

    def value(self, sql: str) -> Any:
        return self.asked(sql)[0][0]

    def remove(self) -> None:
        for machine in (self.a, self.b):
            machine.processes.end()
        self.connection.close()
        self.bucket.stop()


def _url(cluster: Cluster, database: str) -> str:
    return f"{cluster.url.rpartition('/')[0]}/{database}"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL of this file's own, with a migrated database that each test gets a copy of."""
    made = migrated_database.cluster()
    yield made
    made.remove()


@pytest.fixture
def site_of_two(tmp_path: Path, cluster: Cluster) -> Iterator[TwoMachines]:
    if not listens(5672):
        skip_or_fail("no RabbitMQ listens on 127.0.0.1:5672")
    database, prefix = "site_of_two", f"test-{uuid4().hex[:8]}"
    with cluster.connect("postgres") as server:
        server.execute(f"CREATE DATABASE {database} TEMPLATE site")
    machines = TwoMachines(cluster, database, tmp_path, RABBITMQ, prefix)
    try:
        yield machines
    finally:
        machines.remove()
        _forget_queues(prefix)


def _forget_queues(prefix: str) -> None:
    with Connection(RABBITMQ) as line:
        for name in ("", "-runs", "-imports", "-releases", "-figures"):
            line.default_channel.queue_delete(f"{prefix}{name}")


def test_what_one_machine_begins_the_other_ends(
    site_of_two: TwoMachines, record_property: Callable[[str, object], None]
) -> None:
    a, b = site_of_two.a, site_of_two.b
    began = time.monotonic()
    made = a.called("fill", ITEMS, PEOPLE)
    _foreign_machines_do_not_start(site_of_two)
    import_id = a.called("upload_pictures", PICTURES)
    _a_machine_without_the_files_hands_back(site_of_two, import_id)
    worker_of_a = a.processes.worker(4)
    _state_becomes(site_of_two, "checked")
    assert a.called("store", import_id)
    wait_until(lambda: len(site_of_two.bucket.keys("pictures/")) > 4, "pictures of a part of the import", 120)
    kill(worker_of_a)
    assert site_of_two.value("SELECT count(*) FROM annotation_picture") == 0
    b.processes.worker(4)
    b.processes.sweeper()
    for machine in (a, b):
        machine.start_web()
    wait_until(lambda: listens(a.port) and listens(b.port), "the web servers", 120)
    record_property("labels on both machines", _campaign(site_of_two, made))
    _state_becomes(site_of_two, "done")
    session = b.called("session")
    record_property("pictures seen on both machines", _pictures_are_seen(site_of_two, session))
    a.processes.worker(4)
    record_property("debates", _debates(site_of_two))
    _release(site_of_two, session)
    for slug in ("drain", "incoming"):
        b.ran("manage.py", "audit", slug, "--json")  # ends with an error where something does not fit
    _purge(site_of_two)
    record_property("seconds", round(time.monotonic() - began))


def _foreign_machines_do_not_start(machines: TwoMachines) -> None:
    """Each difference is said in a sentence; a process that lacks nothing is told so."""
    for machine in (machines.a, machines.b):
        assert '"ok": true' in machine.ran("manage.py", "shared_parts", "--json")
    worker = ("-m", "celery", "-A", "config.celery", "worker", "-P", "solo", "--without-mingle")
    web = ("-m", "gunicorn", "--config", "python:config.server.gunicorn_config", "--bind", f"127.0.0.1:{free_port()}")
    other_key = machines.b.done(*worker, SECRET_KEY="the key of another site " * 3)
    assert other_key.returncode == 1 and "SECRET_KEY is not the one of the other processes" in other_key.stderr
    own_folder = machines.b.done(*web, **dict.fromkeys(machines.bucket.environment, ""))
    assert own_folder.returncode == 1 and "The files of the site are not in MEDIA_ROOT" in own_folder.stderr


def _a_machine_without_the_files_hands_back(machines: TwoMachines, import_id: int) -> None:
    blind = machines.machine("blind", MEDIA_ENDPOINT="http://127.0.0.1:9")
    worker = blind.processes.worker(2)
    problem = "SELECT state, problem FROM annotation_import"
    wait_until(lambda: bool(machines.asked(problem)[0][1]), "the job to be handed back", 120)
    kill(worker)
    assert machines.asked(problem)[0][0] == "uploaded"
    assert "cannot reach the files of this site" in machines.asked(problem)[0][1]
    assert machines.a.called("ring", import_id)


def _state_becomes(machines: TwoMachines, state: str) -> None:
    def reached() -> bool:
        stands = machines.value("SELECT state FROM annotation_import")
        assert stands not in ("failed", "refused", "cancelled"), machines.asked("SELECT * FROM annotation_import")
        return bool(stands == state)

    wait_until(reached, f"the import to be {state}", 180)


def _campaign(machines: TwoMachines, made: dict[str, Any]) -> int:
    """Half of the people label on each machine; their sessions hold on both."""
    sessions = made["sessions"]
    crowds = [
        Crowd(machine.port, {"slug": made["slug"], "sessions": some}, SlowVoter)
        for machine, some in ((machines.a, sessions[::2]), (machines.b, sessions[1::2]))
    ]
    gold = "SELECT count(*) FROM annotation_item i JOIN annotation_project p ON p.id = i.project_id "
    gold += "WHERE p.slug = 'drain' AND i.stage = 'gold'"
    wait_until(lambda: machines.value(gold) == ITEMS, "all items to be labelled", 180)
    for crowd in crowds:
        crowd.go_home()
    acknowledged = [key for crowd in crowds for key in crowd.acknowledged]
    stored = {str(key) for (key,) in machines.asked("SELECT client_key FROM annotation_label")}
    assert [odd for crowd in crowds for odd in crowd.odd] == []
    assert all(crowd.acknowledged for crowd in crowds)
    assert set(acknowledged) <= stored and len(stored) == ITEMS * SEATS
    return len(stored)


def _pictures_are_seen(machines: TwoMachines, session: str) -> int:
    """All rows are there once, and both machines send the bytes of each picture's row."""
    assert machines.asked("SELECT count(*), count(DISTINCT external_id) FROM annotation_item WHERE picture_id > 0") == [
        (PICTURES, PICTURES)
    ]
    rows = machines.asked("SELECT public_id, file_sha256, file, blurred FROM annotation_picture")
    names = machines.bucket.keys("pictures/")
    assert len(rows) == PICTURES and all({file, blurred} <= names for _key, _sha256, file, blurred in rows)
    for key, sha256, *_names in rows[:5]:
        for machine in (machines.a, machines.b):
            assert hashlib.sha256(machine.fetched(f"/media/{key}/", session)).hexdigest() == sha256
    assert machines.bucket.keys("imports/") <= {"imports/walked"}
    return len(rows)


def _debates(machines: TwoMachines) -> int:
    machines.a.ran("manage.py", "run", "arcade", "incoming", "--json")
    states = "SELECT DISTINCT state FROM runs_run"
    wait_until(lambda: machines.asked(states) == [("succeeded",)], "the debates", 180)
    return int(machines.value("SELECT count(*) FROM runs_run"))


def _release(machines: TwoMachines, session: str) -> None:
    """A worker builds it; both machines send the same bytes, which are those of the manifest."""
    machines.a.called("order_from_worker")
    state = "SELECT state FROM annotation_releaseorder"
    wait_until(lambda: machines.value(state) in ("done", "failed"), "the release", 120)
    assert machines.asked("SELECT state, problem FROM annotation_releaseorder") == [("done", "")]
    files = machines.value("SELECT manifest FROM annotation_release")["files"]
    archives = [machine.fetched("/p/incoming/releases/1/all.zip", session) for machine in (machines.a, machines.b)]
    assert archives[0] == archives[1]
    with zipfile.ZipFile(io.BytesIO(archives[0])) as archive:
        for file in files:
            content = archive.read(f"incoming-release-1/{file['path']}")
            assert hashlib.sha256(content).hexdigest() == file["sha256"]
    assert len([file for file in files if file["path"].startswith("pictures/")]) == PICTURES


def _purge(machines: TwoMachines) -> None:
    """Nothing of the project is left, in the bucket or in the folder of a machine; the other project stays."""
    key = machines.value("SELECT public_id FROM annotation_project WHERE slug = 'incoming'")
    machines.a.called("end_project", "incoming")
    gone = "SELECT count(*) FROM annotation_project WHERE slug = 'incoming'"
    wait_until(lambda: machines.value(gone) == 0, "the purge", 120)
    wait_until(lambda: not [name for name in sorted(machines.bucket.keys()) if str(key) in name], "its files", 60)
    left = [path for path in machines.folder.rglob("*") if path.suffix in (".png", ".jpg", ".jsonl", ".zip")]
    assert left == []
    assert machines.value("SELECT count(*) FROM annotation_label") == ITEMS * SEATS
