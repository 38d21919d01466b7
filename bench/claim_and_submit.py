"""Measure claim and submit by 32 annotators through the whole site, and compare with a bare view with as many queries.

    .venv/bin/python bench/claim_and_submit.py [--seconds 12] [--sizes 1000,10000,100000] [--json]

gunicorn serves with 2 processes of 8 threads. 32 clients in another process send an answer as the page's script does
and read the next item from the reply, without a pause. The script works in a temporary folder; DATABASE_URL may name an
*empty* PostgreSQL database instead of the SQLite file. Items are imported and opened by the site's own commands, and
the clients begin at once. Goals (design section 13): at least half the bare view's rate at 10,000 items; p95 at 100,000
items at most 1.5 times that at 1,000. Rates say little on a machine that does something else; `cpu_ms` says more: the
processor time per loop of the web server's processes, and of PostgreSQL's connections for this database.
"""

import argparse
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

ROOT = Path(__file__).resolve().parent.parent
WANTED_RATIO, WANTED_GROWTH = 0.5, 1.5
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
ACTION = re.compile(r'action="(/p/[^"]+/label/[0-9a-f-]{36}/)"')
KEY = re.compile(r'name="key" value="([0-9a-f-]{36})"')


class Person(threading.Thread):
    """A signed-in browser that sends an answer and reads the next item from the reply, in a loop."""

    def __init__(self, port: int, session: str, page: str, until: float) -> None:
        super().__init__()
        self.server = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.cookies = {"sessionid": session}
        self.page, self.until = page, until
        self.rounds: list[float] = []
        self.fault = ""

    def run(self) -> None:
        try:
            text = self.ask("GET", self.page)
            while time.monotonic() < self.until:
                began = time.monotonic()
                text = self.ask("POST", *self.form(text))
                self.rounds.append(time.monotonic() - began)
        except Exception as fault:
            self.fault = repr(fault)

    def form(self, text: str) -> tuple[str, dict[str, str]]:
        token, action, key = TOKEN.search(text), ACTION.search(text), KEY.search(text)
        assert token, text[:500]
        fields = {"csrfmiddlewaretoken": token[1]}
        return (action[1], fields | {"category": "0", "key": key[1]}) if action and key else (self.page, fields)

    def ask(self, method: str, path: str, fields: dict[str, str] | None = None) -> str:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if fields is not None:
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true", "HX-Target": "bench"}
        self.server.request(method, path, urlencode(fields) if fields else None, headers)
        response = self.server.getresponse()
        text = response.read().decode()
        assert response.status == 200, (response.status, text[:500])
        for cookie in response.headers.get_all("Set-Cookie") or ():
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sizes = options.sizes.split(",")
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "VAR_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "bench.references.bare_site",
            "PYTHONPATH": str(ROOT),
            "RATE_LIMITED": "off",
            "LOG_LEVEL": "WARNING",
        }
        python("manage.py", "migrate", "--verbosity", "0")
        filled = json.loads(python("bench/data/fill_open.py", *sizes))
        os.environ |= {name: ",".join(map(str, counts)) for name, counts in filled["queries"].items()}
        figures = served(filled, sizes, options.seconds)
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    sys.exit(not figures["ok"])


def served(filled: dict[str, Any], sizes: list[str], seconds: float) -> dict[str, Any]:
    """Start the server and measure all sizes. The bare view is measured before and after, on the same machine state."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "config.wsgi:application", "--bind", f"127.0.0.1:{port}"]
    options = ["--workers", "2", "--worker-class", "gthread", "--threads", "8", "--keep-alive", "60"]
    server = subprocess.Popen([*command, *options, "--log-level", "warning"], cwd=ROOT, start_new_session=True)
    try:
        wait_for(port)
        spent = partial(processor_seconds, server.pid)
        middle = filled["projects"][sizes[len(sizes) // 2]]
        labelled(port, middle, 3, bare=False)  # load templates and open connections before measuring
        rates: dict[bool, list[list[float]]] = {True: [], False: []}
        costs: dict[bool, list[list[float]]] = {True: [], False: []}
        for bare in (True, False, False, True):
            before = spent()
            rates[bare].append(labelled(port, middle, seconds / 2, bare=bare))
            costs[bare].append([after - first for after, first in zip(spent(), before, strict=True)])
        rounds = {size: labelled(port, filled["projects"][size], seconds, bare=False) for size in sizes}
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
    ours, theirs = (sum(map(len, rates[bare])) / seconds for bare in (False, True))
    times = {size: sorted(seconds_of_rounds) for size, seconds_of_rounds in rounds.items()}
    p95, p99 = ({size: each[int(len(each) * share)] for size, each in times.items()} for share in (0.95, 0.99))
    growth = p95[sizes[-1]] / p95[sizes[0]]
    cpu = {
        name: [round(1000 * sum(part) / sum(map(len, rates[bare])), 1) for part in zip(*costs[bare], strict=True)]
        for name, bare in (("site", False), ("bare", True))
    }
    return {
        "labels_per_second": round(ours, 1),
        "bare_per_second": round(theirs, 1),
        "of_bare": round(ours / theirs, 2),
        "cpu_ms": cpu,
        "rates": {size: round(len(each) / seconds, 1) for size, each in times.items()},
        "p95_ms": {size: round(slow * 1000) for size, slow in p95.items()},
        "p99_ms": {size: round(slow * 1000) for size, slow in p99.items()},
        "p95_growth": round(growth, 2),
        "queries": filled["queries"],
        "ok": ours / theirs >= WANTED_RATIO and growth <= WANTED_GROWTH,
    }


def labelled(port: int, project: dict[str, Any], seconds: float, *, bare: bool) -> list[float]:
    """Return the seconds of each round (send the form, read the next page) of all clients."""
    until = time.monotonic() + seconds
    people = []
    for person_json in project["people"]:
        page = f"/p/{project['slug']}/label/"
        if bare:
            page = f"/bare/?member={person_json['member']}&project={project['project']}&category={project['category']}"
        people.append(Person(port, person_json["session"], page, until))
    for person in people:
        person.start()
    for person in people:
        person.join()
    faults = [person.fault for person in people if person.fault]
    if faults:
        raise SystemExit(f"{len(faults)} of {len(people)} people were refused: {faults[0]}")
    return [round_seconds for person in people for round_seconds in person.rounds]


def processor_seconds(server: int) -> tuple[float, float]:
    """Return the processor time so far of the server with its children, and of PostgreSQL for its database."""
    address = urlsplit(os.environ.get("DATABASE_URL", ""))
    database = f" {address.path[1:]} " if address.scheme.startswith("postgres") else None
    web = base = 0.0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            command = (folder / "cmdline").read_text().replace("\0", " ")
            web += seconds if server in (int(folder.name), int(fields[1])) else 0
            base += seconds if database and command.startswith("postgres:") and database in command else 0
    return web, base


def wait_for(port: int) -> None:
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("The server did not start.")


def python(*arguments: str) -> str:
    completed = subprocess.run([sys.executable, *arguments], check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    return completed.stdout


if __name__ == "__main__":
    main()
