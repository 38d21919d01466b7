"""Measure 256 runs, 64 at a time, with one worker and a model that answers in 200 ms (design section 13).

    .venv/bin/python bench/runs.py [--memory] [--pages] [--json]

The ideal time is that of 64 places that only wait for the model: a run of eight questions in a row takes 8 x 0.2 s, so
64 runs take 1.6 s and 256 runs four times that. `of_ideal` is the ideal time divided by the time from the first run's
creation to the last run's end by the database's clock, including queueing, notifying and claiming. Five figures:

- 256 runs of eight questions, as deep as a debate, with no work between the questions;
- one burst of 64 such runs;
- 256 priors of one question each, where the work around the call weighs most;
- 64 ARCADE debates of three rounds on posts of a project (seven calls: six speeches and the judge): the median of five
  such bursts, since one swings by three hundredths;
- 256 of them.

`cpu_ms_a_call` is the processor time of worker and model server; on a shared machine it is more exact than elapsed
time. Goals: 80 % of the ideal, 75 % for the burst, 60 % for the priors, 87 % for the 64 debates.

`--memory` adds 2,000 runs and compares the worker's memory after the last with that after the first 500 (goal: at most
1.1 times). `--pages` adds pages that eight annotators read, each twice a second, for 20 seconds while the worker is
idle and for 20 seconds while 64 runs are under way. It compares both p95 (goal: at most 1.5 times; worker, database,
readers and web server share one machine here). In production the model server runs elsewhere; here it takes only the
processor time that the others leave.

Model server, worker and web server are separate processes. The script works in a temporary folder; DATABASE_URL may
name an *empty* PostgreSQL database, CELERY_BROKER_URL a broker.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.claim_and_submit import Person, wait_for

AT_ONCE, DELAY, TURNS, DEEP = 64, 0.2, 8, 7
BURSTS = 5
WANTED, WANTED_BURST, WANTED_PRIORS, WANTED_ARCADE = 0.80, 0.75, 0.60, 0.87
MANY, FIRST, WANTED_GROWTH = 2000, 500, 1.1
MEANWHILE = 1024
READERS, THINKING, READING, WANTED_PAGES = 8, 0.5, 20.0, 1.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", action="store_true", help="compare the worker's memory after 500 and 2,000 runs")
    parser.add_argument("--pages", action="store_true", help="measure pages while runs are under way")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        os.environ |= {
            "VAR_DIR": name,
            "TMPDIR": name,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONPATH": str(ROOT),
            "OPENAI_API_KEY": "unused",
            "MODEL_TEXT": "openai:wire-sensible",
            "MODEL_VISION": "openai:wire-sensible",
            "MODEL_CALLS_AT_ONCE": str(AT_ONCE),
            "RUN_BELLS": str(AT_ONCE),
            "RATE_LIMITED": "off",
            "LOG_LEVEL": "WARNING",
        }
        with processes() as (server, worker):
            figures = measured(worker, server)
            if options.memory:
                figures["memory"] = memory(worker)
            if options.pages:
                figures["pages"] = pages()
    figures["ok"] = all(figure.get("ok", True) for figure in figures.values())
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    sys.exit(not figures["ok"])


@contextmanager
def processes(delay: float = DELAY) -> Iterator[tuple[Any, Any]]:
    """Yield a model server that answers after `delay` seconds, and a worker that is ready.

    No figure contains their start.
    """
    server = start("tests/support/wire/server.py", "--port", "0", "--delay", str(delay), stdout=subprocess.PIPE)
    assert server.stdout
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(server.pid, os.SCHED_IDLE, os.sched_param(0))  # each connection's thread inherits it
    os.environ["OPENAI_BASE_URL"] = server.stdout.readline().decode().strip().partition("=")[2]
    manage("migrate", "--verbosity", "0")
    celery = ["-m", "celery", "-A", "config.celery", "worker", "-P", "threads", "-c", str(AT_ONCE)]
    worker = start(*celery, "-l", "ERROR", "-I", "bench.chain_method", stdout=subprocess.DEVNULL)
    import_module("django").setup()  # the environment is complete now
    try:
        time.sleep(6)
        chains(AT_ONCE)  # load connections, prompts and the SDK
        yield server, worker
    finally:
        import_module("django.db").connection.close()
        for process in (worker, server):
            os.killpg(process.pid, signal.SIGKILL)


def measured(worker: Any, server: Any) -> dict[str, Any]:
    """Return the throughput of runs, of a burst, of priors and of debates."""
    figures = {}
    for name, count, goal in (("runs", 256, WANTED), ("burst", AT_ONCE, WANTED_BURST)):
        before = [cpu_seconds(process) for process in (worker, server)]
        figures[name] = chains(count)
        figures[name] |= {
            "cpu_ms_a_call": spent_since(before, (worker, server), count * TURNS),
            "ok": figures[name]["of_ideal"] >= goal,
        }
    for slug, count in (("bed", AT_ONCE), ("garden", 256)):
        make_posts(slug, count)
    before = [cpu_seconds(process) for process in (worker, server)]
    request_priors("garden")
    figures["priors"] = ended("prior", 256, 256 / AT_ONCE * DELAY)
    figures["priors"] |= {
        "cpu_ms_a_call": spent_since(before, (worker, server), 256),
        "ok": figures["priors"]["of_ideal"] >= WANTED_PRIORS,
    }
    bursts = sorted((debated("bed", AT_ONCE, worker, server) for _ in range(BURSTS)), key=lambda one: one["of_ideal"])
    figures["arcade_burst"] = bursts[BURSTS // 2] | {"all": [burst["of_ideal"] for burst in bursts]}
    figures["arcade"] = debated("garden", 256, worker, server)
    for name, goal in (("arcade_burst", WANTED_ARCADE), ("arcade", WANTED)):
        figures[name]["ok"] = figures[name]["of_ideal"] >= goal
    return figures


def debated(slug: str, count: int, worker: Any, server: Any) -> dict[str, Any]:
    """Debate this project's posts with ARCADE, after all earlier runs are deleted. Return the figures."""
    import_module("runs.models").Run.objects.all().delete()
    before = [cpu_seconds(process) for process in (worker, server)]
    debates(slug)
    figures = ended("arcade", count, count / AT_ONCE * DEEP * DELAY)
    return figures | {"cpu_ms_a_call": spent_since(before, (worker, server), count * DEEP)}


def make_posts(slug: str, count: int) -> None:
    """Make a project with this many posts."""
    posts = Path(os.environ["VAR_DIR"]) / f"{slug}.csv"
    rows = [f"p-{number},Post {number}: a remark about weeds and roses in a garden." for number in range(count)]
    posts.write_text("\n".join(["id,text", *rows]), encoding="utf-8")
    manage("create_project", slug, "--json")
    manage("import_items", slug, str(posts), "--json")


def spent_since(before: Sequence[float], processes: Sequence[Any], calls: int) -> dict[str, float]:
    """Return the processor time of worker and model server per call, in milliseconds."""
    spent = [
        round(1000 * (cpu_seconds(process) - earlier) / calls, 2)
        for process, earlier in zip(processes, before, strict=True)
    ]
    return dict(zip(("worker", "model"), spent, strict=True))


def memory(worker: Any) -> dict[str, Any]:
    """Return the worker's memory after many runs, divided by that after the first of them."""
    chains(FIRST)
    first = resident_mb(worker)
    chains(MANY - FIRST)
    last = resident_mb(worker)
    growth = round(last / first, 3)
    return {"runs": MANY, "mb": [first, last], "growth": growth, "ok": growth <= WANTED_GROWTH}


@contextmanager
def served(size: str, **more: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the port of a web server as `serve` starts it, and an open project of this size with its annotators."""
    filling = python("bench/data/fill_open.py", size, DJANGO_SETTINGS_MODULE="bench.references.bare_site", **more)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    web = start(*import_module("config.server.supervisor").web_command(f"127.0.0.1:{port}")[1:])
    try:
        wait_for(port)
        yield port, json.loads(filling.splitlines()[-1])["projects"][size]
    finally:
        os.killpg(web.pid, signal.SIGKILL)


def pages() -> dict[str, Any]:
    """Return the p95 of a page while runs are under way, divided by the p95 while the worker is idle."""
    with served("1000") as (port, filled):
        read(port, filled, 3)  # load templates and open connections
        alone = read(port, filled, READING)
        at_work = threading.Thread(target=chains, args=(MEANWHILE,))
        at_work.start()
        time.sleep(2)  # by then this process has queued the runs, so that queueing slows down no page
        meanwhile = read(port, filled, READING)
        if not at_work.is_alive():
            raise SystemExit(f"{MEANWHILE} runs ended before the pages were read: too few to say anything")
        at_work.join()
    ratio = round(meanwhile / alone, 2)
    p95_ms = [round(1000 * p95, 1) for p95 in (alone, meanwhile)]
    return {"p95_ms": p95_ms, "ratio": ratio, "ok": ratio <= WANTED_PAGES}


class Reader(Person):
    """A person who opens the page of the next post again and again, with a pause after each."""

    def run(self) -> None:
        try:
            while time.monotonic() < self.until:
                began = time.monotonic()
                self.ask("GET", self.page)
                self.rounds.append(time.monotonic() - began)
                time.sleep(THINKING)
        except Exception as fault:
            self.fault = repr(fault)


def read(port: int, project: dict[str, Any], seconds: float) -> float:
    """Return the p95 of the annotator's page for these readers, in seconds."""
    until = time.monotonic() + seconds
    page = f"/p/{project['slug']}/label/"
    readers = [Reader(port, person["session"], page, until) for person in project["people"][:READERS]]
    for number, reader in enumerate(readers):
        reader.start()
        time.sleep(THINKING / READERS if number < READERS - 1 else 0)
    for reader in readers:
        reader.join()
    if faults := [reader.fault for reader in readers if reader.fault]:
        raise SystemExit(f"{len(faults)} of {READERS} readers were refused: {faults[0]}")
    rounds = sorted(round_seconds for reader in readers for round_seconds in reader.rounds)
    return rounds[int(len(rounds) * 0.95)]


def chains(count: int) -> dict[str, Any]:
    """Enqueue this many runs of eight questions and wait for them. Return their figures."""
    chain = import_module("bench.chain_method")
    chain.queue(count, alone=True)
    return ended(chain.NAME, count, max(1.0, count / AT_ONCE) * TURNS * DELAY)


def request_priors(slug: str) -> None:
    """Request the priors of a project, as its page does; by now this process is connected to the broker."""
    project = import_module("annotation.models").Project.objects.get(slug=slug)
    import_module("annotation.priors.requests").request_missing(project)


def debates(slug: str) -> None:
    """Start ARCADE on every post of a project, as its page does."""
    debating, models = import_module("moderation.debates.start"), import_module("annotation.models")
    project = models.Project.objects.get(slug=slug)
    debating.start_runs(project, project.items.all(), debating.DebateRequest("arcade", options={"track": "deep"}))


def ended(method: str, count: int, ideal: float) -> dict[str, Any]:
    """Wait until all runs of the method have ended. Return their figures by the database's clock."""
    figures = import_module("bench.chain_method").figures
    until = time.monotonic() + 120 + 3 * ideal
    while time.monotonic() < until:
        time.sleep(0.25)
        progress = figures(method)
        if not progress["left"] and progress["done"] == count:
            seconds = progress["seconds"]
            return {
                "runs": count,
                "seconds": round(seconds, 2),
                "ideal": ideal,
                "of_ideal": round(ideal / seconds, 3),
            }
    raise SystemExit(f"The runs of {method} did not end: {progress}")


def cpu_seconds(process: Any) -> float:
    """Return the processor time of a process so far (Linux; 0 elsewhere), which is more exact than elapsed time."""
    try:
        spent = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(spent[11]) + int(spent[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(process: Any) -> float:
    """Return the memory that a process holds now, in MB (Linux)."""
    pages_held = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return round(pages_held * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


def start(*arguments: str, **more: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, start_new_session=True, **more)


def manage(*arguments: str) -> None:
    python("manage.py", *arguments)


def python(*arguments: str, **more: str) -> str:
    environment = os.environ | more
    completed = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True)
    if completed.returncode:
        raise SystemExit(f"{' '.join(arguments[:2])} failed:\n{completed.stderr[-2000:]}")
    return completed.stdout


if __name__ == "__main__":
    main()
