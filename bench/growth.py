"""Say how the costs of a site grow with its items: `python bench/growth.py SERVER [ITEMS …]`.

    .venv/bin/python bench/growth.py postgres://postgres@127.0.0.1:5432 10000 40000

For each size it makes a database `growth_ITEMS` there, fills it (bench/data/fill_large.py), measures, drops it.
Measured are bytes by table, and processor time and memory of a worker that computes the figures. The loop of an
annotator is bench/claim_and_submit.py's. Each size is a process of its own, since memory once taken stays taken. The
last two columns give the law from the two largest sizes, cost = a + b × items, and what it says of ten million items.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

ROOT = Path(__file__).resolve().parent.parent
TEN_MILLION = 10_000_000


def main(server: str, sizes: list[int]) -> None:
    results = [measured(server, size) for size in sizes]
    (less, smaller), (more, larger) = sorted(zip(sizes, results, strict=True))[-2:]
    print(f"{'':34}" + "".join(f"{size:>14,}" for size in sizes) + f"{'b an item':>14}{'at 10,000,000':>18}")
    for name in larger:
        slope = (larger[name] - smaller[name]) / (more - less)
        at_ten_million = larger[name] + slope * (TEN_MILLION - more)
        figures = "".join(f"{result[name]:>14,.3f}" for result in results)
        print(f"{name:34}{figures}{slope:>14.3g}{at_ten_million:>18,.2f}")


def measured(server: str, size: int) -> dict[str, float]:
    """Return the costs of a project of this size, by what is measured."""
    name = f"growth_{size}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {name}".encode())
        admin.execute(f"CREATE DATABASE {name}".encode())
    environ = os.environ | {"DATABASE_URL": f"{server}/{name}", "RATE_LIMITED": "off", "LOG_LEVEL": "ERROR"}

    def done(*command: str) -> str:
        return subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=environ, check=True, stdout=subprocess.PIPE, text=True
        ).stdout

    try:
        done("manage.py", "migrate", "--verbosity", "0")
        done("bench/data/fill_large.py", str(size))
        costs: dict[str, float] = {}
        for part in ("bytes", "dashboard", "quality"):
            costs |= json.loads(done("bench/growth.py", "--part", part).splitlines()[-1])
        return costs
    finally:
        with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def part(name: str) -> dict[str, float]:
    """Measure one part in this process, on the configured database."""
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    return {"bytes": stored, "dashboard": dashboard, "quality": quality}[name]()


def stored() -> dict[str, float]:
    """Return gigabytes of the database and of its largest tables, with their indexes."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        whole = {"GB of the database": cursor.fetchone()[0] / 1e9}
        cursor.execute(
            "SELECT relname, pg_total_relation_size(oid) FROM pg_class"
            " WHERE relkind = 'r' AND relname LIKE 'annotation%' ORDER BY 2 DESC LIMIT 5"
        )
        return whole | {f"GB of {table}": size / 1e9 for table, size in cursor.fetchall()}


def dashboard() -> dict[str, float]:
    from annotation.analytics.dashboard import read_dashboard

    return _figures("dashboard", read_dashboard)


def quality() -> dict[str, float]:
    from annotation.analytics.quality.annotators import read_quality

    return _figures("quality", read_quality)


def _figures(name: str, read: Callable[[Any], Any]) -> dict[str, float]:
    """Return seconds of processor time and gigabytes of memory that computing these figures takes."""
    from annotation.models import Project

    project = Project.objects.get(slug="large")
    before, began = _memory(), time.process_time()
    read(project)
    return {f"s of {name}": time.process_time() - began, f"GB of memory for {name}": _memory() - before}


def _memory() -> float:
    """Return the most memory that this process has had, in gigabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


if __name__ == "__main__":
    if sys.argv[1:2] == ["--part"]:
        print(json.dumps(part(sys.argv[2])))
    else:
        main(sys.argv[1], [int(size) for size in sys.argv[2:]] or [10_000, 40_000])
