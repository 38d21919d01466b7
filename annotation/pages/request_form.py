"""The form of a request: its fields follow from the declaration (`vocabulary/requests.py`)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.pages.form_fields import choices_of
from vocabulary.refusals import Refused
from vocabulary.requests import Asked, Place, Request, RequestSection, places

Asking = TypeVar("Asking", bound=Request)


@dataclass(frozen=True)
class FieldGroup:
    """Fields under one title."""

    title: Any
    fields: list[forms.BoundField]
    is_wrong: bool


class ReadField(forms.CharField):
    """A text that a function of the declaration reads; empty: None."""

    def __init__(self, asked: Asked, **kwargs: Any) -> None:
        super().__init__(max_length=asked.longest, **kwargs)
        self.asked = asked

    def clean(self, value: Any) -> Any:
        """Return what the text means."""
        written = super().clean(value).strip()
        try:
            return self.asked.read(written) if written and self.asked.read else written or None
        except Refused as fault:
            raise forms.ValidationError(_(fault.sentence) % fault.values) from None


class RequestForm(forms.Form, Generic[Asking]):
    """The base of a form that asks for a request. A subclass names it, and adds fields that only its page has."""

    asks: type[Asking]
    beside: Mapping[RequestSection, tuple[str, ...]] = {}
    """Fields of the page alone, by the group at whose end they are shown."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        fields = {place.switch: _field(place, place.asked) for place in places(cls.asks) if place.asked}
        cls.declared_fields = fields | cls.declared_fields

    @property
    def ungrouped(self) -> list[forms.BoundField]:
        """Return the fields that are always open."""
        return list(self._of_group(None))

    @property
    def groups(self) -> list[FieldGroup]:
        """Return the rarely changed fields, collapsed under titles; a group with an error is open."""
        grouped = ((group, list(self._of_group(group))) for group in self.asks.groups)
        return [FieldGroup(_(group.title), shown, any(each.errors for each in shown)) for group, shown in grouped]

    def _of_group(self, group: RequestSection | None) -> Iterator[forms.BoundField]:
        asked = [(place.asked.last, place) for place in places(self.asks) if place.asked and place.asked.group == group]
        names = [place.switch for _last, place in sorted(asked, key=lambda pair: pair[0])]
        if group is not None:
            names += self.beside.get(group, ())
        return (self[name] for name in names if name in self.fields)

    def clean(self) -> dict[str, Any]:
        """Check what no field can check alone."""
        cleaned = super().clean() or self.cleaned_data
        for name, sentence in self.asks.missing(self.answers()):
            if name not in self.errors:
                self.add_error(name, _(sentence))
        return cleaned

    def answers(self) -> dict[str, Any]:
        """Return the valid values by the names of their places."""
        given = {place.name: (place, self.cleaned_data.get(place.switch)) for place in places(self.asks) if place.asked}
        return {name: _answer(place, value) for name, (place, value) in given.items()}

    def request(self) -> Asking:
        """Return the request of a valid form."""
        return self.asks.of(self.answers())


def _answer(place: Place, value: Any) -> Any:
    if place.several:
        return tuple(value or ())
    if place.kind is bool:
        return bool(value) is not place.default
    return place.default if value in (None, "") else value


def _field(place: Place, asked: Asked) -> forms.Field:
    common: dict[str, Any] = {
        "label": gettext_lazy(asked.label),
        "help_text": gettext_lazy(asked.help) if asked.help else "",
        "required": False,
    }
    if place.kind is bool:
        return forms.BooleanField(**common)
    if place.kind is int:
        return forms.IntegerField(min_value=place.least, max_value=place.most, **common)
    choices = _choices(place.kind, asked)
    if place.several:
        initial = list(asked.ticked or place.default)
        return forms.MultipleChoiceField(
            choices=choices, initial=initial, widget=forms.CheckboxSelectMultiple, **common
        )
    if choices:
        return forms.ChoiceField(choices=choices, initial=place.default, widget=forms.RadioSelect, **common)
    return ReadField(asked, **common)


def _choices(kind: Any, asked: Asked) -> tuple[tuple[Any, Any], ...]:
    """Return the choices of a closed set; empty if it is none, or if the page offers its own."""
    if not issubclass(kind, Enum):
        return ()
    return choices_of(kind, {member: gettext_lazy(word) for member, word in (asked.words or {}).items()})
