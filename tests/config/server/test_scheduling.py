"""A worker and its threads run after pages and on one core; no other process of the machine is changed."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

import migrated_database
from config.server import scheduling
from worker_processes import Processes

pytestmark = [pytest.mark.no_database, pytest.mark.faults]


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    here = {name: value for name, value in os.environ.items() if name not in ("WORKER_NICE", "CELERY_BROKER_URL")}
    here |= {"DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": "", "TMPDIR": str(tmp_path)}
    here |= migrated_database.make_site(tmp_path)
    processes = Processes(here)
    yield processes
    processes.end()


@pytest.mark.parametrize(("wanted", "more"), [(10, {}), (12, {"WORKER_NICE": "12"})])
def test_a_worker_gives_way_and_whoever_started_it_does_not(
    processes: Processes, wanted: int, more: dict[str, str]
) -> None:
    own = os.getpriority(os.PRIO_PROCESS, 0)
    worker = processes.worker(4, **more)
    until = time.monotonic() + 60
    while (found := os.getpriority(os.PRIO_PROCESS, worker.pid)) != min(19, own + wanted):
        assert worker.poll() is None
        assert time.monotonic() < until, found
        time.sleep(0.2)
    assert os.getpriority(os.PRIO_PROCESS, 0) == own


THREADS = """
import os
from concurrent.futures import ThreadPoolExecutor
import django
django.setup()
from config.server import scheduling
before = os.getpriority(os.PRIO_PROCESS, 0)
scheduling.lower_priority()
with ThreadPoolExecutor(1) as threads:
    print(threads.submit(os.getpriority, os.PRIO_PROCESS, 0).result() - before)
"""
"""What a thread that starts afterwards has taken over; where a process has one niceness, that is it."""


POLICY = """
import os
from concurrent.futures import ThreadPoolExecutor
import django
django.setup()
from config.server import scheduling
scheduling.lower_priority()
with ThreadPoolExecutor(1) as threads:
    print(os.sched_getscheduler(0), threads.submit(os.sched_getscheduler, 0).result())
"""
"""How the system treats a process, and a thread that it starts afterwards."""

WEIGHED = scheduling.SESSIONS_ARE_WEIGHED.is_file() and scheduling.SESSIONS_ARE_WEIGHED.read_text().strip() == "1"


@pytest.mark.parametrize(
    ("more", "left_only"), [({}, True), ({"WORKER_TAKES_WHAT_IS_LEFT": "off"}, False), ({"WORKER_NICE": "0"}, False)]
)
def test_a_worker_takes_what_is_left_where_its_session_keeps_a_share(
    processes: Processes, more: dict[str, str], left_only: bool
) -> None:
    policies = {thread: os.sched_getscheduler(int(thread)) for thread in os.listdir("/proc/self/task")}
    done = subprocess.run(
        [sys.executable, "-c", POLICY],
        env=processes.environment | more,
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        start_new_session=True,
    )
    wanted = os.SCHED_IDLE if left_only and WEIGHED else os.SCHED_OTHER
    assert done.stdout.split() == [str(wanted)] * 2, done.stderr
    assert policies == {thread: os.sched_getscheduler(int(thread)) for thread in policies}


@pytest.mark.parametrize(
    ("own_session", "weighed", "taken"),
    [(True, "1", True), (True, "0", False), (True, None, False), (False, "1", False)],
)
def test_nothing_waits_for_whoever_would_be_left_with_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, own_session: bool, weighed: str | None, taken: bool
) -> None:
    """Without a share of its own a worker comes last behind everything on the machine."""
    policies: list[int] = []
    monkeypatch.setattr(settings, "WORKER_NICE", 10)
    monkeypatch.setattr(os, "nice", lambda more: more)
    monkeypatch.setattr(os, "getsid", lambda process: os.getpid() if own_session else 1)
    monkeypatch.setattr(os, "sched_setscheduler", lambda process, policy, more: policies.append(policy))
    monkeypatch.setattr(scheduling, "SESSION_WEIGHT", tmp_path / "autogroup")
    monkeypatch.setattr(scheduling, "SESSIONS_ARE_WEIGHED", tmp_path / "weighed")
    if weighed is not None:
        (tmp_path / "weighed").write_text(f"{weighed}\n")
    scheduling.lower_priority()
    assert policies == ([os.SCHED_IDLE] if taken else [])


def test_threads_that_start_afterwards_take_it_over(processes: Processes) -> None:
    here = processes.environment | {"WORKER_NICE": "3"}
    told = subprocess.run(
        [sys.executable, "-c", THREADS], env=here, cwd=settings.BASE_DIR, capture_output=True, text=True
    )
    room = 19 - os.getpriority(os.PRIO_PROCESS, 0)
    assert told.stdout.split() == [str(min(3, room))], told.stderr


def test_none_is_taken_where_none_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    monkeypatch.setattr(os, "nice", taken.append)
    monkeypatch.setattr(settings, "WORKER_NICE", 0)
    scheduling.lower_priority()
    assert taken == []


CORE = """
import os
import sys
from concurrent.futures import ThreadPoolExecutor
import django
django.setup()
from config.server import scheduling
core = scheduling.stay_on_one_core()
with ThreadPoolExecutor(1) as threads:
    print(core, *threads.submit(os.sched_getaffinity, 0).result())
sys.stdout.flush()
sys.stdin.read()
"""
"""The core of a process, then those that a thread started afterwards may use; it lives until its input ends."""

CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
several_cores = pytest.mark.skipif(len(CORES) < 2, reason="needs Linux and two cores")


def stay(processes: Processes, **more: str) -> "subprocess.Popen[str]":
    """A process that stays on one core, and has said which."""
    return subprocess.Popen(
        [sys.executable, "-c", CORE],
        env=processes.environment | more,
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@several_cores
def test_each_worker_keeps_its_threads_on_a_core_of_its_own_until_it_ends(processes: Processes) -> None:
    workers = [stay(processes, WORKER_ONE_CORE="on") for _ in CORES]
    said = [worker.stdout.readline().split() for worker in workers if worker.stdout]
    assert [core for core, _ in said] == [allowed for _, allowed in said]
    assert sorted(int(core) for core, _ in said) == CORES
    one_too_many = stay(processes, WORKER_ONE_CORE="on")
    assert one_too_many.communicate("")[0].split() == ["None", *map(str, CORES)]
    workers[0].communicate("")
    assert stay(processes, WORKER_ONE_CORE="on").communicate("")[0].split() == said[0]
    for worker in workers[1:]:
        worker.communicate("")


@several_cores
def test_off_means_that_the_system_chooses_the_core(processes: Processes) -> None:
    off = stay(processes, WORKER_ONE_CORE="off").communicate("")[0]
    assert off.split() == ["None", *map(str, CORES)]


def test_a_system_without_affinity_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "WORKER_ONE_CORE", True)
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    assert scheduling.stay_on_one_core() is None
