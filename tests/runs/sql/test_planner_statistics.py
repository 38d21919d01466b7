"""PostgreSQL counts a table anew once many of its rows came or went, without waiting for autovacuum."""

import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.batches.open_items import open_items
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.models import Item, Label, Project, Seat
from annotation.projects.purge import purge
from builders import make_member, make_project
from moderation.evaluation.arms import ArmGrid
from moderation.evaluation.collect_answers import gold_items
from moderation.evaluation.request import Wish
from moderation.evaluation.start import begin
from moderation.models import EvaluationCase
from release_builders import make_gold
from runs.models import Run
from runs.sql import planner_statistics
from runs.sql.planner_statistics import refresh_statistics

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner_statistics, "MANY", 3)


def counted(*models: Any) -> list[int]:
    """Return the rows that the planner believes the tables to hold; -1: never counted."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname, reltuples FROM pg_class WHERE relkind = 'r'")
        rows = dict(cursor.fetchall())
    return [int(rows[model._meta.db_table]) for model in models]


def test_import_opening_and_purge_leave_fresh_statistics() -> None:
    project, other = make_project("garden"), make_project("meadow")
    lines = b"".join(json.dumps({"id": n, "text": f"Post {n}."}).encode() + b"\n" for n in range(1, 6))
    import_file(other, io.BytesIO(lines), ImportOptions())
    open_items(other)
    with CaptureQueriesContext(connection) as queries:
        import_file(project, io.BytesIO(lines), ImportOptions())
        open_items(project)
    analyzed = [query["sql"] for query in queries if query["sql"].startswith("ANALYZE")]
    if connection.vendor != "postgresql":
        assert analyzed == []
        return
    assert len(analyzed) == 2
    seats = Seat.objects.count()
    assert counted(Item, Seat) == [10, seats]
    Project.objects.filter(pk=project.pk).update(delete_after=timezone.now() - timedelta(days=1))
    assert purge(project)
    assert counted(Item, Seat) == [5, seats // 2]


def test_a_large_evaluation_leaves_fresh_statistics() -> None:
    """Else the count of its runs is planned for a table that was small a moment ago."""
    project = make_project("garden")
    members = [make_member(project) for _seat in range(3)]
    for number in range(3):
        make_gold(project, members, (0, 0, 0), f"Post {number}.")
    wish = Wish(grid=ArmGrid(methods=["baseline"], models=["keyword:cues-1"]))
    evaluation, _new = begin(project, [gold_items(project)], wish, ring=False)
    assert evaluation.runs().count() == 3
    if connection.vendor == "postgresql":
        assert counted(EvaluationCase, Run) == [3, 3]


def test_an_empty_table_is_not_counted() -> None:
    """Else a plan for one row would meet all that people store until autovacuum comes."""
    on_postgresql = connection.vendor == "postgresql"
    before = counted(Label) if on_postgresql else []
    with CaptureQueriesContext(connection) as queries:
        refresh_statistics(3, Label, Project)
    assert not [query for query in queries if query["sql"].startswith("ANALYZE")]
    make_project("garden")
    with CaptureQueriesContext(connection) as queries:
        refresh_statistics(3, Label, Project)
    analyzed = [query["sql"] for query in queries if query["sql"].startswith("ANALYZE")]
    assert analyzed == (['ANALYZE "annotation_project"'] if on_postgresql else [])
    assert not on_postgresql or counted(Label) == before


def test_statistics_of_few_rows_or_of_an_undone_transaction_are_left_alone() -> None:
    with CaptureQueriesContext(connection) as queries:
        refresh_statistics(2, Item)
        with transaction.atomic():
            refresh_statistics(3, Item)
            transaction.set_rollback(True)
    assert not [query for query in queries if query["sql"].startswith("ANALYZE")]
