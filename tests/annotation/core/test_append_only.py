"""T16: rows that are only ever added, guarded by the database itself."""

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import IntegrityError, connection, models, transaction

import builders
from annotation.core.append_only import MODELS, check_append_only, lifted, missing_triggers, trigger_names
from annotation.domain.choices import Role
from annotation.models import (
    Adjudication,
    AppendOnly,
    AppendOnlyError,
    Event,
    Label,
    Release,
    Ruling,
    record,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows():
    """One row in every guarded table, by model."""
    project = builders.make_project()
    annotator = builders.make_member(project, Role.ANNOTATOR)
    item = builders.make_open_item(project)
    label = builders.make_label(item.seat_rows.first(), annotator, 1)
    return {
        Label: label,
        Event: record("tested", project=project, actor=annotator, item=item),
        Release: Release.objects.create(project=project, number=1, items=0, folder="r1"),
        Adjudication: Adjudication.objects.create(
            item=item,
            round=1,
            reviewer=annotator,
            ruling=Ruling.DECIDE,
            category=builders.category(project, 1),
            rationale="Read twice.",
            item_version=1,
        ),
    }


def refused(do):
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        do()


def test_every_append_only_model_is_guarded_by_its_triggers_after_migrate(rows):
    assert sorted(model.__name__ for model in AppendOnly.__subclasses__()) == sorted(MODELS)
    assert missing_triggers(connection) == []
    names = trigger_names("annotation_label", connection.vendor)
    assert len(names) == {"sqlite": 3, "postgresql": 2}[connection.vendor]


def test_rows_cannot_be_changed_or_removed_in_any_way(rows):
    for model, row in rows.items():
        table, key = model._meta.db_table, model._meta.pk.column

        def run(statement):
            with connection.cursor() as cursor:
                cursor.execute(statement)

        with pytest.raises(AppendOnlyError):
            row.save()
        with pytest.raises(AppendOnlyError):
            row.delete()
        refused(lambda model=model: model.objects.update(id=7_000_000))
        refused(lambda model=model, row=row: model.objects.filter(pk=row.pk)._raw_delete(model.objects.db))
        refused(lambda run=run, table=table, key=key: run(f'UPDATE "{table}" SET "{key}" = "{key}"'))
        refused(lambda run=run, table=table: run(f'DELETE FROM "{table}"'))
        if connection.vendor == "sqlite":
            refused(lambda run=run, table=table: run(f'INSERT OR REPLACE INTO "{table}" SELECT * FROM "{table}"'))
        assert model.objects.filter(pk=row.pk).exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no TRUNCATE")
def test_a_table_cannot_be_emptied_at_once(rows):
    for model in rows:
        with pytest.raises(IntegrityError, match="append-only"), connection.cursor() as cursor:
            cursor.execute(f'TRUNCATE "{model._meta.db_table}" CASCADE')


@pytest.mark.django_db(transaction=True)
def test_the_check_names_a_trigger_that_is_gone():
    with lifted(connection):
        gone = check_append_only(databases=["default"])
    assert {error.id for error in gone} == {"annotation.E001"}
    assert any(trigger_names("annotation_event", connection.vendor)[0] in error.msg for error in gone)
    assert check_append_only(databases=["default"]) == []
    call_command("check", database=["default"], verbosity=0)


def test_the_triggers_are_these_by_name():
    kinds = {"sqlite": ("no_update", "no_delete", "no_replace"), "postgresql": ("no_change", "no_truncate")}
    tables = ("adjudication", "event", "label", "release")
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        else:
            cursor.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
        found = {name for (name,) in cursor.fetchall()}
    guards = {f"annotation_{table}_{kind}" for table in tables for kind in kinds[connection.vendor]}
    # Indexes of words follow their tables by triggers on SQLite, and would be empty without them.
    passages = {"moderation_passage_added", "moderation_passage_removed"}
    acts = ("insert", "delete", "update")
    words = {f"annotation_{table}_words_{act}" for table in ("item", "picturetext") for act in acts}
    assert found == guards | (passages | words if connection.vendor == "sqlite" else set())


def test_nothing_cascades_out_of_or_into_a_guarded_table():
    guarded = set(AppendOnly.__subclasses__())
    keys = [
        field
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, models.ForeignKey) and {model, field.related_model} & guarded
    ]
    assert len(keys) > 15
    assert [field for field in keys if field.remote_field.on_delete is not models.PROTECT] == []


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite replaces rows")
def test_a_row_is_not_replaced_by_one_that_shares_another_of_its_keys(rows):
    names = [field.column for field in Label._meta.local_concrete_fields]
    others = ", ".join(name for name in names if name != "id")
    statement = f"INSERT OR REPLACE INTO annotation_label (id, {others}) SELECT id + 1, {others} FROM annotation_label"
    refused(lambda: connection.cursor().execute(statement))
    assert Label.objects.get() == rows[Label]
