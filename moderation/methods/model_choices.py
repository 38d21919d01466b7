"""The models that a form offers by name."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from providers import bindings


def named_models() -> list[tuple[str, str]]:
    """Return the models of the allow-list that have a full name; its patterns cannot be chosen in a form."""
    return [(name, name) for name in bindings.allowed_models() if "*" not in name]


def model_choices() -> list[tuple[str, Any]]:
    """Return the same models after an empty choice: the project's own model."""
    return [("", _("the project's")), *named_models()]
