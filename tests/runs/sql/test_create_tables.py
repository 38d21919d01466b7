"""Tables that are created together are those that their operations create one after the other."""

from typing import Any

import pytest
from django.apps import apps
from django.db import connection, migrations, models
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from runs.sql.create_tables import CreateTables

pytestmark = pytest.mark.django_db(transaction=True)


def operations() -> list[Operation]:
    key = ("id", models.BigAutoField(primary_key=True))
    name = models.CharField(max_length=9, db_index=True)
    shelf = models.ForeignKey("runs.Shelf", models.CASCADE)
    shelves = models.ManyToManyField("runs.Shelf", related_name="+")
    owner = models.ForeignKey("annotation.User", models.CASCADE, null=True)
    once = models.UniqueConstraint(fields=("name",), condition=models.Q(id__gt=3), name="shelf_once")
    return [
        migrations.CreateModel("Shelf", [key, ("name", name)]),
        migrations.CreateModel(
            "Book", [key, ("shelf", shelf), ("shelves", shelves)], options={"unique_together": {("shelf", "id")}}
        ),
        migrations.AddField("Shelf", "best", models.OneToOneField("runs.Book", models.SET_NULL, null=True)),
        migrations.AddField("Book", "owner", owner),
        migrations.AddIndex("Book", models.Index(fields=("owner", "shelf"), name="book_by_owner")),
        migrations.AddConstraint("Shelf", once),
        migrations.AddConstraint("Shelf", models.CheckConstraint(condition=models.Q(id__lt=99), name="shelf_few")),
    ]


def schema() -> dict[str, Any]:
    """Return columns and constraints of the sample's tables."""
    with connection.cursor() as cursor:
        names = sorted(
            name
            for name in connection.introspection.table_names(cursor)
            if name.startswith(("runs_book", "runs_shelf"))
        )
        return {
            name: (
                [column[:8] for column in connection.introspection.get_table_description(cursor, name)],
                connection.introspection.get_constraints(cursor, name),
            )
            for name in names
        }


def applied(operations: list[Operation], *, rendered: bool) -> tuple[dict[str, Any], dict[str, Any], ProjectState]:
    """Return the schema after these operations, that after their reversal, and the state that they lead to."""
    state = ProjectState.from_apps(apps)
    if rendered:
        assert state.apps
    states = [state]
    for operation in operations:
        following = states[-1].clone()
        operation.state_forwards("runs", following)
        states.append(following)
    with connection.schema_editor() as editor:
        for operation, before, after in zip(operations, states[:-1], states[1:], strict=True):
            operation.database_forwards("runs", editor, before, after)
    created = schema()
    with connection.schema_editor() as editor:
        for number in reversed(range(len(operations))):
            operations[number].database_backwards("runs", editor, states[number + 1], states[number])
    return created, schema(), states[-1]


@pytest.mark.parametrize("rendered", [True, False])
def test_tables_created_together_are_those_created_in_turn(rendered: bool) -> None:
    together = applied([CreateTables(operations())], rendered=rendered)
    in_turn = applied(operations(), rendered=True)
    assert sorted(together[0]) == ["runs_book", "runs_book_shelves", "runs_shelf"]
    assert together[0] == in_turn[0]
    assert together[1] == in_turn[1] == {}
    for name in ("shelf", "book"):
        models_of = [each[2].models["runs", name] for each in (together, in_turn)]
        assert list(models_of[0].fields) == list(models_of[1].fields)
        assert models_of[0].options.keys() == models_of[1].options.keys()


def test_it_says_how_many_tables_it_creates() -> None:
    assert CreateTables(operations()).describe() == "Create 2 tables"
