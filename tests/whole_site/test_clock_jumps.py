"""The clock of the whole machine jumps while `serve` serves: people label on, sweeps come, nothing is lost (F33)."""

import http.client
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings

import migrated_database
from absent import skip_or_fail
from postgresql_cluster import program
from site_visitors import Crowd, Visitor
from worker_processes import Processes, environment, free_port, listens, wait_until
from wrong_clock import Clock

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.once]


HOUR = 3600


class Reader(Visitor):
    """Somebody who reads a post before answering: a seat is held when the clock jumps, and posts last to the end."""

    def category(self, action: str) -> str:
        self.stop.wait(2)
        return "0"


class Site:
    """A site on one machine. The clock of SQLite jumps with it; that of PostgreSQL is another machine's."""

    def __init__(self, folder: Path, address: str) -> None:
        tests = f"{settings.BASE_DIR}:{settings.BASE_DIR / 'tests/support'}"
        more = {"RATE_LIMITED": "off", "RUN_BELL_SECONDS": "2", "PYTHONPATH": tests, "INTERPLAY_ENV": ""}
        self.clock = Clock(folder)
        urls = {"DATABASE_URL": address, "DJANGO_SETTINGS_MODULE": "settings_with_a_quick_beat"}
        self.processes = Processes(environment(folder, "filesystem://", **more, **urls, **self.clock.environment))
        self.console = self.processes.console("jumping_site")
        self.database_jumps = address.startswith("sqlite")
        self.port = free_port()

    def serve(self) -> None:
        command = ("manage.py", "serve", f"127.0.0.1:{self.port}", "--threads", "4", "--web-workers", "1")
        self.processes.start(*command)
        wait_until(lambda: listens(self.port), "the web server", 90)

    def is_healthy(self) -> bool:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as web:
            web.request("GET", "/healthz")
            return web.getresponse().status == 200


@pytest.fixture(params=["sqlite", "postgresql"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    if request.param == "postgresql":
        if not program("initdb"):
            skip_or_fail("the programs of PostgreSQL's server are not installed")
        cluster = migrated_database.cluster()
        address = cluster.url
    else:
        (tmp_path / "var").mkdir()
        migrated_database.begin_with(tmp_path / "var/interplay.sqlite3")
        address = f"sqlite:///{tmp_path / 'var/interplay.sqlite3'}"
    made = Site(tmp_path, address)
    yield made
    made.processes.end()
    if request.param == "postgresql":
        cluster.remove()


def test_f33_the_clock_of_the_machine_jumps_forward_and_backward_while_people_label(site: Site) -> None:
    call = site.console.call
    made = call("fill", "clocks", 900, 6)
    site.serve()
    crowd = Crowd(site.port, made, Reader)
    crowd.labels(10, seconds=120)
    wait_until(site.is_healthy, "a first sweep", 120)
    for slug, ahead in (("back", -48 * HOUR), ("ahead", 3 * HOUR)):
        before = call("last_sweep")
        site.clock.set(ahead)
        crowd.labels(10, seconds=120)
        call("start_runs", slug)
        wait_until(lambda before=before: call("last_sweep") != before, f"a sweep at {ahead} s", 90)
        wait_until(site.is_healthy, f"the site's health at {ahead} s", 90)  # a sweep tells it at its end
        wait_until(lambda: call("states_of_runs") == ["succeeded"], f"the runs at {ahead} s", 90)
    crowd.go_home()
    assert crowd.odd == []  # nobody was asked to sign in anew, and every form was taken
    keys = call("label_keys")
    assert len(keys) == len(set(keys)) and set(crowd.acknowledged) <= set(keys)
    # What people held when the clock of their database went back is told, and nothing else.
    older = {"it is older than its seat; the clock of a machine was wrong."}
    assert {problem.partition(": ")[2] for problem in call("audit")} == (older if site.database_jumps else set())
