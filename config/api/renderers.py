"""How the API writes its answers."""

from dataclasses import fields, is_dataclass
from typing import Any

from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder


class ValueEncoder(JSONEncoder):
    """Writes a frozen dataclass as the object that the description makes of it: each field under its name."""

    def default(self, obj: Any) -> Any:
        """Return a value that JSON has in place of one that it lacks."""
        if is_dataclass(obj) and not isinstance(obj, type):
            return {each.name: getattr(obj, each.name) for each in fields(obj)}
        plain: Any = super()
        return plain.default(obj)


class AnswerRenderer(JSONRenderer):
    """Writes JSON, and values of the rules as they are."""

    encoder_class = ValueEncoder
