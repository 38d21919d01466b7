"""Compare each statement that is written in SQL, or compiled once, with its querysets, and print both times.

    .venv/bin/python bench/sql_gain.py [--times 300]

The script fills the configured database, which must be empty (by default a SQLite file in a temporary folder), and runs
each statement and its twin in turns, in transactions that are rolled back. The twins of compiled queries are their own
querysets, those of SQL stand in `tests/support/sql_twins.py`. A statement with a gain under 1.3 is not worth its SQL.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]
os.environ |= {"VAR_DIR": tempfile.mkdtemp(), "DJANGO_SETTINGS_MODULE": "config.settings"}

import django

django.setup()

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

import sql_twins
from annotation.assignment import annotator_state, item_query
from annotation.assignment.item_query import ItemSearch
from annotation.models import Membership
from bench.data import fill_open
from runs.domain.states import RunState
from runs.methods.method import Outcome
from runs.models import Account, Run, Turn
from runs.queue import call_sql, claim, lease
from runs.queue.call_sql import Booking
from runs.sql.compiled_queries import CompiledQuery

Act = Callable[[], Any]


class Undo(Exception):
    """Ends a transaction without its changes."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=300)
    times = parser.parse_args().times
    call_command("migrate", verbosity=0)
    member = Membership.objects.select_related("user").get(pk=fill_open.fill(100)["people"][0]["member"])
    for name, statement, twin in (*compiled_queries(member), *searches(member), *calls_of_a_run()):
        fast, slow = seconds(statement, twin, times)
        print(f"{name}: {1e6 * fast:.0f} µs, {1e6 * slow:.0f} µs as querysets, gain {slow / fast:.1f}", flush=True)


def compiled_queries(member: Membership) -> Iterator[tuple[str, Act, Act]]:
    """Yield the compiled queries of the annotator's page, with the values of a real request."""
    calls: dict[int, tuple[CompiledQuery[Any], dict[str, Any]]] = {}
    rows = CompiledQuery.rows

    def recorded(self: CompiledQuery[Any], **values: Any) -> list[Any]:
        calls[id(self)] = (self, values)
        return rows(self, **values)

    CompiledQuery.rows = recorded  # type: ignore[method-assign]
    client = Client(headers={"host": settings.ALLOWED_HOSTS[0]})
    assert member.user is not None
    client.force_login(member.user)
    client.get(f"/p/{member.project.slug}/label/", follow=True)
    CompiledQuery.rows = rows  # type: ignore[method-assign]
    for query, values in calls.values():
        name = f"{query._queryset.model.__name__} by {', '.join(values)}"
        yield name, lambda q=query, v=values: q.rows(**v), lambda q=query, v=values: q.queryset_rows(**v)


def searches(member: Membership) -> Iterator[tuple[str, Act, Act]]:
    """Yield the statements that choose an annotator's next item."""
    search, place, now = ItemSearch(member), item_query.PLACE_RANGE // 2, timezone.now()
    yield pair("probe_items", item_query, search, place)
    yield pair("walk_items", item_query, search)
    yield pair("scan_items", item_query, search)
    yield pair("read_annotator_state", annotator_state, member, now)


def calls_of_a_run() -> Iterator[tuple[str, Act, Act]]:
    """Yield the statements of a run's calls: among two hundred runs, one that this worker holds."""
    project = uuid4()
    account = Account.objects.create(project=project)
    limits = dict.fromkeys(("call_limit", "token_limit", "seconds_limit"), 1000)
    Run.objects.bulk_create(
        Run(method="arcade", project=project, subject=uuid4(), options={"rounds": 3}, **limits) for _ in range(200)
    )
    waiting = Run.objects.order_by("pk")[1]
    run = Run.objects.order_by("pk")[0]
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING, owner="me", tokens=9)
    run.owner, run.account_id = "me", account.pk
    booking, calls = Booking(1, 20), {"one": {"calls": 1, "tokens": 9}}
    yield pair("begin_call", call_sql, run, 7, calls, charged=True)
    yield pair("book_on_run", call_sql, run, booking, calls)

    def turn() -> Turn:
        return Turn(run=run, key="one", kind="ask", role="speaker", messages=[{"text": "?" * 2000}], reply="yes" * 99)

    names = ["insert_turn_and_book", *["insert_turn_and_begin_call"] * (connection.vendor == "postgresql")]
    for name in names:
        statement, twin = getattr(call_sql, name), getattr(sql_twins, name)
        yield name, lambda s=statement: s(turn(), run, booking, calls), lambda t=twin: t(turn(), run, booking, calls)
    yield pair("charge_account", call_sql, account.pk, 1, 20, within_limits=True)
    yield pair("charge_remaining", call_sql, run.pk)
    yield pair("claim_run", claim, waiting.pk)
    yield pair("claim_next_run", claim)
    yield pair("_end_if_held", lease, run, Outcome(RunState.SUCCEEDED, value={"n": 1}), 1.5, unless_cancelled=True)


def pair(name: str, module: Any, *values: Any, **more: Any) -> tuple[str, Act, Act]:
    statement, twin = getattr(module, name), getattr(sql_twins, name)
    return name, lambda: statement(*values, **more), lambda: twin(*values, **more)


def seconds(statement: Act, twin: Act, times: int) -> tuple[float, float]:
    """Return the median seconds of both, run in turns so that other work on the machine slows both alike."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(times + 1):
        for act, list_of_one in zip((statement, twin), taken, strict=True):
            try:
                with transaction.atomic():
                    began = time.perf_counter()
                    act()
                    list_of_one.append(time.perf_counter() - began)
                    raise Undo
            except Undo:
                pass
    return median(taken[0][1:]), median(taken[1][1:])  # the first time compiles


if __name__ == "__main__":
    main()
