"""Measure what 100 annotators wait for who think for five seconds, while 64 debates are under way.

    DATABASE_URL=postgres://… .venv/bin/python -m bench annotators
    .venv/bin/python bench/annotators.py [--people 100] [--think 5] [--seconds 120] [--model-seconds 2] [--json]

The site runs as `serve` runs it: a web server of two processes, and one worker that has 64 debates at a time (ARCADE,
seven calls) against a model server on this machine. Each annotator opens the page, reads and answers, and gets the next
post with the reply; the time to think is between half and one and a half times `--think`. Times are those of whole
requests, from the first byte sent to the last byte read. The first ten seconds load connections and templates and are
not counted. Goals: p95 at most 250 ms, no request without a page, and debates at all 64 places throughout.

The script works in a temporary folder; DATABASE_URL may name an *empty* PostgreSQL database. On a machine that does
something else the figures say nothing.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.claim_and_submit import Person
from bench.runs import AT_ONCE, debates, make_posts, processes, served

WANTED_P95, WARM_UP, CALLS = 0.250, 10.0, 7


class Annotator(Person):
    """A person who thinks before each answer; `rounds` holds the seconds of the requests after `counted_from`."""

    def __init__(self, port: int, session: str, page: str, until: float, think: float, counted_from: float) -> None:
        super().__init__(port, session, page, until)
        self.think, self.counted_from = think, counted_from

    def run(self) -> None:
        try:
            time.sleep(random.uniform(0, self.think))
            text = self.timed("GET", self.page)
            while time.monotonic() < self.until:
                time.sleep(random.uniform(0.5, 1.5) * self.think)
                text = self.timed("POST", *self.form(text))
        except Exception as fault:
            self.fault = repr(fault)[:500]

    def timed(self, method: str, path: str, fields: dict[str, str] | None = None) -> str:
        self.server.close()  # whoever thinks for longer than the server keeps a connection open needs a new one
        began = time.monotonic()
        text = self.ask(method, path, fields)
        if began >= self.counted_from:
            self.rounds.append(time.monotonic() - began)
        return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--think", type=float, default=5.0)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--model-seconds", type=float, default=2.0)
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
        with processes(options.model_seconds):
            figures = measured(options)
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    sys.exit(not figures["ok"])


def measured(options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of the annotators' requests while the worker debates."""
    seconds = WARM_UP + options.seconds
    # Enough posts that no place of the worker is empty before the end.
    make_posts("garden", int(AT_ONCE * (2 + seconds / (CALLS * options.model_seconds))))
    items = str(int(max(1000, 2 * options.people * (1 + seconds / options.think))))
    with served(items, BENCH_PEOPLE=str(options.people)) as (port, filled):
        debates("garden")
        began = time.monotonic()
        page, until = f"/p/{filled['slug']}/label/", began + seconds
        people = [
            Annotator(port, person["session"], page, until, options.think, began + WARM_UP)
            for person in filled["people"]
        ]
        for person in people:
            person.start()
        at_work = debates_at_work(began + WARM_UP, until)
        for person in people:
            person.join()
    rounds = sorted(round_seconds for person in people for round_seconds in person.rounds)
    faults = [person.fault for person in people if person.fault]
    p50, p95, p99 = (round(1000 * rounds[int(len(rounds) * share)], 1) for share in (0.5, 0.95, 0.99))
    return {
        "annotators": len(people),
        "requests": len(rounds),
        "ms": {"p50": p50, "p95": p95, "p99": p99, "most": round(1000 * rounds[-1], 1)},
        "faults": len(faults),
        "first_fault": faults[0] if faults else "",
        "debates_at_work": at_work,
        "ok": p95 <= 1000 * WANTED_P95 and not faults and at_work["median"] >= 0.9 * AT_ONCE,
    }


def debates_at_work(since: float, until: float) -> dict[str, int]:
    """Return the least and the median number of debates at work, looked at every two seconds."""
    runs = import_module("runs.models").Run.objects.filter(state="running")
    seen: list[int] = []
    time.sleep(max(0.0, since - time.monotonic()))
    while time.monotonic() < until:
        seen.append(runs.count())
        time.sleep(2)
    seen.sort()
    return {"least": seen[0], "median": seen[len(seen) // 2]}


if __name__ == "__main__":
    main()
