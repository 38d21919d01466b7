"""A worker gives way to pages: it does and the threads that it starts, and nothing else of the machine."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from config import giving_way
from tests.worker_processes import Processes

pytestmark = [pytest.mark.no_database, pytest.mark.faults]


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    here = {name: value for name, value in os.environ.items() if name not in ("WORKER_NICE", "CELERY_BROKER_URL")}
    here |= {"DJANGO_SETTINGS_MODULE": "config.settings", "VAR_DIR": str(tmp_path), "TMPDIR": str(tmp_path)}
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
from config import giving_way
before = os.getpriority(os.PRIO_PROCESS, 0)
giving_way.to_pages()
with ThreadPoolExecutor(1) as threads:
    print(threads.submit(os.getpriority, os.PRIO_PROCESS, 0).result() - before)
"""
"""What a thread that starts afterwards has taken over; where a process has one niceness, that is it."""


POLICY = """
import os
from concurrent.futures import ThreadPoolExecutor
import django
django.setup()
from config import giving_way
giving_way.to_pages()
with ThreadPoolExecutor(1) as threads:
    print(os.sched_getscheduler(0), threads.submit(os.sched_getscheduler, 0).result())
"""
"""How the system treats a process, and a thread that it starts afterwards."""

WEIGHED = giving_way.SESSIONS_ARE_WEIGHED.is_file() and giving_way.SESSIONS_ARE_WEIGHED.read_text().strip() == "1"


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
    monkeypatch.setattr(giving_way, "SESSION", tmp_path / "autogroup")
    monkeypatch.setattr(giving_way, "SESSIONS_ARE_WEIGHED", tmp_path / "weighed")
    if weighed is not None:
        (tmp_path / "weighed").write_text(f"{weighed}\n")
    giving_way.to_pages()
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
    giving_way.to_pages()
    assert taken == []
