"""The first migration of an app: all its tables at once.

After each operation of a migration Django makes the classes of all models anew that are related to the changed one. Of
an app with forty related models that takes most of the time in which a new site gets its tables. Here the classes are
made once, when all models are known.
"""

from collections.abc import Sequence
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class CreateTables(Operation):
    """Create the models of these operations with what later ones of them add: fields, constraints and indexes.

    Every model that they change must be created here.
    """

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = operations

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Add the models to the state; their classes are made when somebody asks for them."""
        vars(state).pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Create the tables as the last operation leaves them."""
        for model in self._models(app_label, schema_editor, to_state):
            schema_editor.create_model(model)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Delete the tables, the newest first."""
        for model in reversed(self._models(app_label, schema_editor, from_state)):
            schema_editor.delete_model(model)

    def describe(self) -> str:
        """Return what the operation does, for the list of migrations."""
        return f"Create {len(self._names())} tables"

    def _names(self) -> list[str]:
        return [operation.name for operation in self.operations if isinstance(operation, CreateModel)]

    def _models(self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, state: ProjectState) -> list[Any]:
        models = [state.apps.get_model(app_label, name) for name in self._names()]
        return [model for model in models if self.allow_migrate_model(schema_editor.connection.alias, model)]
