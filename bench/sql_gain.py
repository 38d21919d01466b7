"""Compare each compiled query of a labelled post with its queryset, and print both times.

    .venv/bin/python bench/sql_gain.py

The script fills the configured database, which must be empty (by default a SQLite file in a temporary folder), opens
the annotator's page once, and runs each compiled query of the page 300 times in both ways. A query with a gain under
1.2 need not be compiled.
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ |= {"VAR_DIR": tempfile.mkdtemp(), "DJANGO_SETTINGS_MODULE": "config.settings"}

import django

django.setup()

from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.test import Client

from annotation.models import Membership
from bench import fill_open
from runs.sql.compiled_queries import CompiledQuery

TIMES = 300


def main() -> None:
    call_command("migrate", verbosity=0)
    member = Membership.objects.select_related("user").get(pk=fill_open.fill(100)["people"][0]["member"])
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
        compiled, queryset = (seconds(run, values) for run in (query.rows, query.queryset_rows))
        name = f"{query._queryset.model.__name__} by {', '.join(values)}"
        times = f"{1e6 * compiled:.0f} µs compiled, {1e6 * queryset:.0f} µs as a queryset"
        print(f"{name}: {times}, gain {queryset / compiled:.1f}")


def seconds(run: Any, values: dict[str, Any]) -> float:
    """Return the seconds of one query, as the mean of many."""
    with transaction.atomic():
        run(**values)
        began = time.perf_counter()
        for _ in range(TIMES):
            run(**values)
        return (time.perf_counter() - began) / TIMES


if __name__ == "__main__":
    main()
