"""Measure claim and submit by 32 annotators through the whole site, and compare with a bare view with as many queries.

    .venv/bin/python bench/claim_and_submit.py [--seconds 12] [--sizes 1000,10000,100000] [--json]

gunicorn serves as `manage.py serve` starts it, with 2 processes (WEB_THREADS may set other threads). 32 clients in
another process send an answer as the page's script does and read the next item from the reply, without a pause. The
script works in a temporary folder; DATABASE_URL may name an *empty* PostgreSQL database instead of the SQLite file.
Items are imported and opened by the site's own commands, and the clients begin at once. Goals (design section 13): at
least half the bare view's rate at 10,000 items; p95 at 100,000 items at most 1.5 times that at 1,000. Rates say little
on a machine that does something else; `cpu_ms` says more: the processor time per loop of the web server's processes,
and of PostgreSQL's connections for this database.
"""

import argparse
import json
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

ROOT = Path(__file__).resolve().parent.parent
WANTED_RATIO, WANTED_GROWTH = 0.5, 1.5
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
ACTION = re.compile(r'action="(/p/[^"]+/label/[0-9a-f-]{36}/)"')
KEY = re.compile(r'name="key" value="([0-9a-f-]{36})"')
LENGTH, COOKIE = re.compile(rb"(?i)\r\ncontent-length: (\d+)"), re.compile(rb"(?i)\r\nset-cookie: ([^=]+)=([^;\r]*)")
FORM = "Content-Type: application/x-www-form-urlencoded\r\n"


class Person:
    """A signed-in browser that sends an answer and reads the next item from the reply, in a loop.

    It speaks just as much HTTP as that needs. A library would take as much of the machine as a sixth of the site.
    """

    def __init__(self, port: int, session: str, page: str) -> None:
        self.address, self.cookies, self.page = ("127.0.0.1", port), {"sessionid": session}, page
        self.server = socket.create_connection(self.address)
        self.received, self.began = b"", time.monotonic()
        self.send("GET", page)

    def send(self, method: str, path: str, fields: dict[str, str] | None = None) -> None:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        head, body = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookies}\r\n", urlencode(fields or {})
        if fields is not None:
            head += f"{FORM}HX-Request: true\r\nHX-Target: bench\r\nContent-Length: {len(body)}\r\n"
        self.received, self.began = b"", time.monotonic()
        self.server.sendall(f"{head}\r\n{body}".encode())

    def reply(self) -> str | None:
        """Read what has come. Return the page once it is whole; returns None before."""
        self.received += self.server.recv(1 << 16) or b"The server has closed the connection.\r\n\r\n"
        head, end, body = self.received.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        if not end or length is None or len(body) < int(length[1]):
            return None
        assert head.startswith(b"HTTP/1.1 200"), self.received[:500]
        if b"\r\nConnection: close" in head:
            self.server.close()
            self.server = socket.create_connection(self.address)
        self.cookies |= {name.decode(): value.decode() for name, value in COOKIE.findall(head)}
        return body.decode()

    def answer(self, text: str) -> None:
        """Send the form of a page."""
        token, action, key = TOKEN.search(text), ACTION.search(text), KEY.search(text)
        assert token, text[:500]
        fields = {"csrfmiddlewaretoken": token[1]}
        if action and key:
            self.send("POST", action[1], fields | {"category": "0", "key": key[1]})
        else:
            self.send("POST", self.page, fields)


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
    with serving() as (port, server):
        spent = partial(processor_seconds, server)
        middle = filled["projects"][sizes[len(sizes) // 2]]
        labelled(port, middle, 3, bare=False)  # load templates and open connections before measuring
        rates: dict[bool, list[list[float]]] = {True: [], False: []}
        costs: dict[bool, list[list[float]]] = {True: [], False: []}
        for bare in (True, False, False, True):
            before = spent()
            rates[bare].append(labelled(port, middle, seconds / 2, bare=bare))
            costs[bare].append([after - first for after, first in zip(spent(), before, strict=True)])
        rounds = {size: labelled(port, filled["projects"][size], seconds, bare=False) for size in sizes}
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


@contextmanager
def serving() -> Iterator[tuple[int, int]]:
    """Start gunicorn with two processes. Yield its port and the id of its first process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "--config", "python:config.server.gunicorn_config"]
    options = ["--bind", f"127.0.0.1:{port}", "--workers", "2", "--keep-alive", "60"]
    server = subprocess.Popen([*command, *options], cwd=ROOT, start_new_session=True)
    try:
        wait_for(port)
        yield port, server.pid
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def labelled(port: int, project: dict[str, Any], seconds: float, *, bare: bool) -> list[float]:
    """Return the seconds of each round (send the form, read the next page) of all clients."""
    people = selectors.DefaultSelector()
    for person_json in project["people"]:
        page = f"/p/{project['slug']}/label/"
        if bare:
            page = f"/bare/?member={person_json['member']}&project={project['project']}&category={project['category']}"
        person = Person(port, person_json["session"], page)
        people.register(person.server, selectors.EVENT_READ, person)
    rounds: list[float] = []
    answering: set[Person] = set()
    until = time.monotonic() + seconds
    while people.get_map():
        for key, _events in people.select():
            person = key.data
            text = person.reply()
            if text is None:
                continue
            people.unregister(key.fileobj)
            if person in answering:
                rounds.append(time.monotonic() - person.began)
            if time.monotonic() < until:
                answering.add(person)
                person.answer(text)
                people.register(person.server, selectors.EVENT_READ, person)
            else:
                person.server.close()
    return rounds


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
