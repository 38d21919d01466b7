"""Workers, sweepers and brokers of their own as real processes, for tests of faults; killed by their own ids only."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

from django.conf import settings
from django.db import connection

SWEEPER = """
import time, django
django.setup()
from annotation.operations.sweep import sweep
while True:
    sweep()
    time.sleep(0.5)
"""
"""Beat and its sweep twice a second."""


class Processes:
    """Starts processes in groups of their own, all with one environment, and ends what is left of them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = dict(environment)
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str, program: str = sys.executable, **more: str) -> "subprocess.Popen[bytes]":
        """A Python program, or another one; `more` is added to its environment."""
        process = subprocess.Popen(
            [program, *arguments],
            env=self.environment | more,
            cwd=settings.BASE_DIR,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
        )
        self._started.append(process)
        return process

    def worker(self, threads: int = 8, *options: str, **more: str) -> "subprocess.Popen[bytes]":
        """A Celery worker with so many threads."""
        celery = ("-m", "celery", "-A", "config.celery", "worker", "-P", "threads", "-l", "ERROR")
        return self.start(*celery, "-c", str(threads), *options, **more)

    def sweeper(self) -> "subprocess.Popen[bytes]":
        """What beat asks for, often."""
        return self.start("-c", SWEEPER)

    def end(self) -> None:
        """Kill whatever is left."""
        for process in self._started:
            kill(process)


def environment(folder: Path, broker: str, **more: str) -> dict[str, str]:
    """What a worker of this test's database has in its environment."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": database_url(),
        "VAR_DIR": str(folder / "var"),
        "TMPDIR": str(folder),
        "SECRET_KEY": settings.SECRET_KEY,
        "CELERY_BROKER_URL": broker,
        "RUN_LEASE_SECONDS": "3",
        "LOG_LEVEL": "ERROR",
        **more,
    }


def database_url() -> str:
    """The address of this test's database."""
    at = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{at['NAME']}"
    return f"postgres://{at['USER']}:{at['PASSWORD']}@{at['HOST']}:{at['PORT']}/{at['NAME']}"


def kill(process: "subprocess.Popen[bytes]") -> None:
    """SIGKILL to the process and all it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port() -> int:
    """A port that nobody listens on."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    """Whether somebody answers there."""
    with closing(socket.socket()) as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(reached: Callable[[], bool], what: str, seconds: float = 90) -> None:
    """Wait until it holds; fails with `what` when the time is over."""
    until = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < until, what
        time.sleep(0.05)
