"""Compare what a small and a large project cost: a table of ratios, from one run.

    .venv/bin/python -m bench scale --items 10000,1000000 [--only opening,pages,audit]
    .venv/bin/python bench/scale.py [--items 10000,100000] [--rounds 5] [--only PARTS] [--json]

DATABASE_URL must name a PostgreSQL database, empty or with what this script left in it before: a project that is there
is not imported again. The projects lie beside each other. They are imported and opened by the site's own functions.
Then pages and 32 annotators are measured in turns (`pages`, `annotators`), right after the opening; of each page the
median of the rounds counts. Then nine of ten posts are labelled by the database, and the whole project is exported,
audited, released, evaluated and deleted (bench/scale_parts.py): each part is a process of its own, and its memory that
of this process at its highest. Ratios are of the largest project to the smallest.

`writes` are the rows that an opening changes or removes for each post, in all tables; each leaves a dead one.
"""

import argparse
import json
import os
import subprocess
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
from bench.claim_and_submit import labelled, serving
from bench.scale_parts import PARTS

OPENING = ("import", "opening")
"""What always comes first, where the project is not there yet."""
IN_TURNS = ("pages", "annotators")
SECONDS = 12.0
"""How long the annotators work at each project in each round."""
MOST: Mapping[str, float] = {
    "list of posts, ms": 1.5,
    "list by key, in the middle, ms": 1.5,
    "API by key, in the middle, ms": 1.5,
    "one annotator, answer with the next, ms": 1.3,
    "batches, ms": 4.0,
    "32 annotators, p95 ms": 1.3,
    "opening, seconds to the first post": 1.5,
} | {f"{part}, MB": 1.2 for part in PARTS}
"""The most that a large project may cost of what a small one costs. The one of batches has its goal in milliseconds."""
LEAST: Mapping[str, float] = {f"{part}, rows/s": 0.9 for part in PARTS} | {"32 annotators, loops/s": 0.9}
"""The least of a small project's rate that a large one may have."""
WRITES, MOST_WRITES = "opening, writes a post", 1.01
"""One a post, at each size; some more for the project and its batches."""
Figures = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", default="10000,100000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help=f"what is measured, by commas: {', '.join((*IN_TURNS, *PARTS))}")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        parser.error("DATABASE_URL must name a PostgreSQL database")
    names = options.only.split(",") if options.only else [*IN_TURNS, *PARTS]
    if unknown := set(names) - {*IN_TURNS, *PARTS}:
        parser.error(f"not measured: {', '.join(sorted(unknown))}")
    sizes = sorted(int(size) for size in options.items.split(","))
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"VAR_DIR": folder, "RATE_LIMITED": "off", "DJANGO_SETTINGS_MODULE": "bench.references.bare_site"}
        os.environ |= {"LOG_LEVEL": "ERROR", "PYTHONPATH": str(ROOT)}
        figures = measured(sizes, names, options.rounds)
    smallest, largest = figures[sizes[0]], figures[sizes[-1]]
    ratios = {name: figure / smallest[name] for name, figure in largest.items() if name in smallest}
    missed = [name for name, most in MOST.items() if ratios.get(name, 0) > most]
    missed += [name for name, least in LEAST.items() if ratios.get(name, least) < least]
    missed += [name for name in (WRITES,) if max(figure.get(name, 0) for figure in figures.values()) > MOST_WRITES]
    lines = table(figures, ratios, missed)
    if options.json:
        found = {"sizes": figures, "ratios": ratios, "missed": missed, "table": lines}
        print(json.dumps(found | {"ok": not missed}))
    else:
        print("\n".join(lines))
    sys.exit(bool(missed))


def measured(sizes: Sequence[int], names: Sequence[str], rounds: int) -> dict[int, Figures]:
    """Return the figures of a project of each size."""
    import django

    django.setup()
    from django.core.management import call_command

    from annotation.models import Membership, Project
    from bench.data.label_opened import label

    call_command("migrate", verbosity=0)
    figures = {size: opened(size) for size in sizes}
    if "pages" in names:
        add(figures, pages(sizes, rounds))
    if "annotators" in names:
        add(figures, annotators(sizes, min(rounds, 2)))
    later = [part for part in PARTS if part in names and part not in OPENING]
    for size in sizes if later else ():
        project = Project.objects.get(slug=f"bench-{size}")
        if not Membership.objects.filter(project=project, user__username__startswith="labeller").exists():
            label(project)
            tell(f"{size:,} posts are labelled")
    for part in later:
        add(figures, {size: whole(part, size) for size in sizes})
    return figures


def add(figures: Mapping[int, Figures], further: Mapping[int, Figures]) -> None:
    for size, values in further.items():
        figures[size].update(values)


def tell(line: str) -> None:
    """Say how far it is: the whole takes an hour or more at a million posts."""
    print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


def opened(size: int) -> Figures:
    """Import and open a project, unless it is there; return what that cost."""
    from annotation.models import Project
    from annotation.projects.create import create_project

    slug = f"bench-{size}"
    if Project.objects.filter(slug=slug).exists():
        return {}
    create_project(slug)
    return whole("import", size) | whole("opening", size)


def whole(part: str, size: int) -> Figures:
    """Return what a part cost in a process of its own."""
    command = [sys.executable, "bench/scale_parts.py", part, f"bench-{size}"]
    printed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = json.loads(printed.splitlines()[-1])
    rate = found.pop("rows") / found["seconds"]
    tell(f"{part} of {size:,} posts: {found['seconds']:.1f} s, {found['MB']:.0f} MB")
    return {f"{part}, rows/s": rate} | {f"{part}, {name}": figure for name, figure in found.items()}


# ── In turns ──────────────────────────────────────────────────────────────────


def pages(sizes: Sequence[int], rounds: int) -> dict[int, Figures]:
    """Return the milliseconds of each page, by size of the project."""
    acts = {size: requests(size) for size in sizes}
    taken: dict[int, dict[str, list[float]]] = {size: {name: [] for name in acts[size]} for size in sizes}
    for name in acts[sizes[0]]:
        for _ in range(rounds + 1):
            for size in sizes:
                began = time.perf_counter()
                acts[size][name]()
                taken[size][name].append(1000 * (time.perf_counter() - began))
    # The first of each loads what all others find.
    return {size: {name: median(times[1:]) for name, times in taken[size].items()} for size in sizes}


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
    annotator = add_member(project, f"alone-{size}", Role.ANNOTATOR).membership
    consent(annotator)
    browsers = []
    for member in (admin, annotator):
        assert member.user is not None
        browsers.append(Client(headers={"host": "127.0.0.1", "HX-Request": "true", "HX-Target": "bench"}))
        browsers[-1].force_login(member.user)
    reader, labeller = browsers
    middle = Item.objects.filter(project=project).order_by("pk")[size // 2].public_id
    site, api = f"/p/{project.slug}", f"/api/v1/projects/{project.slug}"

    def read(address: str) -> Callable[[], None]:
        def opened_page() -> None:
            response = reader.get(address)
            assert response.status_code == 200, (address, response.status_code)

        return opened_page

    def answer() -> None:
        held: Any = claim(annotator)
        form = {"category": "0", "key": str(uuid4())}
        response = labeller.post(f"{site}/label/{held.seat.public_id}/", form)
        assert response.status_code in (200, 302), response.status_code

    return {
        "list of posts, ms": read(f"{site}/items/"),
        "list by key, in the middle, ms": read(f"{site}/items/?after={middle}"),
        "API by key, in the middle, ms": read(f"{api}/items/?after={middle}&limit=200"),
        "one annotator, answer with the next, ms": answer,
        "batches, ms": read(f"{site}/batches/"),
    }


def annotators(sizes: Sequence[int], rounds: int) -> dict[int, Figures]:
    """Return loops a second and the slow ones of 32 annotators at once, through a web server of two processes."""
    from annotation.models import Project
    from bench.data.fill_open import signed_in

    people = {size: signed_in(Project.objects.get(slug=f"bench-{size}")) for size in sizes}
    taken: dict[int, list[float]] = {size: [] for size in sizes}
    with serving() as (port, _server):
        labelled(port, people[sizes[0]], 3, bare=False)  # load templates and open connections before measuring
        for _ in range(rounds):
            for size in sizes:
                taken[size] += labelled(port, people[size], SECONDS, bare=False)
                tell(f"32 annotators at {size:,} posts: {len(taken[size])} answers")
    slow = {size: 1000 * sorted(times)[int(0.95 * len(times))] for size, times in taken.items()}
    rates = {size: len(times) / (rounds * SECONDS) for size, times in taken.items()}
    return {size: {"32 annotators, loops/s": rates[size], "32 annotators, p95 ms": slow[size]} for size in sizes}


def table(figures: Mapping[int, Figures], ratios: Mapping[str, float], missed: Sequence[str]) -> list[str]:
    """Return the lines of the table: each figure by size, its ratio and the aim, and what misses it."""
    aims = {name: f"≤ {most:g}" for name, most in MOST.items()} | {
        name: f"≥ {least:g}" for name, least in LEAST.items()
    }
    lines = [f"{'':42}" + "".join(f"{size:>12,}" for size in figures) + f"{'ratio':>8}{'aim':>8}"]
    for name, ratio in ratios.items():
        row = "".join(f"{figure[name]:>12,.1f}" for figure in figures.values())
        lines.append(f"{name:42}{row}{ratio:>8.2f}{aims.get(name, ''):>8}" + ("  missed" if name in missed else ""))
    return lines


if __name__ == "__main__":
    main()
