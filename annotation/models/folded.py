"""The field for what search compares: another field of the row in one written form (`domain/folding`)."""

from collections.abc import Mapping
from typing import Any

from django.db import models

from annotation.domain.folding.text import folded


class FoldedField(models.TextField[str, str]):
    """The folded text of the field `text`, written whenever the row is saved.

    An update of `text` by a queryset leaves it as it was: save the row, or update both.
    """

    def __init__(self, **options: Any) -> None:
        usual: dict[str, Any] = {"blank": True, "default": "", "db_default": "", "editable": False}
        super().__init__(**usual | options)

    def deconstruct(self) -> Any:
        """Return the field as migrations know it: the database has an ordinary column."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.TextField", args, kwargs

    def derive(self, values: Mapping[str, Any]) -> str:
        """Return the value that follows from the others of a row, for rows that are inserted without a model."""
        return folded(values.get("text", ""))

    def pre_save(self, model_instance: Any, add: bool) -> str:
        """Return the folded text, and set it on the row too."""
        value = self.derive({"text": model_instance.text})
        setattr(model_instance, self.attname, value)
        return value
