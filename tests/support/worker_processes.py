"""Workers, sweepers and brokers as real processes, for tests of faults. They are killed by their own ids only."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

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
CONSOLE = """
import importlib, json, sys, django
django.setup()
from django.db import connections
module, answers = importlib.import_module(sys.argv[1]), sys.stdout
sys.stdout = sys.stderr
for line in sys.stdin:
    name, values = json.loads(line)
    answer = getattr(module, name)(*values)
    connections.close_all()
    print(json.dumps(answer), file=answers, flush=True)
"""
"""Calls functions of a module, one a line. In between it has no connection to the database, which a test may stop."""


class Processes:
    """Processes in groups of their own with one environment; all that are left are ended together."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = dict(environment)
        self._started: list[subprocess.Popen[bytes]] = []

    def start(
        self,
        *arguments: str,
        program: str = sys.executable,
        output: int = subprocess.DEVNULL,
        commands: int | None = None,
        **more: str,
    ) -> "subprocess.Popen[bytes]":
        """Start a Python program, or another one. `more` is added to its environment."""
        process = subprocess.Popen(
            [program, *arguments],
            env=self.environment | more,
            cwd=settings.BASE_DIR,
            start_new_session=True,
            stdin=commands,
            stdout=output,
        )
        self._started.append(process)
        return process

    def worker(self, threads: int = 8, *options: str, **more: str) -> "subprocess.Popen[bytes]":
        """Start a Celery worker with this number of threads."""
        celery = ("-m", "celery", "-A", "config.celery", "worker", "-P", "threads", "-l", "ERROR")
        return self.start(*celery, "-c", str(threads), *options, **more)

    def sweeper(self, **more: str) -> "subprocess.Popen[bytes]":
        """Start a process that does the sweeps of beat, at short intervals."""
        return self.start("-c", SWEEPER, **more)

    def console(self, module: str) -> "Console":
        """Start a process that calls functions of the module."""
        return Console(self.start("-c", CONSOLE, module, output=subprocess.PIPE, commands=subprocess.PIPE))

    def end(self) -> None:
        """Kill all processes that are left."""
        for process in self._started:
            kill(process)
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    pipe.close()


class Console:
    """A process of a site, started once for all calls of a test: starting one takes seconds of the processor."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def call(self, name: str, *values: object) -> Any:
        """Call a function in the process, and return its answer."""
        commands, answers = self._process.stdin, self._process.stdout
        assert commands and answers
        commands.write(json.dumps([name, values]).encode() + b"\n")
        commands.flush()
        answer = answers.readline()
        assert answer, f"{name} failed: its error is among the test's output"
        return json.loads(answer)


def environment(folder: Path, broker: str, **more: str) -> dict[str, str]:
    """Return the environment of a worker on this test's database."""
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


def database_url(name: str = "") -> str:
    """Return the URL of this test's database, or of another one beside it."""
    at = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{name or at['NAME']}"
    return f"postgres://{at['USER']}:{at['PASSWORD']}@{at['HOST']}:{at['PORT']}/{name or at['NAME']}"


def kill(process: "subprocess.Popen[bytes]") -> None:
    """Send SIGKILL to the process and all its children."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port() -> int:
    """Return a port on which nothing listens, and which no connection takes before a server does.

    A port that the system chooses may be that of the next connection that anybody makes. So it is one below those.
    """
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in random.SystemRandom().sample(range(10_000, lowest), 1000):
        with closing(socket.socket()) as probe:
            try:
                probe.bind(("0.0.0.0", port))
            except OSError:
                continue
            return port
    raise AssertionError("a thousand ports are taken")


def listens(port: int) -> bool:
    """Return whether something listens on the port."""
    with closing(socket.socket()) as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until_none_left(left: Callable[[], int], what: str, seconds: float = 120) -> None:
    """Wait until `left` returns 0. Fails with `what` and the number if it stays the same for so many seconds.

    A slow machine takes longer, and fails nothing as long as the number changes.
    """
    number, until = left(), time.monotonic() + seconds
    while number:
        assert time.monotonic() < until, f"{what}: {number} are left, and none was done in {seconds:.0f} s"
        time.sleep(0.2)
        if (now := left()) != number:
            number, until = now, time.monotonic() + seconds


def wait_until(reached: Callable[[], bool], what: str, seconds: float = 90) -> None:
    """Wait until the condition holds. Fails with `what` when the time is over."""
    until = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < until, what
        time.sleep(0.05)
