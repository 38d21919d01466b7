"""Measure how soon `serve` shows the first page, and the memory of web, worker and beat when nobody asks for anything.

    .venv/bin/python bench/site_start.py [--idle 5] [--json]

`new`: from nothing to the login page, with migration and collected static files as `make run` does them. `existing`:
`serve` again on the same database. Memory is read from the second start: PSS (each shared page is divided by those who
share it) and USS (pages of one process alone) of all processes that `serve` started, from /proc/*/smaps_rollup. Goals:
15 s, 6 s, 300 MB of PSS. DATABASE_URL may name an *empty* PostgreSQL database instead of the SQLite file.
"""

import argparse
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WANTED_NEW, WANTED_EXISTING, WANTED_MB = 15.0, 6.0, 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--idle", type=float, default=5.0, help="seconds before the memory is read")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "WARNING"}
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        began = time.monotonic()
        manage("migrate", "--verbosity", "0")
        manage("collectstatic", "--no-input", "--verbosity", "0", COLLECTING="on")
        with served() as (_, seconds):
            new = time.monotonic() - began
        with served() as (supervisor, seconds):
            memory = idle_memory(supervisor, options.idle)
    figures = {
        "new": {"first_page_seconds": round(new, 1)},
        "existing": {"first_page_seconds": round(seconds, 1)},
        "memory": memory,
        "ok": new <= WANTED_NEW and seconds <= WANTED_EXISTING and memory["pss_mb"] <= WANTED_MB,
    }
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    sys.exit(not figures["ok"])


@contextmanager
def served() -> Iterator[tuple[int, float]]:
    """Start the site. Yield the supervisor's process id, and the seconds until the login page was there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    began = time.monotonic()
    command = [sys.executable, "manage.py", "serve", f"127.0.0.1:{port}"]
    site = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_page(port, site)
        yield site.pid, time.monotonic() - began
    finally:
        site.send_signal(signal.SIGTERM)
        site.wait(timeout=90)


def wait_for_page(port: int, site: "subprocess.Popen[bytes]") -> None:
    """Ask for the login page until it comes. The supervisor holds the socket, so the first request waits for it."""
    for _ in range(600):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        try:
            connection.request("GET", "/accounts/login/")
            response = connection.getresponse()
            assert response.status == 200, response.status
            return
        except OSError:
            if site.poll() is not None:
                raise SystemExit("The site did not start.") from None
            time.sleep(0.05)
        finally:
            connection.close()
    raise SystemExit("There was no page within a minute.")


def idle_memory(supervisor: int, idle: float) -> dict[str, Any]:
    """Return PSS and USS in MB of all processes of the site, in sum and by process."""
    wait_for_worker(supervisor)
    time.sleep(idle)
    processes = {pid: kind_of(pid) for pid in (supervisor, *descendants(supervisor))}
    pages = {pid: rollup(pid) for pid in processes}
    each = [f"{kind} {pages[pid]['Pss']:.0f}" for pid, kind in processes.items()]
    return {
        "pss_mb": round(sum(page["Pss"] for page in pages.values())),
        "uss_mb": round(sum(page["Private_Clean"] + page["Private_Dirty"] for page in pages.values())),
        "each_pss_mb": each,
    }


def wait_for_worker(supervisor: int) -> None:
    """Wait until the worker has started its beat: the last process of a site."""
    for _ in range(600):
        kinds = [kind_of(pid) for pid in descendants(supervisor)]
        if kinds.count("celery") >= 2:
            return
        time.sleep(0.1)
    raise SystemExit("The worker did not start within a minute.")


def descendants(pid: int) -> list[int]:
    """Return the processes below one, at any depth."""
    below: list[int] = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        below += [int(child), *descendants(int(child))]
    return below


def kind_of(pid: int) -> str:
    words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    return next(
        (name for name in ("gunicorn", "celery", "orphans", "supervisor") if any(name in w for w in words)), "?"
    )


def rollup(pid: int) -> Mapping[str, float]:
    """Return the figures of a process's memory in MB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {name: int(rest.split()[0]) / 1024 for name, _, rest in (line.partition(":") for line in lines)}


def manage(*arguments: str, **more: str) -> None:
    run = [sys.executable, "manage.py", *arguments]
    subprocess.run(run, check=True, cwd=ROOT, env=os.environ | more, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
