"""Thirty people label two hundred items to the end, and a reviewer decides the disputes, while everything is killed
(threats F33, F40).

The site runs as `serve` runs it, with a PostgreSQL and a Redis of its own. What must come out is computed here from the
labels alone, with other code than the site's.
"""

import hashlib
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings as site

import migrated_database
from postgresql_cluster import program
from redis_server import Redis
from site_visitors import Crowd, Visitor
from worker_processes import (
    Console,
    Processes,
    environment,
    free_port,
    kill,
    listens,
    wait_until,
    wait_until_none_left,
)
from wrong_clock import Clock

pytestmark = [
    pytest.mark.faults,
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(
        not (program("initdb") and shutil.which("redis-server")) and not os.environ.get("CI"),
        reason="the programs of PostgreSQL's and Redis's servers are not installed",
    ),
]

ITEMS, PEOPLE, SEATS = 200, 30, 3
BETWEEN_FAULTS = 15
"""Labels that are confirmed before the next fault."""
A_FAULT = 42
"""Labels that people may send for each fault, so that however long faults take, some are left for the last one."""
INCOMING = 6_000
"""Rows of the file that is imported and released meanwhile: too many for a page that waits, in bytes and in number."""


class Voter(Visitor):
    """Somebody who reads before answering and keeps to what may be sent, until everybody hurries.

    The answers differ from seat to seat, so that about a fifth of the items end in a dispute.
    """

    THINKS = 4.0
    hurry = threading.Event()
    may_send = threading.Semaphore(0)

    def category(self, action: str) -> str:
        self.hurry.wait(self.THINKS)
        while not (self.hurry.is_set() or self.stop.is_set() or self.may_send.acquire(timeout=0.2)):
            pass
        return str(hashlib.sha256(action.encode()).digest()[0] % 3)

    def _ask(self, method: str, path: str, fields: dict[str, str] | None) -> tuple[int, str | None, str]:
        """Take a redirect for the receipt that it is: the label is stored, and nothing is left to label."""
        status, wait, text = super()._ask(method, path, fields)
        if status == 302 and method == "POST":
            self.stop.wait(1)
            return 200, wait, "no form"
        if status == 200 and method == "GET":
            self.stop.wait(0.2)
        return status, wait, text


class Reviewer(threading.Thread):
    """Decides one dispute after the other by the API, and sends a decision again until it is acknowledged."""

    def __init__(self, port: int, slug: str, token: str) -> None:
        super().__init__(daemon=True)
        self.base, self.token = f"http://127.0.0.1:{port}/api/v1/projects/{slug}/disputes/", token
        self.stop = threading.Event()
        self.decided: dict[str, int] = {}
        self.odd: list[tuple[int, str]] = []
        self.doing = "nothing yet"

    def run(self) -> None:
        while not self.stop.is_set():
            status, dispute = self._patiently("next/", {})
            if status != 200:
                time.sleep(0.5)
                continue
            category = len(self.decided) % 3
            decision = {
                "ruling": "decide",
                "version": dispute["version"],
                "key": str(uuid4()),
                "rationale": "Read again, in peace.",
                "category": category,
            }
            if self._patiently(f"{dispute['id']}/decision/", decision)[0] == 200:
                self.decided[dispute["id"]] = category

    def _patiently(self, path: str, values: dict[str, Any]) -> tuple[int, Any]:
        """Return status and answer; the same request is sent again while the site is away."""
        began = time.monotonic()
        while True:
            self.doing = f"asks {path} since {time.monotonic() - began:.0f} s"
            request = urllib.request.Request(
                self.base + path,
                json.dumps(values).encode(),
                {"Authorization": f"Token {self.token}", "Content-Type": "application/json"},
            )
            try:
                with urllib.request.urlopen(request, timeout=90) as answer:
                    return answer.status, json.loads(answer.read() or b"null")
            except urllib.error.HTTPError as refused:
                if refused.code != 503:
                    self.odd.append((refused.code, f"{path} {refused.read()[:300]!r}"))
                    return refused.code, None
            except (OSError, http.client.HTTPException, ValueError):
                pass  # no answer, or half of one
            if self.stop.is_set():
                return 0, None
            time.sleep(0.3)


class Site:
    """The site as `serve` runs it, and ways to hurt it."""

    def __init__(self, folder: Path) -> None:
        self.cluster, self.redis, self.port = migrated_database.cluster(), Redis(), free_port()
        tests = f"{site.BASE_DIR}:{site.BASE_DIR / 'tests/support'}"
        self.processes = Processes(
            environment(
                folder,
                f"redis://127.0.0.1:{self.redis.port}/0",
                REDIS_URL=f"redis://127.0.0.1:{self.redis.port}/1",
                DATABASE_URL=self.cluster.url,
                RATE_LIMITED="off",
                RUN_BELL_SECONDS="3",
                PYTHONPATH=tests,
            )
        )
        self.serve: subprocess.Popen[bytes] | None = None

    @cached_property
    def console(self) -> Console:
        return self.processes.console("faulty_site")

    def start(self) -> None:
        self.serve = self.processes.start("manage.py", "serve", f"127.0.0.1:{self.port}", "--threads", "8")
        wait_until(lambda: listens(self.port), "the web server", 60)

    def ran(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            env=self.processes.environment,
            cwd=site.BASE_DIR,
            capture_output=True,
            text=True,
            timeout=180,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    def called(self, name: str, *values: object) -> Any:
        """Call a function of `faulty_site` in a process of the site, and return its answer."""
        return self.console.call(name, *values)

    def asked(self, sql: str) -> list[tuple[Any, ...]]:
        with self.cluster.connect() as server:
            return server.execute(sql).fetchall()

    def below(self) -> dict[int, str]:
        """Return the command lines of all processes of the site by their ids."""
        assert self.serve is not None
        listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
        rows = [line.split(None, 2) for line in listed.splitlines()]
        below: dict[int, str] = {}
        heads = {self.serve.pid}
        while heads:
            next_ones = {int(pid): args for pid, parent, args in rows if int(parent) in heads and int(pid) not in below}
            below |= next_ones
            heads = set(next_ones)
        return below

    def kill_one(self, words: str, *, leader: bool) -> None:
        """Kill -9 one process of that kind: the leader (the oldest) or one that it started (the youngest)."""
        wait_until(lambda: any(words in args for args in self.below().values()), words, 60)
        pids = sorted(pid for pid, args in self.below().items() if words in args)
        os.kill(pids[0] if leader else pids[-1], signal.SIGKILL)

    def remove(self) -> None:
        if self.serve is not None:
            kill(self.serve)
        self.processes.end()
        time.sleep(0.5)
        self.redis.remove()
        self.cluster.remove()


# ── The test ──────────────────────────────────────────────────────────────────


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path)
    try:
        yield made
    finally:
        made.remove()


def test_everybody_is_killed_and_every_item_ends_with_exactly_k_labels(
    running: Site, record_property: Callable[[str, object], None]
) -> None:
    made = running.called("fill", ITEMS, PEOPLE)
    running.start()
    crowd = Crowd(running.port, made, Voter)
    reviewer = Reviewer(running.port, "drain", made["token"])
    reviewer.start()
    clocks = [Clock(Path(running.processes.environment["TMPDIR"]), ahead) for ahead in (3600, -3600)]
    for clock in clocks:
        running.processes.worker(4, "--without-mingle", **clock.environment)
    running.ran("manage.py", "compute_priors", "drain", "--no-wait", "--json")
    faults = Counter(dict.fromkeys(["clock an hour off"] * len(clocks), len(clocks)))
    upload_id = running.called("upload", INCOMING)
    for name, fault in _faults(running, upload_id):
        Voter.may_send.release(A_FAULT)
        crowd.labels(BETWEEN_FAULTS, seconds=240)
        fault()
        faults[name] += 1
    Voter.hurry.set()
    wait_until_none_left(lambda: _count(running, "stage = 'labelling'"), "labelling")
    crowd.go_home()
    wait_until_none_left(lambda: _undecided(running, reviewer), "decisions")
    reviewer.stop.set()
    wait_until(lambda: _release_is_done(running), "the import and the release to end", 180)
    reviewer.join(100)
    assert (crowd.odd, reviewer.odd) == ([], [])
    _check_labels(running, crowd)
    _check_decisions(running, reviewer)
    _check_background_work(running)
    for slug in ("drain", "incoming"):
        running.ran("manage.py", "audit", slug, "--json")  # ends with an error where something does not fit
    for name, times in sorted(faults.items()):
        record_property(name, times)
    record_property("labels acknowledged / stored", f"{len(crowd.acknowledged)} / {ITEMS * SEATS}")
    record_property("connections broken", sum(visitor.broken for visitor in crowd.visitors))


def _faults(running: Site, upload_id: int) -> list[tuple[str, Callable[[], None]]]:
    """Return the faults in their order, with their names."""

    def database() -> None:
        running.cluster.stop()
        time.sleep(2)
        running.cluster.start()

    def broker() -> None:
        running.redis.kill()
        time.sleep(3)
        running.redis.start()

    def supervisor() -> None:
        assert running.serve is not None
        running.serve.kill()
        running.serve.wait()
        wait_until(lambda: not listens(running.port), "its processes to end", 30)
        running.start()

    def deploy() -> None:
        assert running.serve is not None
        running.serve.send_signal(signal.SIGUSR2)

    def inside_the_import() -> None:
        wait_until(lambda: _import_state(running) == "checked", "the file to be checked", 120)
        assert running.called("store", upload_id)
        wait_until(lambda: _import_state(running) in ("importing", "done"), "the import to begin", 60)
        running.kill_one("celery", leader=True)

    def inside_the_release() -> None:
        wait_until(lambda: _import_state(running) == "done", "the import to end", 180)
        running.called("order")
        wait_until(lambda: _states(running, "annotation_releaseorder") != {"queued"}, "the release to begin", 60)
        running.kill_one("celery", leader=True)

    return [
        ("kill -9 of a web process", lambda: running.kill_one("gunicorn", leader=False)),
        ("kill -9 of the worker", lambda: running.kill_one("celery", leader=True)),
        ("kill -9 of beat", lambda: running.kill_one("celery", leader=False)),
        ("database stopped at once", database),
        ("FLUSHALL", running.redis.flush),
        ("kill -9 of the worker inside an import", inside_the_import),
        ("kill -9 of the web server", lambda: running.kill_one("gunicorn", leader=True)),
        ("broker killed", broker),
        ("new code loaded under load", deploy),
        ("kill -9 of the worker inside a release", inside_the_release),
        ("FLUSHALL", running.redis.flush),
        ("database stopped at once", database),
        ("kill -9 of serve", supervisor),
    ]


def _count(running: Site, where: str) -> int:
    items = "annotation_item i JOIN annotation_project p ON p.id = i.project_id"
    return int(running.asked(f"SELECT count(*) FROM {items} WHERE p.slug = 'drain' AND {where}")[0][0])


def _undecided(running: Site, reviewer: Reviewer) -> int:
    """Return the number of disputes. Fails if the reviewer met something that ends its work."""
    assert reviewer.is_alive() and not reviewer.odd, (reviewer.doing, reviewer.odd)
    return _count(running, "stage = 'disputed'")


def _import_state(running: Site) -> str:
    return str(running.asked("SELECT state FROM annotation_import")[0][0])


def _states(running: Site, table: str) -> set[str]:
    return {str(state) for (state,) in running.asked(f"SELECT DISTINCT state FROM {table}")}


def _release_is_done(running: Site) -> bool:
    return _states(running, "annotation_releaseorder") == {"done"}


def _check_labels(running: Site, crowd: Crowd) -> None:
    """Every acknowledged label is stored once, and every item has exactly three, of three people."""
    rows = running.asked(
        "SELECT i.public_id, s.annotator_id, l.client_key, c.code, i.stage, ic.code "
        "FROM annotation_label l JOIN annotation_seat s ON s.id = l.seat_id JOIN annotation_item i ON i.id = s.item_id "
        "JOIN annotation_project p ON p.id = i.project_id "
        "LEFT JOIN annotation_category c ON c.id = l.category_id "
        "LEFT JOIN annotation_category ic ON ic.id = i.category_id WHERE p.slug = 'drain'"
    )
    keys = [str(key) for _item, _person, key, *_ in rows]
    assert len(keys) == len(set(keys)) == ITEMS * SEATS
    assert set(crowd.acknowledged) <= set(keys)
    people, codes, results = defaultdict(set), defaultdict(list), {}
    for item, person, _key, code, stage, final in rows:
        people[item].add(person)
        codes[item].append(code)
        results[item] = (stage, final)
    assert len(people) == ITEMS and {len(each) for each in people.values()} == {SEATS}
    for item, votes in codes.items():
        code, most = Counter(votes).most_common(1)[0]
        if 2 * most > SEATS:
            assert results[item] == ("gold", code), (item, votes, results[item])


def _check_decisions(running: Site, reviewer: Reviewer) -> None:
    """Every item without a majority was decided once, as the reviewer decided it."""
    rows = running.asked(
        "SELECT i.public_id, i.stage, c.code FROM annotation_adjudication a JOIN annotation_item i ON i.id = a.item_id "
        "JOIN annotation_category c ON c.id = a.category_id"
    )
    stored = {str(item): code for item, _stage, code in rows}
    assert len(rows) == len(stored) and {stage for _item, stage, _code in rows} == {"gold"}
    assert {item: stored.get(item) for item in reviewer.decided} == reviewer.decided
    assert len(stored) >= 20
    assert _count(running, "i.stage = 'gold'") == ITEMS


def _check_background_work(running: Site) -> None:
    """The import is whole, its one release has the files of its manifest, and every prior is there."""
    imported = "FROM annotation_item i JOIN annotation_project p ON p.id = i.project_id WHERE p.slug = 'incoming'"
    assert running.asked(f"SELECT count(*), count(DISTINCT external_id) {imported}") == [(INCOMING, INCOMING)]
    ((items, folder, manifest),) = running.asked("SELECT items, folder, manifest FROM annotation_release")
    assert items == INCOMING
    var = Path(running.processes.environment["VAR_DIR"])
    root = next(path for path in var.rglob("releases") if path.is_dir())
    for file in manifest["files"]:
        assert hashlib.sha256((root / folder / file["path"]).read_bytes()).hexdigest() == file["sha256"]
    wait_until(lambda: _states(running, "runs_run") == {"succeeded"}, "the priors", 90)
    assert running.asked("SELECT count(*), count(DISTINCT item_id) FROM annotation_prior")[0][1] == ITEMS
