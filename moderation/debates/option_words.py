"""The options of a run as pages name them: by the label and the choices of the form that starts it."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation.pages.display_names import name_of
from moderation.debates.forms import RunFields
from moderation.methods.debate_method import DebateMethod

_LONGEST = 60  # characters; longer values are texts, which nobody compares in a line


def in_order(method: DebateMethod, names: Iterable[str]) -> list[str]:
    """Return options and roles in the order of the form that starts the method; what it does not have comes last."""
    known = [*method.form.by_option(), *RunFields.base_fields, *map(str, (*method.roles, *method.optional_roles))]
    return sorted(names, key=lambda name: (known.index(name) if name in known else len(known), name))


def option_name(method: DebateMethod, name: str) -> str:
    """Return the label of an option, or the name of a role."""
    return str(getattr(_field(method, name), "label", None) or name_of(name))


def option_words(method: DebateMethod, name: str, value: Any, number: int) -> str:
    """Return a value of an option in words; `number` tells long texts and lists apart.

    Returns "" for an empty value.
    """
    if isinstance(value, bool):
        return pgettext("option", "yes") if value else pgettext("option", "no")
    if value in (None, "", [], {}):
        return ""
    if isinstance(value, dict | list) or len(str(value)) > _LONGEST:
        return _("version %(number)d") % {"number": number}
    return str(dict(getattr(_field(method, name), "choices", ())).get(value, value))


def _field(method: DebateMethod, name: str) -> forms.Field | None:
    return method.form.by_option().get(name) or RunFields.base_fields.get(name)
