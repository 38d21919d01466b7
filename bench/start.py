"""Measure how long a `manage.py` command takes to start, and compare with bare Django with the same libraries.

    .venv/bin/python bench/start.py [--times 7] [--json]

Each command asks for a project that is not there, or prints its help, so that it ends as soon as it has started. Ours
and bare Django's take turns. The figures are medians of processor seconds (user and system) and of the clock; on a
machine that others use too, only the first say something. `of_bare` is bare Django's time divided by that of the
slowest command. Goal: 0.8 s. The compiled modules are there: the first start of each command is not counted.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
WANTED = 0.8
COMMANDS: Mapping[str, Sequence[str]] = {
    "diffsettings": ("diffsettings",),
    "project_settings": ("project_settings", "nobody"),
    "import_items": ("import_items", "--help"),
    "release": ("release", "--help"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ours = os.environ | {"VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "config.settings"}
        ours.pop("PYTHONDONTWRITEBYTECODE", None)
        bare = ours | {"DJANGO_SETTINGS_MODULE": "bench.references.bare_start", "PYTHONPATH": str(ROOT)}
        starts = {name: ("manage.py", *command) for name, command in COMMANDS.items()}
        everyone = {**{name: (start, ours) for name, start in starts.items()}, "bare": (starts["diffsettings"], bare)}
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in everyone}
        for turn in range(options.times + 1):
            for name, (arguments, environment) in everyone.items():
                spent = started(arguments, environment)
                if turn:
                    times[name].append(spent)
    cpu = {name: round(median(spent for spent, _ in of_it), 2) for name, of_it in times.items()}
    clock = {name: round(median(seconds for _, seconds in of_it), 2) for name, of_it in times.items()}
    slowest = max(cpu[name] for name in COMMANDS)
    figures = {
        "processor_seconds": slowest,
        "of_bare": round(cpu["bare"] / slowest, 3),
        "processor": cpu,
        "clock": clock,
        "ok": slowest <= WANTED,
    }
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    sys.exit(not figures["ok"])


def started(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Run a command to its end. Return its processor seconds and those by the clock."""
    began = time.monotonic()
    child = subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, usage = os.wait4(child.pid, 0)
    return usage.ru_utime + usage.ru_stime, time.monotonic() - began


if __name__ == "__main__":
    main()
