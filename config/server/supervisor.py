"""Run the web server and the worker together: when one ends, all end, and no process is left behind.

`manage.py serve` becomes `python -m config.server.supervisor`, which loads no Django and therefore stays small.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType

_PATIENCE = 10.0
"""Seconds that a process has to end by itself."""


def web_command(address: str, workers: int = 2) -> list[str]:
    """Return the command of the web server: processes × 8 threads, so that a slow page delays nobody else.

    The site is loaded once before the processes fork: they share its memory.
    """
    return [
        *(sys.executable, "-m", "gunicorn", "config.wsgi:application", "--bind", address),
        *("--preload", "--worker-class", "gthread", "--workers", str(workers), "--threads", "8"),
        *("--timeout", "120", "--graceful-timeout", "30", "--keep-alive", "5", "--max-requests", "20000"),
        *("--max-requests-jitter", "2000", "--no-control-socket", "--log-level", "warning"),
    ]


def worker_command(*, threads: int = 64, beat: bool = True, level: str = "WARNING") -> list[str]:
    """Return the command of the worker. Only one worker of a site may have `beat`."""
    return [
        *(
            sys.executable,
            "-m",
            "celery",
            "--quiet",
            "-A",
            "config.celery",
            "worker",
            "-P",
            "threads",
            "-c",
            str(threads),
        ),
        *("--loglevel", level, "--without-gossip", "--without-mingle"),
        *(["-B"] if beat else []),
    ]


def is_free(host: str, port: int) -> bool:
    """Return whether a server could listen there."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


class StopSignal:
    """True once somebody asked the process to end (INT or TERM)."""

    def __init__(self) -> None:
        self.by: int | None = None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.by = number

    def __bool__(self) -> bool:
        return self.by is not None


def run_together(commands: Sequence[Sequence[str]], environ: Mapping[str, str], folder: Path) -> int:
    """Run the commands until one ends or somebody stops us; then end all of them. Return the exit code: 0 if stopped.

    Every command leads a process group of its own, and each group is killed at the end: otherwise Celery's beat, a
    child, outlives a killed worker.
    """
    stopped = StopSignal()
    children = [
        subprocess.Popen(command, start_new_session=True, env=dict(environ), cwd=folder) for command in commands
    ]
    try:
        while not stopped and all(child.poll() is None for child in children):
            time.sleep(0.2)
        return 0 if stopped else 1
    finally:
        _end(children)


def _end(children: Sequence["subprocess.Popen[bytes]"]) -> None:
    for child in children:
        if child.poll() is None:
            child.terminate()
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and any(child.poll() is None for child in children):
        time.sleep(0.1)
    for child in children:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
        child.wait()


def main(arguments: Sequence[str]) -> int:
    """Serve the site on this machine; the environment says which site."""
    parser = argparse.ArgumentParser(prog="config.server.supervisor")
    parser.add_argument("address")
    parser.add_argument("--web-workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=64)
    parser.add_argument("--no-worker", action="store_true")
    options = parser.parse_args(arguments)
    commands = [web_command(options.address, options.web_workers)]
    if not options.no_worker:
        commands.append(worker_command(threads=options.threads))
    print(f"Interplay on http://{options.address}  (Ctrl+C ends it)", file=sys.stderr, flush=True)
    code = run_together(commands, os.environ, Path(__file__).resolve().parents[2])
    if code:
        print("The web server or the worker ended by itself; its last words are above.", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
