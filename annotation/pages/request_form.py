"""The form of a request: its fields follow from the declaration (`vocabulary/requests.py`)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.domain.text_rules import NOTE_LIMIT
from annotation.pages.form_fields import LineField, WrittenField, choices_of
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
        fields = {place.switch: field_of(place, asked) for place, asked in _asked(cls.asks)}
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
        shown = [(asked.last, place) for place, asked in _asked(self.asks) if asked.group == group]
        names = [place.switch for _last, place in sorted(shown, key=lambda pair: pair[0])]
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
        return {place.name: _answer(place, self.cleaned_data.get(place.switch)) for place, _by in _asked(self.asks)}

    def request(self) -> Asking:
        """Return the request of a valid form."""
        return self.asks.of(self.answers())


def _asked(request: type[Request]) -> Iterator[tuple[Place, Asked]]:
    return ((place, place.asked) for place in places(request) if place.asked and place.asked.label)


def _answer(place: Place, value: Any) -> Any:
    if place.several:
        return tuple(value or ())
    if place.kind is bool:
        return bool(value) is not place.default
    if value in (None, ""):
        return place.default
    return place.kind(value) if place.members else value


def field_of(place: Place, asked: Asked) -> forms.Field:
    """Return the field of one place."""
    common: dict[str, Any] = {
        "label": gettext_lazy(asked.label),
        "help_text": gettext_lazy(asked.help) if asked.help else "",
        "required": place.required or place.fewest > 0,
    }
    if place.kind is bool:
        return forms.BooleanField(**common)
    if place.several:
        common["initial"] = list(asked.ticked or place.default)
        return forms.MultipleChoiceField(choices=_choices(place, asked), widget=forms.CheckboxSelectMultiple, **common)
    if asked.radio:
        common |= {"initial": place.default, "widget": forms.RadioSelect}
    if asked.words or asked.offered:
        return forms.ChoiceField(choices=_choices(place, asked), **common)
    if asked.read:
        return ReadField(asked, **common)
    if asked.rows:
        box = forms.Textarea(attrs={"rows": asked.rows, "dir": "auto"})
        return WrittenField(limit=asked.longest or NOTE_LIMIT, widget=box, **common)
    common["initial"] = place.default or None
    if place.kind in _NUMBERS:
        least, most = place.bounds
        return _NUMBERS[place.kind](min_value=least, max_value=most, **common)
    common |= {"required": bool(place.default), "max_length": asked.longest}  # a text that has one at first needs one
    return LineField(**common) if asked.line else forms.CharField(**common)


_NUMBERS: dict[Any, type[forms.IntegerField]] = {int: forms.IntegerField, float: forms.FloatField}


def _choices(place: Place, asked: Asked) -> tuple[tuple[Any, Any], ...]:
    """Return the choices of a closed set; empty if the page offers its own."""
    words = {value: gettext_lazy(word) for value, word in (asked.words or {}).items()}
    if words and issubclass(place.kind, Enum):
        choices_of(place.kind, {**words, **(asked.only_compared or {})})  # each member has its words
    return tuple(words.items())
