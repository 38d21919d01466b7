"""Open every page of a large project as its admin; print p50, p95, queries and slowest SQL of each.

    DATABASE_URL=… .venv/bin/python bench/pages.py [--items 290000] [--times 5] [--only WORD] [--files] [--json]

A database without the project `large` is migrated and filled first (bench/data/fill_large.py); without DATABASE_URL and
VAR_DIR that is an SQLite file in a temporary folder. Every page that the URL configuration has and that answers a GET
with 200 is opened, some with filters too; `--files` adds the exports, which are read to their end. The jobs that pages
begin are performed before anything is measured. Queries are counted and timed in a further request, which is not
counted in p50 and p95. Goal: no page above 500 ms.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode

import django

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
FOLDER = tempfile.TemporaryDirectory(prefix="bench-pages-")
if "DATABASE_URL" not in os.environ:
    os.environ.setdefault("VAR_DIR", FOLDER.name)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("ALLOWED_HOSTS", "127.0.0.1,testserver")
django.setup()

from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver, reverse
from django.urls.exceptions import NoReverseMatch

from annotation.domain.choices import Stage
from annotation.models import Batch, Figures, Item, JobState, Membership, Project
from annotation.tasks import perform_job
from bench.data.fill_large import ITEMS, fill

GOAL = 0.5
PATIENCE = 5.0
"""Seconds."""
SEARCHES = {
    "one word": {"q": "roses"},
    "a rare word": {"q": "Post 123456"},
    "Korean": {"text": "장미와 잡초"},
    "two Korean letters": {"text": "장미"},
    "Chinese": {"q": "花园里"},
    "nothing found": {"q": "zyzzyva"},
    "two categories": {"named_both": "1-2"},
    "an annotator": {"annotator": "L007"},
    "gold, newest": {"stage": "gold", "order": "newest"},
    "gold order": {"order": "gold"},
    "a batch": {"batch": "batch 07"},
    "a category": {"category": "3"},
    "a severity": {"severity_from": "2"},
    "page 5000": {"page": "5000"},
}
"""Searches of the items list, by what they are about."""
WITH_JOBS = ("dashboard", "quality")
FILES = ("items-file", "training-results", "care-opt-outs", "hours-table", "dataset-file", "glossary-file")


@dataclass(frozen=True)
class Measured:
    """One page: seconds, those of them that this process worked, queries and the SQL that took longest."""

    page: str
    status: int
    p50: float
    p95: float
    cpu: float
    queries: int
    sql_seconds: float
    slowest_seconds: float
    slowest: str
    kilobytes: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--only", default="", metavar="WORD", help="pages whose name holds the word")
    parser.add_argument("--files", action="store_true", help="also the exports")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    project = Project.objects.filter(slug="large").first() or fill(options.items)
    admin = Membership.objects.select_related("user").get(project=project, administers=True)
    assert admin.user is not None
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(admin.user)
    addresses = {name: address for name, address in pages(project, files=options.files) if options.only in name}
    for name, address in addresses.items():
        if name.split(":")[-1].split(",")[0] in WITH_JOBS:
            open_page(client, address)
    perform_jobs()
    figures = [measure(client, name, address, options.times) for name, address in addresses.items()]
    shown = sorted((figure for figure in figures if figure.status == 200), key=lambda figure: -figure.p95)
    late = [f"{figure.page} {figure.p95}" for figure in shown if figure.p95 > GOAL]
    if options.json:
        print(json.dumps({"pages": len(shown), "slowest_p95": shown[0].p95, "above_goal": late, "ok": not late}))
    else:
        show(shown)
    sys.exit(bool(late))


def pages(project: Project, *, files: bool) -> Iterator[tuple[str, str]]:
    """Yield the project's pages, and the items list with several searches, by name."""
    for name in names(get_resolver().url_patterns):
        if name.split(":")[-1] not in FILES and (address := address_of(project, name)):
            yield name, address
    for about, query in SEARCHES.items():
        yield f"annotation:items, {about}", f"{reverse('annotation:items', args=[project.slug])}?{urlencode(query)}"
    for table in ("funnel", "pairs", "days"):
        yield f"annotation:dashboard-table, {table}", reverse("annotation:dashboard-table", args=[project.slug, table])
    yield "annotation:quality-table, people", reverse("annotation:quality-table", args=[project.slug, "people"])
    if files:
        for kind in ("csv", "jsonl"):
            yield f"annotation:items-file, {kind}", reverse("annotation:items-file", args=[project.slug, kind])


def names(patterns: Any, namespace: str = "") -> Iterator[str]:
    for pattern in patterns:
        if hasattr(pattern, "url_patterns"):
            yield from names(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else namespace)
        elif pattern.name:
            yield namespace + pattern.name


def address_of(project: Project, name: str) -> str | None:
    """Return the address of a page about the project, or about a row of it. Returns None for another page."""
    item = Item.objects.filter(project=project, stage=Stage.GOLD).order_by("pk").first()
    disputed = Item.objects.filter(project=project, stage=Stage.DISPUTED).order_by("pk").first()
    person = Membership.objects.filter(project=project, annotates=True).order_by("pk").first()
    batch = Batch.objects.filter(project=project).order_by("pk").first()
    about: Any = item
    last = name.split(":")[-1]
    if "batch" in last:
        about = batch
    elif "member" in last or "person" in last:
        about = person
    elif "desk" in last or "dispute" in last:
        about = disputed
    for parts in ({"slug": project.slug}, {"slug": project.slug, "public_id": about.public_id if about else None}):
        try:
            return reverse(name, kwargs=parts)
        except NoReverseMatch:
            continue
    return None


def measure(client: Client, name: str, address: str, times: int) -> Measured:
    """Measure one page; one that takes longer than PATIENCE is opened once."""
    began = time.process_time()
    status, first, size, statements = captured(client, address)  # the first request loads templates and libraries
    cpu = time.process_time() - began
    if status != 200:
        return Measured(name, status, 0, 0, 0, 0, 0, 0, "", 0)
    seconds = [first]
    if first < PATIENCE:
        began = time.process_time()
        seconds = sorted(open_page(client, address)[1] for _time in range(times))
        cpu = (time.process_time() - began) / times
        statements = captured(client, address)[3]
    slowest = max(statements, key=lambda query: float(query["time"]), default={"time": "0", "sql": ""})
    return Measured(
        page=name,
        status=status,
        p50=round(median(seconds), 3),
        p95=round(seconds[min(len(seconds) - 1, round(0.95 * len(seconds)))], 3),
        cpu=round(cpu, 3),
        queries=len(statements),
        sql_seconds=round(sum(float(query["time"]) for query in statements), 3),
        slowest_seconds=float(slowest["time"]),
        slowest=" ".join(slowest["sql"].split()),
        kilobytes=size // 1024,
    )


def captured(client: Client, address: str) -> tuple[int, float, int, list[dict[str, str]]]:
    with CaptureQueriesContext(connection) as queries:
        status, seconds, size = open_page(client, address)
    return status, seconds, size, queries.captured_queries


def open_page(client: Client, address: str) -> tuple[int, float, int]:
    """Return status, seconds and bytes of a request; a streamed answer is read to its end."""
    began = time.monotonic()
    response: Any = client.get(address)
    body = response.streaming_content if response.streaming else [response.content]
    size = sum(map(len, body))
    return response.status_code, time.monotonic() - began, size


def perform_jobs() -> None:
    """Perform the jobs that pages began, in this process."""
    for key in list(Figures.objects.filter(state=JobState.QUEUED).values_list("pk", flat=True)):
        perform_job("figures", key)


def show(figures: list[Measured]) -> None:
    print(f"{'p50':>7} {'p95':>7} {'cpu':>7} {'queries':>7} {'SQL':>7} {'slowest':>7}  {'kB':>6}  page")
    for figure in figures:
        print(
            f"{figure.p50:7.3f} {figure.p95:7.3f} {figure.cpu:7.3f} {figure.queries:7} {figure.sql_seconds:7.3f}"
            f" {figure.slowest_seconds:7.3f}  {figure.kilobytes:6}  {figure.page}"
        )
        if figure.p95 > GOAL:
            print(f"        {figure.slowest[:400]}")


if __name__ == "__main__":
    main()
