"""Statements that are built once give what their querysets give."""

import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Event, Item, Membership, Project, Seat
from builders import make_labelled_item, make_member, make_open_item, make_picture, make_project, make_user
from concurrency import at_once
from runs.sql.compiled_queries import Changes, CompiledQuery, CompiledUpdate, KeyOf, insert, slot

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
SEATS = Seat.objects.select_related("item__picture", "label__category").order_by("pk")


def same(found: list[Any], queryset: QuerySet[Any]) -> None:
    """The same rows with the same values, related rows at hand without a question."""
    expected = list(queryset)
    with CaptureQueriesContext(connection) as asked:
        assert [vars_of(row) for row in found] == [vars_of(row) for row in expected]
    assert not asked.captured_queries


def vars_of(row: Any) -> dict[str, Any]:
    """The row's own values, and those of the rows at hand through its foreign keys, theirs in turn not."""

    def own(each: Any) -> dict[str, Any]:
        return {name: value for name, value in vars(each).items() if name != "_state"}

    related = row._state.fields_cache.items()
    return own(row) | {f"{name} at hand": each and own(each) for name, each in related}


def test_rows_come_with_what_is_related_and_nothing_is_asked_again():
    project = make_project()
    make_labelled_item(project, [make_member(project) for _ in range(3)], [0, 1, None])
    make_open_item(project, picture=make_picture(project))
    statement = CompiledQuery(SEATS.filter(item__project=slot("project")))
    same(statement.rows(project=project.pk), SEATS.filter(item__project=project))
    assert statement.rows(project=0) == []


def test_the_same_statement_serves_other_values_without_being_built_again():
    seats = [make_open_item(make_project()).seat_rows.first() for _ in range(2)]
    statement = CompiledQuery(SEATS.filter(public_id=slot("seat", Seat._meta.get_field("public_id")))[:1])
    with CaptureQueriesContext(connection) as asked:
        assert [statement.first(seat=seat.public_id) for seat in seats] == seats
        assert statement.first(seat=uuid4()) is None
    assert len(asked) == 3
    assert len(statement._plans) == 1


def test_annotations_and_times_come_as_from_the_queryset():
    member = make_member(make_project(), idle_until=timezone.now())
    since = timezone.now() - timedelta(days=1)
    idle = slot("since", Membership._meta.get_field("idle_until"))
    statement = CompiledQuery(Membership.objects.filter(idle_until__gte=idle).annotate(now=Now(), again=F("pseudonym")))
    (row,) = statement.rows(since=since)
    assert (row, vars(row)["again"]) == (member, member.pseudonym)
    assert vars(row)["now"].tzinfo is not None
    assert statement.rows(since=timezone.now() + timedelta(days=1)) == []


def test_nobody_related_is_none():
    member = make_member(make_project(), user=make_user())
    Membership.objects.filter(pk=member.pk).update(user=None)
    row = CompiledQuery(Membership.objects.select_related("user").filter(pk=slot("pk"))).first(pk=member.pk)
    assert row is not None and row.user is None


def test_values_that_do_not_fit_the_slots_are_refused():
    statement = CompiledQuery(SEATS.filter(pk=slot("seat")))
    for values in ({}, {"sea": 1}, {"seat": 1, "item": 2}):
        with pytest.raises(TypeError, match="takes seat"):
            statement.rows(**values)


@pytest.mark.django_db(transaction=True)
def test_rows_are_locked_only_inside_a_transaction():
    statement = CompiledQuery(Membership.objects.select_for_update().filter(pk=slot("pk")))
    with pytest.raises(TransactionManagementError):
        statement.rows(pk=1)


def test_what_a_person_types_stays_a_value():
    statement = CompiledQuery(Membership.objects.filter(pseudonym=slot("name")))
    make_member(make_project())
    assert statement.rows(name="' OR 1=1 --") == []


@pytest.mark.django_db(transaction=True)
def test_of_many_who_come_first_one_compiles(monkeypatch: pytest.MonkeyPatch):
    """Two at once used to leave SQL behind that named a table which it did not join, for every later request."""
    compiling, together = threading.Lock(), []
    as_sql = SQLCompiler.as_sql

    def slowly(self: SQLCompiler, *arguments: Any, **options: Any) -> Any:
        alone = compiling.acquire(blocking=False)
        together.append(not alone)
        try:
            time.sleep(0.05)
            return as_sql(self, *arguments, **options)
        finally:
            if alone:
                compiling.release()

    project = make_project()
    make_labelled_item(project, [make_member(project) for _ in range(3)], [0, 1, None])
    queryset = SEATS.filter(item__project=slot("project"))
    before = str(sorted(queryset.query.alias_refcount.items()))
    statement = CompiledQuery(queryset)
    monkeypatch.setattr(SQLCompiler, "as_sql", slowly)
    found = at_once([lambda: statement.rows(project=project.pk) for _ in range(8)])
    assert together == [False]
    assert str(sorted(queryset.query.alias_refcount.items())) == before
    monkeypatch.undo()
    for rows in found:
        same(rows, SEATS.filter(item__project=project))


def test_an_inserted_row_is_as_one_that_was_saved() -> None:
    project = make_project()
    facts = {"seat": "x", "numbers": [1, None]}
    saved, inserted = (Event(project=project, verb="bench", row=uuid4(), facts=facts) for _ in range(2))
    saved.save()
    insert(inserted)
    assert inserted.pk and not inserted._state.adding and inserted._state.db == saved._state.db
    first, second = (Event.objects.get(pk=row.pk) for row in (saved, inserted))
    assert (second.verb, second.facts, second.project) == (first.verb, facts, project)
    assert (second.row, second.at, second.actor, second.item) == (inserted.row, inserted.at, None, None)


def test_a_compiled_update_changes_what_its_queryset_would() -> None:
    project = make_project()
    items = [make_open_item(project, priority=number) for number in range(3)]
    moved = CompiledUpdate(
        Item.objects.filter(project=slot("project"), priority__lt=slot("below")),
        taken=F("taken") + 1,
        severity=slot("severity"),
        closed_at=slot("now", Item._meta.get_field("closed_at")),
    )
    now = timezone.now()
    for below, severity in ((2, 3), (1, None)):
        expected = Item.objects.filter(project=project, priority__lt=below).count()
        assert moved.run(project=project.pk, below=below, severity=severity, now=now) == expected
    rows = Item.objects.filter(pk__in=[item.pk for item in items]).order_by("priority")
    assert list(rows.values_list("taken", "severity", "closed_at")) == [(2, None, now), (1, 3, now), (0, None, None)]


def changes_of(project: Project, item: Item, facts: dict[str, Any]) -> tuple[Changes, Event, Event]:
    """Two new events, and items that get the key of the first one as their version; then those of no project."""
    first = Event(project=project, verb="first 100% %s", facts=facts, row=uuid4())
    last = Event(project=project, verb="last", item=item)
    update = CompiledUpdate(
        Item.objects.filter(project=slot("project"), place__gte=slot("place")),
        version=slot("version", Item._meta.get_field("version")),
        closed_at=slot("then", Item._meta.get_field("closed_at")),
    )
    changes = Changes()
    changes.insert(first)
    changes.run(*update.statement(project=project.pk, place=0, version=KeyOf(first), then=NOW))
    changes.insert(last)
    changes.run(*update.statement(project=0, place=0, version=1, then=None))
    return changes, first, last


def test_changes_that_belong_together_are_those_of_their_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = {"words": "100% $1 %s", "none": None}
    stored = []
    for vendor in (connection.vendor, "in turn"):
        project = make_project()
        items = [make_open_item(project, place=place) for place in range(3)]
        changes, first, last = changes_of(project, items[0], facts)
        with monkeypatch.context() as patched, CaptureQueriesContext(connection) as captured:
            if vendor == "in turn":
                patched.setattr(Changes, "_send_together", Changes._send_in_turn)
            assert changes.send() == [1, 3, 1, 0]
        assert len(captured) == (1 if vendor == "postgresql" else 4)
        assert [(row._state.adding, row._state.db) for row in (first, last)] == [(False, "default")] * 2
        assert {item.version for item in Item.objects.filter(project=project)} == {first.pk}
        events = list(Event.objects.filter(pk__in=(first.pk, last.pk)).order_by("pk"))
        for found, sent in zip(events, (first, last), strict=True):
            assert all(getattr(found, name) == getattr(sent, name) for name in ("verb", "facts", "row", "item", "at"))
        times = set(Item.objects.filter(project=project).values_list("closed_at", flat=True))
        stored.append(([(row.verb, row.facts, row.at is None) for row in events], times))
    assert stored[0] == stored[1]


def test_of_changes_that_belong_together_all_are_made_or_none() -> None:
    project = make_project()
    item = make_open_item(project)
    changes, first, _ = changes_of(project, item, {})
    changes.insert(Event(project=project, verb=None))
    with pytest.raises(IntegrityError), transaction.atomic():
        changes.send()
    item.refresh_from_db()
    assert not Event.objects.filter(verb=first.verb).exists() and item.closed_at is None
