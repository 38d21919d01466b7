"""Workers of one machine, and of several sites, live on one broker (threats F47)."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
from celery.utils.nodenames import default_nodename
from django.conf import settings
from kombu import Connection

import migrated_database
from absent import skip_or_fail
from config.celery import app
from config.queues import Queues, Work
from config.server.worker_node import name_worker, node_name
from worker_processes import Processes, free_port, listens, wait_until

RABBITMQ = "amqp://guest:guest@127.0.0.1:5672//"


def test_a_name_says_site_purpose_process_and_machine():
    name = node_name("lab", ["runs", "imports"])
    site, purpose, process, machine = *name.partition("@")[0].split("."), name.partition("@")[2]
    assert (site, purpose, process.partition("-")[0]) == ("lab", "imports+runs", str(os.getpid()))
    assert machine
    assert node_name("lab", set(Work)).startswith("lab.all.")


def test_two_containers_with_one_host_name_and_process_1_each_have_two_names(monkeypatch):
    monkeypatch.setattr(os, "getpid", lambda: 1)
    assert len({node_name("lab", ["runs"]) for _ in range(50)}) == 50


def test_a_name_that_the_command_gives_stays():
    given = SimpleNamespace(hostname="mine@here")
    name_worker(given, "lab", ["runs"])
    assert given.hostname == "mine@here"
    usual = SimpleNamespace(hostname=default_nodename(""))
    name_worker(usual, "lab", ["runs"])
    assert usual.hostname.startswith("lab.runs.")


def test_nobody_stops_workers_through_the_broker_and_sites_do_not_hear_each_other():
    assert app.conf.worker_enable_remote_control is False
    own = (f"{settings.QUEUES.default}-control", f"{settings.QUEUES.default}-events")
    assert (app.conf.control_exchange, app.conf.event_exchange) == own


class Site:
    """A site on the common broker, in a folder of its own."""

    def __init__(self, folder: Path, prefix: str) -> None:
        folder.mkdir()
        self.folder, self.queues = folder, Queues(prefix)
        own = {"CELERY_BROKER_URL": RABBITMQ, "QUEUE_PREFIX": prefix, "WORKER_ONE_CORE": "off", "LOG_LEVEL": "ERROR"}
        self.processes = Processes({**migrated_database.make_site(folder), **own})

    def consumers(self) -> dict[Work, int]:
        """Return how many workers take from each queue, as the broker says."""
        with Connection(RABBITMQ) as line:
            counts = {}
            for work, name in self.queues.names.items():
                channel = line.channel()
                try:
                    counts[work] = channel.queue_declare(name, passive=True).consumer_count
                except line.channel_errors:  # nobody has declared it yet
                    counts[work] = 0
            return counts

    def asked(self, sql: str) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(self.folder / "interplay.sqlite3", timeout=30)) as database:
            return database.execute(sql).fetchall()

    def is_swept(self) -> bool:
        return bool(self.asked("SELECT part FROM config_pulse WHERE part = 'worker'"))

    def end(self) -> None:
        self.processes.end()
        with Connection(RABBITMQ) as line:
            for name in self.queues.names.values():
                line.default_channel.queue_delete(name)


@pytest.fixture
def sites(tmp_path: Path) -> Iterator[tuple[Site, Site]]:
    if not listens(5672):
        skip_or_fail("no RabbitMQ listens on 127.0.0.1:5672")
    drawn = uuid4().hex[:8]
    both = Site(tmp_path / "a", f"test-{drawn}-a"), Site(tmp_path / "b", f"test-{drawn}-b")
    yield both
    for site in both:
        site.end()


@pytest.mark.slow
@pytest.mark.faults
@pytest.mark.once
def test_f47_three_workers_of_one_site_and_another_site_share_a_broker_and_a_machine(sites: tuple[Site, Site]) -> None:
    one, two = sites
    debates = one.processes.worker(2, WORKER_QUEUES="runs")
    others = one.processes.worker(2, "-B", WORKER_QUEUES="imports,releases,figures,rest")
    one.processes.worker(2, WORKER_QUEUES="runs,imports")
    two.processes.start("manage.py", "serve", f"127.0.0.1:{free_port()}", "--threads", "2", "--web-workers", "1")
    make = shutil.which("make")
    assert make
    two.processes.start("-o", ".venv/ready", "worker", program=make)  # as an operator types it, beside `serve`
    shared = dict.fromkeys(Work, 1) | {Work.RUNS: 2, Work.IMPORTS: 2}
    wait_until(lambda: one.consumers() == shared, "the three workers of the one site", 240)
    wait_until(lambda: two.consumers() == dict.fromkeys(Work, 2), "the two workers of the other site", 240)
    wait_until(lambda: one.is_swept() and two.is_swept(), "each site's messages to reach its own workers", 120)
    prefixes = {site.queues.default for site in sites}
    for site in sites:
        wait_until(lambda site=site: len(site.asked(READ)) >= 2, "workers to tell what they read", 60)
        named = " ".join(queues for (queues,) in site.asked(READ))
        assert not any(prefix in named for prefix in prefixes - {site.queues.default})
    others.terminate()
    assert others.wait(90) == 0
    left = {Work.RUNS: 2, Work.IMPORTS: 1, Work.RELEASES: 0, Work.FIGURES: 0, Work.REST: 0}
    wait_until(lambda: one.consumers() == left, "the broker to know that one worker went", 30)
    assert debates.poll() is None
    assert two.consumers() == dict.fromkeys(Work, 2)


READ = "SELECT queues FROM runs_workerload WHERE queues LIKE '%test-%'"
