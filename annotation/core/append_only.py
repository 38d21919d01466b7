"""Append-only tables: triggers that refuse update, delete, replace and truncate.

The model refuses too (`annotation.models.AppendOnly`); the triggers also stop raw SQL, bulk updates and other programs.
On SQLite, Django rebuilds a table to alter a column, which drops its triggers: a migration that alters one of these
tables must end with `KeepAppendOnly` again. A system check and a test list missing triggers.

Only the purge of a whole project (`annotation.projects.purge`) may remove rows. It writes a permit for the project or
for some of its items, removes their rows and deletes the permit, all in one transaction. No other transaction sees the
permit, and a crash rolls it back. On PostgreSQL the trigger also checks that the deletion of the project is due. On
SQLite it must not read other tables, because rebuilding those would then fail.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.apps import apps
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import Model, UniqueConstraint

MODELS = ("Adjudication", "Event", "Label", "Release")
"""The append-only models of `annotation`; each is a subclass of `annotation.models.AppendOnly`."""

PERMITS = "annotation_purgepermit"
"""The table of permits. Earlier migrations create triggers without permits."""

_FUNCTION = """
CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'restrict_violation', MESSAGE = TG_TABLE_NAME || ' is append-only';
END $$
"""

# The argument is the column by which a permit allows the removal of a row.
_FUNCTION_BUT_PURGED = f"""
CREATE OR REPLACE FUNCTION append_only_but_purged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND TG_ARGV[0] = 'project_id' THEN
        PERFORM 1 FROM "{PERMITS}" p JOIN annotation_project r ON r.id = p.project_key
            WHERE p.project_key = OLD.project_id AND r.delete_after <= clock_timestamp();
        IF FOUND THEN RETURN OLD; END IF;
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM 1 FROM "{PERMITS}" p JOIN annotation_item i ON i.id = p.item_key
            JOIN annotation_project r ON r.id = i.project_id
            WHERE p.item_key = OLD.item_id AND r.delete_after <= clock_timestamp();
        IF FOUND THEN RETURN OLD; END IF;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'restrict_violation', MESSAGE = TG_TABLE_NAME || ' is append-only';
END $$
"""


def trigger_names(table: str, vendor: str) -> tuple[str, ...]:
    """Return the names of the triggers that protect a table on this database."""
    kinds = {"postgresql": ("no_change", "no_truncate"), "sqlite": ("no_update", "no_delete", "no_replace")}
    return tuple(f"{table}_{kind}" for kind in kinds[vendor])


def missing_triggers(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the names of triggers of append-only tables that are missing."""
    expected = [name for model in _models() for name in trigger_names(model._meta.db_table, connection.vendor)]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D'")
        else:
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        existing = {name for (name,) in cursor.fetchall()}
    return [name for name in expected if name not in existing]


@contextmanager
def lifted(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Run without the triggers, then create them again. Used only to empty a test database."""
    models = [model for model in _models() if not _missing_of(model, connection)]
    with connection.schema_editor() as editor:
        for model in models:
            _drop(editor, model)
    try:
        yield
    finally:
        with connection.schema_editor() as editor:
            for model in models:
                _create(editor, model, purgeable=True)


class KeepAppendOnly(Operation):
    """Migration operation that creates the triggers of some models (again); reversing it removes them."""

    reduces_to_sql = True
    reversible = True

    def __init__(self, models: Sequence[str]) -> None:
        self.models = models

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        return type(self).__qualname__, [self.models], {}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change nothing: Django's model state does not know triggers."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for name in self.models:
            model = to_state.apps.get_model(app_label, name)
            if self.allow_migrate_model(schema_editor.connection.alias, model):
                _drop(schema_editor, model)
                _create(schema_editor, model, purgeable=(app_label, "purgepermit") in to_state.models)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for name in self.models:
            model = to_state.apps.get_model(app_label, name)
            if self.allow_migrate_model(schema_editor.connection.alias, model):
                _drop(schema_editor, model)

    def describe(self) -> str:
        return f"Keep {', '.join(self.models)} append-only"


@register(Tags.database)
def check_append_only(databases: Sequence[str] | None = None, **options: Any) -> list[CheckMessage]:
    """Report append-only tables without their triggers (`manage.py check --database default`)."""
    return [
        Error(
            f"Trigger {name} is missing: rows of an append-only table could be changed.",
            hint="End the migration that altered the table with annotation.core.append_only.KeepAppendOnly.",
            id="annotation.E001",
        )
        for alias in databases or ()
        for name in _missing_of_migrated(connections[alias])
    ]


def _missing_of_migrated(connection: BaseDatabaseWrapper) -> list[str]:
    """Return missing triggers if the migration that creates them is applied, else an empty list."""
    tables = set(connection.introspection.table_names())
    if "django_migrations" not in tables:
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM django_migrations WHERE app = 'annotation' AND name = '0001_schema'", ())
        applied = cursor.fetchone()
    return missing_triggers(connection) if applied else []


def _models() -> list[type[Model]]:
    return [apps.get_model("annotation", name) for name in MODELS]


def _missing_of(model: type[Model], connection: BaseDatabaseWrapper) -> bool:
    return bool(set(missing_triggers(connection)) & set(trigger_names(model._meta.db_table, connection.vendor)))


def _drop(editor: BaseDatabaseSchemaEditor, model: type[Model]) -> None:
    table, vendor = model._meta.db_table, editor.connection.vendor
    for name in trigger_names(table, vendor):
        on_table = f' ON "{table}"' if vendor == "postgresql" else ""
        editor.execute(f'DROP TRIGGER IF EXISTS "{name}"{on_table}', None)


def _create(editor: BaseDatabaseSchemaEditor, model: type[Model], *, purgeable: bool) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute(_FUNCTION, None)
        if purgeable:
            editor.execute(_FUNCTION_BUT_PURGED, None)
    make = _postgresql if editor.connection.vendor == "postgresql" else _sqlite
    for statement in make(model, purgeable=purgeable):
        editor.execute(statement, None)


def _permitted_by(model: type[Model]) -> str:
    """Return the column by which a permit allows the removal of rows of this model."""
    columns = {field.column for field in model._meta.local_concrete_fields}
    return "item_id" if "item_id" in columns and model.__name__ != "Event" else "project_id"


def _postgresql(model: type[Model], *, purgeable: bool) -> list[str]:
    table = model._meta.db_table
    change, truncate = trigger_names(table, "postgresql")
    guard = f"append_only_but_purged('{_permitted_by(model)}')" if purgeable else "append_only()"
    return [
        f'CREATE TRIGGER "{change}" BEFORE UPDATE OR DELETE ON "{table}" FOR EACH ROW EXECUTE FUNCTION {guard}',
        f'CREATE TRIGGER "{truncate}" BEFORE TRUNCATE ON "{table}" FOR EACH STATEMENT EXECUTE FUNCTION append_only()',
    ]


def _sqlite(model: type[Model], *, purgeable: bool) -> list[str]:
    table = model._meta.db_table
    update, delete, replace = trigger_names(table, "sqlite")
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    column = _permitted_by(model)
    key = "project_key" if column == "project_id" else "item_key"
    unless = f'WHEN NOT EXISTS (SELECT 1 FROM "{PERMITS}" WHERE {key} = OLD.{column}) ' if purgeable else ""
    # INSERT OR REPLACE removes a row with an equal key without firing delete triggers, for every unique key.
    collision = " OR ".join(
        f'EXISTS (SELECT 1 FROM "{table}" WHERE {" AND ".join(f"{column} = NEW.{column}" for column in columns)})'
        for columns in _unique_columns(model)
    )
    return [
        f'CREATE TRIGGER "{update}" BEFORE UPDATE ON "{table}" {refuse}',
        f'CREATE TRIGGER "{delete}" BEFORE DELETE ON "{table}" {unless}{refuse}',
        f'CREATE TRIGGER "{replace}" BEFORE INSERT ON "{table}" WHEN {collision} {refuse}',
    ]


def _unique_columns(model: type[Model]) -> list[list[str]]:
    """Return the quoted columns of every unique key of the table."""
    alone = [[field.column] for field in model._meta.local_concrete_fields if field.unique]
    together = [
        [field.column for field in model._meta.local_concrete_fields if field.name in constraint.fields]
        for constraint in model._meta.constraints
        if isinstance(constraint, UniqueConstraint) and constraint.condition is None
    ]
    return [[f'"{column}"' for column in columns] for columns in alone + together]
