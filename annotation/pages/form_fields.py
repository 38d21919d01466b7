"""Parts of forms that several apps share: a field for longer text, and choices set when a form is created."""

import unicodedata
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import ProhibitNullCharactersValidator
from django.utils.translation import gettext_lazy as _

from annotation.domain.text_rules import NOTE_LIMIT, BadText, read_optional_text, read_text
from annotation.models.lines import validate_line

Value = TypeVar("Value", bound=Enum)


def offer(form: forms.BaseForm, name: str, choices: Iterable[tuple[Any, Any]]) -> None:
    """Set the choices of the form's field of this name. Raises TypeError if the field is not a choice field."""
    field = form.fields[name]
    if not isinstance(field, forms.ChoiceField):
        raise TypeError(f"{name} is no choice field.")
    field.choices = list(choices)


def choices_of(closed_set: type[Value], words: Mapping[Value, Any]) -> tuple[tuple[Value, Any], ...]:
    """Return the words of every member of a closed set as the choices of a field, in the order of the words.

    Raises LookupError for a member without words, so that a new one cannot be forgotten.
    """
    if missing := [member for member in closed_set if member not in words]:
        raise LookupError(f"{', '.join(map(repr, missing))}: add the words for it to this table.")
    return tuple(words.items())


class LineField(forms.CharField):
    """A name or another text of one line (`annotation/domain/one_line.py`), without blanks around it, composed."""

    default_validators = [validate_line]

    def to_python(self, value: Any) -> str:
        return unicodedata.normalize("NFC", super().to_python(value) or "")


class WrittenField(forms.CharField):
    """A text of at most `limit` characters, kept as written except for spaces around it.

    It may have several lines, unless its widget is an input of one line.
    """

    def __init__(self, *, limit: int = NOTE_LIMIT, rows: int = 2, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.Textarea(attrs={"rows": rows, "maxlength": limit, "dir": "auto"}))
        super().__init__(**kwargs)
        self.limit = limit
        self.validators = [
            validator for validator in self.validators if not isinstance(validator, ProhibitNullCharactersValidator)
        ]

    def validate(self, value: Any) -> None:
        super().validate(value)
        if not isinstance(self.widget, forms.Textarea):
            validate_line(value)
        read = read_text if self.required else read_optional_text
        try:
            read(value, self.limit)
        except BadText as bad:
            raise ValidationError(_sentence(bad), code=bad.code, params={"limit": f"{self.limit:,}"}) from bad


def _sentence(bad: BadText) -> Any:
    return _SENTENCES.get(bad.code, bad.sentence)


_SENTENCES = {
    "blank_text": _("Write at least one visible character."),
    "nul_character": _("The text holds a NUL character, which cannot be stored: remove it."),
    "invalid_unicode": _("The text holds half a character. Type it again at that place."),
    "text_too_long": _("The text is too long: at most %(limit)s characters are allowed."),
}
