"""Faults of database and web server with real processes, while people label (threats F11-F13, F23)."""

import http.client
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings as site
from django.db import OperationalError, connection
from django.test import RequestFactory

import migrated_database
from annotation.core.transactions import TRIES, short_transaction
from annotation.models import Label, Membership
from builders import make_member, make_project
from concurrency import at_once
from config.server import supervisor
from config.web import error_pages
from postgresql_cluster import Cluster, program
from site_visitors import Crowd, fill
from worker_processes import Processes, environment, free_port, kill, listens, wait_until, wait_until_none_left
from wrong_clock import Clock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.faults, pytest.mark.slow]
own_cluster = pytest.mark.skipif(not program("initdb"), reason="PostgreSQL's server programs are not installed")
HANGS = 30
"""Seconds after which a page hangs, however busy the machine is: the site itself gives up after a few."""


def of_site(folder: Path, **more: str) -> Processes:
    """Processes of a site that keeps its files in the folder."""
    tests = f"{site.BASE_DIR}:{site.BASE_DIR / 'tests/support'}"
    return Processes(
        environment(folder, "filesystem://", RATE_LIMITED="off", RUN_BELL_SECONDS="2", PYTHONPATH=tests, **more)
    )


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    made = of_site(tmp_path)
    yield made
    made.end()


@pytest.fixture(scope="module")
def migrated() -> Iterator[Cluster]:
    """A server of these tests' own with the site's tables."""
    made = migrated_database.cluster()
    yield made
    made.remove()


@pytest.fixture
def cluster(migrated: Cluster, processes: Processes) -> Cluster:
    """That server, which all processes of the test use."""
    processes.environment["DATABASE_URL"] = migrated.url
    return migrated


def ran(processes: Processes, *arguments: str) -> str:
    """What a Python program says that ends well."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env=processes.environment,
        cwd=site.BASE_DIR,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def filled(processes: Processes, slug: str, items: int, people: int) -> dict[str, Any]:
    """A project of the crowd's in the database of the processes."""
    said = ran(
        processes,
        "-c",
        f"import django; django.setup(); import site_visitors as people; people.main({slug!r}, {items}, {people})",
    )
    found = json.loads(said.splitlines()[-1])
    assert isinstance(found, dict)
    return found


def serving(processes: Processes, **more: str) -> "tuple[subprocess.Popen[bytes], int]":
    """The site's web server as it is run, and its port."""
    port = free_port()
    web = processes.start(*supervisor.web_command(f"127.0.0.1:{port}")[1:], **more)
    wait_until(lambda: listens(port), "the web server", 60)
    return web, port


def asked(port: int, path: str, session: str) -> tuple[int, str | None, float]:
    """Status, Retry-After and seconds of a page."""
    began = time.monotonic()
    server = http.client.HTTPConnection("127.0.0.1", port, timeout=90)
    server.request("GET", path, headers={"Cookie": f"sessionid={session}"})
    answer = server.getresponse()
    answer.read()
    server.close()
    return answer.status, answer.headers["Retry-After"], time.monotonic() - began


def worked_off(cluster: Cluster, processes: Processes, slug: str) -> None:
    """The worker that was there all the time performs new runs."""
    ran(processes, "manage.py", "compute_priors", slug, "--no-wait", "--json")

    states: dict[str, int] = {}

    def left() -> int:
        nonlocal states
        try:
            with cluster.connect() as server:
                states = dict(server.execute("SELECT state, count(*) FROM runs_run GROUP BY state").fetchall())
        except psycopg.OperationalError:  # the site itself may hold every connection for a moment
            return -1
        return sum(number for state, number in states.items() if state != "succeeded")

    wait_until_none_left(left, "runs of the priors")
    assert set(states) == {"succeeded"}


# ── The database ──────────────────────────────────────────────────────────────


@own_cluster
@pytest.mark.once
def test_f11_no_acknowledged_label_is_lost_when_the_database_stops_at_once(
    cluster: Cluster, processes: Processes
) -> None:
    made = filled(processes, "stopped", 400, 40)
    _web, port = serving(processes)
    processes.sweeper()
    processes.worker()
    crowd = Crowd(port, made)
    crowd.labels(100)
    cluster.stop()
    wait_until(lambda: len(crowd.away) >= 20, "people to be told", 90)
    cluster.start()
    crowd.labels(100)
    crowd.go_home()
    assert crowd.odd == []
    assert {wait for _seconds, wait in crowd.away} == {"10"}
    assert max(seconds for seconds, _wait in crowd.away) <= HANGS
    with cluster.connect() as server:
        stored = {str(key) for (key,) in server.execute("SELECT client_key FROM annotation_label")}
    assert len(crowd.acknowledged) == len(set(crowd.acknowledged))
    assert set(crowd.acknowledged) <= stored
    worked_off(cluster, processes, "stopped")


@own_cluster
@pytest.mark.once
def test_f12_with_all_connections_taken_pages_are_503_and_everything_recovers(
    cluster: Cluster, processes: Processes
) -> None:
    made = filled(processes, "starved", 20, 1)
    page, (session,) = f"/p/{made['slug']}/label/", made["sessions"]
    cluster.stop(signal.SIGINT)
    cluster.start(max_connections=20)
    with ExitStack() as clients:
        refused = 0
        for _ in range(60):
            try:
                clients.enter_context(cluster.connect())
            except psycopg.OperationalError:
                refused += 1
        assert refused == 40
        _web, port = serving(processes)
        processes.sweeper()
        worker = processes.worker()
        for _ in range(2):
            status, wait, seconds = asked(port, page, session)
            assert (status, wait, seconds <= HANGS) == (503, "10", True)
        time.sleep(3)
        assert worker.poll() is None
    wait_until(lambda: asked(port, page, session)[0] == 200, "the page to be back", 90)
    worked_off(cluster, processes, "starved")
    assert worker.poll() is None


@own_cluster
@pytest.mark.once
def test_f11_a_database_that_takes_no_writes_for_a_moment_is_503_and_nothing_is_lost(
    cluster: Cluster, processes: Processes
) -> None:
    """As after a failover: the old primary is a standby, and goes on answering those who are connected."""
    cluster.stop(signal.SIGINT)
    cluster.start()  # with as many connections as usual: another test left it few
    ran(processes, "manage.py", "shared_parts", "--adopt")  # another test's site had this database
    made = filled(processes, "read-only", 400, 8)
    _web, port = serving(processes)
    processes.sweeper()
    processes.worker()
    crowd = Crowd(port, made)
    crowd.labels(40)
    take_writes(cluster, False)
    try:
        before = len(crowd.away)
        wait_until(lambda: len(crowd.away) >= before + 24, "people to be told", 90)
    finally:
        take_writes(cluster, True)
    crowd.labels(40)
    crowd.go_home()
    assert crowd.odd == []
    assert {wait for _seconds, wait in crowd.away} == {"10"}
    assert_all_are_stored(cluster, crowd.acknowledged)
    worked_off(cluster, processes, "read-only")
    ran(processes, "manage.py", "audit", "read-only", "--json")


def take_writes(cluster: Cluster, does: bool) -> None:
    """Let the server take writes, or none, from everybody."""
    with cluster.connect() as server:
        server.execute(f"ALTER SYSTEM SET default_transaction_read_only = {'off' if does else 'on'}")
        server.execute("SELECT pg_reload_conf()")


def assert_all_are_stored(cluster: Cluster, acknowledged: list[str]) -> None:
    """Every label that the site has confirmed is there once."""
    with cluster.connect() as server:
        stored = {str(key) for (key,) in server.execute("SELECT client_key FROM annotation_label")}
    assert len(acknowledged) == len(set(acknowledged)) and set(acknowledged) <= stored


PLANNED = {"expires_at", "expire_date", "lease_until", "not_before", "idle_until", "expiry", "due_at", "resume_at"}


@own_cluster
@pytest.mark.once
def test_f33_clocks_of_web_servers_workers_and_beat_that_are_wrong_change_no_moment(
    cluster: Cluster, processes: Processes, tmp_path: Path
) -> None:
    ran(processes, "manage.py", "shared_parts", "--adopt")  # another test's site had this database
    with cluster.connect() as server:
        (began,) = server.execute("SELECT clock_timestamp() - interval '1 hour'").fetchone() or ()
    before = moments_outside(cluster, began)  # of whoever made this database
    made = filled(processes, "clocks", 4_000, 9)  # more than they label before the last of them is asked
    clocks = [Clock(tmp_path, 3600 * hours).environment for hours in (3, -48, 0)]
    ahead, behind, _right = clocks
    crowds = []
    for number, clock in enumerate(clocks):
        _web, port = serving(processes, **clock)
        crowds.append(Crowd(port, {**made, "sessions": made["sessions"][number::3]}))
    processes.sweeper(**behind)
    processes.start("-m", "celery", "-A", "config.celery", "beat", "--pidfile=", "-l", "ERROR", **ahead)
    for clock in (ahead, behind):
        processes.worker(4, "--without-mingle", **clock)
    for crowd in crowds:
        crowd.labels(30)
    for crowd in crowds:
        crowd.go_home()
    worked_off(cluster, processes, "clocks")
    assert [crowd.odd for crowd in crowds] == [[], [], []]
    assert_all_are_stored(cluster, [key for crowd in crowds for key in crowd.acknowledged])
    ran(processes, "manage.py", "audit", "clocks", "--json")  # ends with an error if a label is older than its seat
    assert moments_outside(cluster, began) == before


def moments_outside(cluster: Cluster, began: object) -> list[tuple[str, str]]:
    """Return the columns that hold a moment before `began` or after now; plans do not count."""
    with cluster.connect() as server:
        columns = server.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' "
            "AND data_type = 'timestamp with time zone' AND table_name NOT LIKE 'django_migrations'"
        ).fetchall()
        outside = []
        for table, column in columns:
            ends = f"SELECT min({column}), max({column}) FROM {table} WHERE {column} > '2020-01-01'"
            first, last = server.execute(ends).fetchone() or (None, None)
            (now,) = server.execute("SELECT clock_timestamp()").fetchone() or (None,)
            if first and column not in PLANNED and not (began <= first and last <= now):
                outside.append((str(table), str(column)))
    return outside


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time")
@pytest.mark.parametrize("isolation", ["READ COMMITTED", "REPEATABLE READ"])
def test_f13_of_two_sessions_in_each_others_way_one_is_tried_again(isolation: str) -> None:
    """A deadlock in the first isolation, a serialization failure in the second."""
    project = make_project()
    one, other = make_member(project).pk, make_member(project).pk
    both = threading.Barrier(2)
    tries: list[int] = []

    @short_transaction
    def rename(first: int, second: int) -> None:
        mine = first not in tries
        tries.append(first)
        with connection.cursor() as cursor:
            cursor.execute(f"SET TRANSACTION ISOLATION LEVEL {isolation}")
            cursor.execute("SELECT 1 FROM annotation_membership")
        if isolation == "REPEATABLE READ":
            first = second = one
        if mine and isolation == "REPEATABLE READ":
            both.wait(60)  # both have their view of the rows
        Membership.objects.filter(pk=first).update(quota=first)
        if mine and isolation == "READ COMMITTED":
            both.wait(60)  # both hold what the other wants
        Membership.objects.filter(pk=second).update(quota=first)

    at_once([lambda: rename(one, other), lambda: rename(other, one)])
    assert sorted(tries) in ([one, one, other], [one, other, other])
    assert Membership.objects.filter(quota__isnull=True).count() == (0 if isolation == "READ COMMITTED" else 1)


def test_f13_after_four_tries_in_vain_the_page_is_503() -> None:
    tries = []

    @short_transaction
    def never() -> None:
        tries.append(1)
        raise OperationalError("database is locked") from psycopg.errors.DeadlockDetected()

    try:
        never()
    except OperationalError:
        answer = error_pages.server_error(RequestFactory().post("/"))
    assert (len(tries), answer.status_code, answer["Retry-After"]) == (TRIES, 503, "10")


# ── The web server ────────────────────────────────────────────────────────────


def test_f23_no_acknowledged_label_is_lost_when_the_web_server_is_renewed_or_killed(processes: Processes) -> None:
    made = fill("renewed", 400, 8)
    web, port = serving(processes)
    crowd = Crowd(port, made)
    crowd.labels(40)
    old = children(web.pid)
    web.send_signal(signal.SIGHUP)
    wait_until(lambda: not old & children(web.pid), "new processes", 60)
    crowd.labels(40)
    killed = children(web.pid)
    for pid in killed:
        subprocess.run(["kill", "-9", str(pid)], check=True)
    wait_until(lambda: len(children(web.pid) - killed) == len(killed), "processes in their place", 60)
    crowd.labels(40)
    crowd.go_home()
    kill(web)
    assert crowd.odd == []
    stored = {str(key) for key in Label.objects.values_list("client_key", flat=True)}
    assert len(crowd.acknowledged) == len(set(crowd.acknowledged)) >= 120
    assert set(crowd.acknowledged) <= stored


def children(pid: int) -> set[int]:
    """The processes that this one has begun."""
    return {int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
