"""Compare the worker's scheduling settings: `bench/runs.py --pages` with each on and off (docs/scheduling.md).

    .venv/bin/python bench/worker_scheduling.py [--rounds 3]

Prints for each variant the share of the ideal throughput that 256 ARCADE runs reach, and the p95 of a page while runs
are under way, divided by its p95 while the worker is idle. A round takes about six minutes. Variants take turns within
a round, so a change of the machine's load affects all of them; still, use a machine that does nothing else. If
DATABASE_URL names a PostgreSQL server, each variant gets an empty database there.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.__main__ import empty_database

VARIANTS = {
    "as shipped": {},
    "WORKER_ONE_CORE=off": {"WORKER_ONE_CORE": "off"},
    "WORKER_TAKES_WHAT_IS_LEFT=off": {"WORKER_TAKES_WHAT_IS_LEFT": "off"},
    "WORKER_NICE=0": {"WORKER_NICE": "0"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each variant (default %(default)s)")
    rounds = parser.parse_args().rounds
    figures: dict[str, list[dict[str, Any]]] = {name: [] for name in VARIANTS}
    for _ in range(rounds):
        for name, environment in VARIANTS.items():
            figures[name].append(measure(environment))
    print("variant | ARCADE, share of ideal | page p95, at work / idle   (median of each, then all)")
    for name, measured in figures.items():
        arcade = [figure["arcade"]["of_ideal"] for figure in measured]
        pages = [figure["pages"]["ratio"] for figure in measured]
        print(f"{name} | {median(arcade):.2f} {arcade} | {median(pages):.2f} {pages}")


def measure(environment: dict[str, str]) -> dict[str, Any]:
    """Run the benchmark of runs with these variables set. Return its figures."""
    command = [sys.executable, "bench/runs.py", "--pages", "--json"]
    with empty_database("worker_scheduling") as database:
        # The exit code says whether the goals were reached; it is ignored, since a variant need not reach them.
        completed = subprocess.run(command, cwd=ROOT, env=database | environment, stdout=subprocess.PIPE, text=True)
    try:
        figures: dict[str, Any] = json.loads(completed.stdout)
    except ValueError:
        raise SystemExit(f"bench/runs.py ended with {completed.returncode} and no figures") from None
    return figures


if __name__ == "__main__":
    main()
