"""Compare what a small and a large project cost, right after they were opened: a table of ratios, from one run.

    .venv/bin/python -m bench scale --items 10000,1000000
    .venv/bin/python bench/scale.py [--items 10000,100000] [--rounds 5] [--json]

DATABASE_URL must name an *empty* PostgreSQL database. The projects lie beside each other in it. They are imported and
opened by the site's own functions, and measured in turns; of each figure the median of the rounds counts. Ratios are of
the largest project to the smallest. `writes` are the versions that opening makes of a post's row, dead ones included.

Not measured: many annotators at once (bench/claim_and_submit.py), figures and their memory (bench/growth.py).
"""

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
AIMS: Mapping[str, float] = {
    "list of posts, ms": 1.5,
    "list by key, in the middle, ms": 1.5,
    "API by key, in the middle, ms": 1.5,
    "one annotator, answer with the next, ms": 1.3,
    "batches, ms": 4.0,
    "memory of the process, MB": 1.2,
}
"""The most that a large project may cost of what a small one costs. The one of batches has its goal in milliseconds."""
RATES: Mapping[str, float] = {"import, posts/s": 0.9}
"""The least of a small project's rate that a large one may have."""
WRITES = "opening, writes a post"
"""At most one, at each size."""
Figures = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", default="10000,100000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        parser.error("DATABASE_URL must name an empty PostgreSQL database")
    sizes = sorted(int(size) for size in options.items.split(","))
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"VAR_DIR": folder, "RATE_LIMITED": "off", "DJANGO_SETTINGS_MODULE": "bench.references.bare_site"}
        os.environ |= {"BENCH_PEOPLE": "2", "LOG_LEVEL": "ERROR"}
        figures = measured(sizes, options.rounds)
    ratios = {name: of_largest / figures[sizes[0]][name] for name, of_largest in figures[sizes[-1]].items()}
    missed = [name for name, most in AIMS.items() if ratios[name] > most]
    missed += [name for name, least in RATES.items() if ratios[name] < least]
    missed += [name for name in (WRITES,) if max(figure[name] for figure in figures.values()) > 1]
    lines = table(figures, ratios, missed)
    if options.json:
        found = {"sizes": figures, "ratios": ratios, "missed": missed, "table": lines}
        print(json.dumps(found | {"ok": not missed}))
    else:
        print("\n".join(lines))
    sys.exit(bool(missed))


def measured(sizes: list[int], rounds: int) -> dict[int, Figures]:
    """Return the figures of a project of each size."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    figures = {size: opened(size) for size in sizes}
    acts = {size: requests(size) for size in sizes}
    for name in acts[sizes[0]]:
        taken: dict[int, list[float]] = {size: [] for size in sizes}
        for _ in range(rounds + 1):
            for size in sizes:
                began = time.perf_counter()
                acts[size][name]()
                taken[size].append(1000 * (time.perf_counter() - began))
        for size in sizes:
            figures[size][name] = median(taken[size][1:])  # the first one loads what all others find
    return figures


def opened(size: int) -> Figures:
    """Import and open a project; return how fast, how often a post was written, and how much memory was taken."""
    from django.core.management import call_command
    from django.db import connection

    from annotation.batches.open_items import open_items
    from annotation.projects.create import create_project
    from bench.data.fill_open import TEXT

    project = create_project(f"bench-{size}")
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as posts, open(os.devnull, "w", encoding="utf-8") as nowhere:
        posts.write("id,text,batch\n")
        posts.writelines(f'i-{number},"Post {number}: {TEXT}",batch {number % 20}\n' for number in range(size))
        posts.flush()
        began = time.perf_counter()
        call_command("import_items", project.slug, posts.name, stdout=nowhere, stderr=nowhere)
        stored = time.perf_counter()
    before = updates(connection)
    began_opening = time.perf_counter()
    open_items(project)
    ended = time.perf_counter()
    return {
        "import, posts/s": size / (stored - began),
        "opening, posts/s": size / (ended - began_opening),
        WRITES: (updates(connection) - before) / size,
        # The highest so far: the small project comes first, so what the large one takes beyond it is its own.
        "memory of the process, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def updates(connection: Any) -> int:
    """Return how many versions of posts' rows updates have made so far in this database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush(), pg_stat_clear_snapshot()")
        cursor.execute("SELECT n_tup_upd FROM pg_stat_user_tables WHERE relname = 'annotation_item'")
        return int(cursor.fetchone()[0])


def requests(size: int) -> dict[str, Callable[[], None]]:
    """Return what is measured of a project, by its name."""
    from django.test import Client

    from annotation.assignment.claim import claim
    from annotation.domain.choices import Role
    from annotation.members.join import add_member
    from annotation.members.participation import consent
    from annotation.models import Item, Project

    project = Project.objects.get(slug=f"bench-{size}")
    admin = add_member(project, f"admin-{size}", Role.ADMIN).membership
    annotator = add_member(project, f"annotator-{size}", Role.ANNOTATOR).membership
    consent(annotator)
    browsers = []
    for member in (admin, annotator):
        assert member.user is not None
        browsers.append(Client(headers={"host": "127.0.0.1", "HX-Request": "true", "HX-Target": "bench"}))
        browsers[-1].force_login(member.user)
    reader, labeller = browsers
    middle = Item.objects.filter(project=project).order_by("pk")[size // 2].public_id
    pages, api = f"/p/{project.slug}", f"/api/v1/projects/{project.slug}"

    def read(address: str) -> Callable[[], None]:
        def opened_page() -> None:
            response = reader.get(address)
            assert response.status_code == 200, (address, response.status_code)

        return opened_page

    def answer() -> None:
        held: Any = claim(annotator)
        form = {"category": "0", "key": str(uuid4())}
        response = labeller.post(f"{pages}/label/{held.seat.public_id}/", form)
        assert response.status_code in (200, 302), response.status_code

    return {
        "list of posts, ms": read(f"{pages}/items/"),
        "list by key, in the middle, ms": read(f"{pages}/items/?after={middle}"),
        "API by key, in the middle, ms": read(f"{api}/items/?after={middle}&limit=200"),
        "one annotator, answer with the next, ms": answer,
        "batches, ms": read(f"{pages}/batches/"),
    }


def table(figures: Mapping[int, Figures], ratios: Mapping[str, float], missed: Sequence[str]) -> list[str]:
    """Return the lines of the table: each figure by size, its ratio and the aim, and what misses it."""
    aims = {name: f"≤ {most:g}" for name, most in AIMS.items()} | {
        name: f"≥ {least:g}" for name, least in RATES.items()
    }
    lines = [f"{'':42}" + "".join(f"{size:>12,}" for size in figures) + f"{'ratio':>8}{'aim':>8}"]
    for name, ratio in ratios.items():
        row = "".join(f"{figure[name]:>12,.1f}" for figure in figures.values())
        lines.append(f"{name:42}{row}{ratio:>8.2f}{aims.get(name, ''):>8}" + ("  missed" if name in missed else ""))
    return lines


if __name__ == "__main__":
    main()
