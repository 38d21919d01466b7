"""The options of a method as people choose them: its form, and what an evaluation compares.

All follow from the declaration of the options (`vocabulary/requests.py`); what is not `Asked` is for programs.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from pydantic import BaseModel

from annotation.models import Project
from annotation.pages.form_fields import offer
from annotation.pages.request_form import field_of
from moderation.domain.prompt_options import PromptOptions
from vocabulary.requests import Asked, Place, places

Offered = Mapping[str, Callable[[Project], Iterable[tuple[Any, Any]]]]
"""The choices of fields that depend on the project or the site, by the field's name."""

_NUMBERS = re.compile(r"[\d\s,;]*\Z")


class ProjectForm(forms.Form):
    """A form about a project; its choices may depend on the project."""

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project


class OptionForm(ProjectForm):
    """The fields of one method in the form that starts any method.

    All methods share one form on the page, so no two of them may use the same field name; the site does not start then.
    Fields are optional and validate by themselves (`clean_…` methods are not called).
    """

    asks: ClassVar[type[BaseModel]] = PromptOptions
    offered: ClassVar[Offered] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        fields = {place.name: _field(place, asked) for place, asked in _asked(cls.asks)}
        cls.declared_fields = fields | cls.declared_fields

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, project=project, **kwargs)
        for name, choices in self.offered.items():
            offer(self, name, choices(project))

    @classmethod
    def options(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the run's options for these cleaned values; empty fields are left to the method's defaults."""
        given = ((place, asked, values[place.name]) for place, asked in _asked(cls.asks))
        return {
            place.field: value * asked.unit if asked.unit > 1 else _reader(place)(value) if asked.words else value
            for place, asked, value in given
            if value not in ("", None)
        }

    @classmethod
    def by_option(cls) -> dict[str, forms.Field]:
        """Return the fields by the options or roles that they fill in. A field in another unit is none of them."""
        options = {place.name: place.field for place, _ in _asked(cls.asks)}
        scaled = {place.name for place, asked in _asked(cls.asks) if asked.unit > 1}
        return {options.get(name, name): field for name, field in cls.base_fields.items() if name not in scaled}


class NumbersField(forms.CharField):
    """Numbers from `least` to `most`, separated by commas; cleaned to a sorted list, each number once."""

    def __init__(self, *, least: int, most: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.least, self.most = least, most

    def clean(self, value: Any) -> Any:
        """Return the numbers. Raises ValidationError for others."""
        written = super().clean(value)
        numbers = [int(number) for number in re.findall(r"\d+", written)]
        if not _NUMBERS.match(written) or any(not self.least <= number <= self.most for number in numbers):
            sentence = gettext("Numbers from %(least)d to %(most)d, separated by commas.")
            raise ValidationError(sentence % {"least": self.least, "most": self.most})
        return sorted(set(numbers))


def option_form(name: str, options: type[BaseModel], judge: Mapping[str, Any], offered: Offered) -> type[OptionForm]:
    """Return the form of these options. `judge`: the label of the field for the judge's model, by its name."""
    fields = {field: forms.ChoiceField(label=label, required=False) for field, label in judge.items()}
    return type(name, (OptionForm,), {"__module__": __name__, "asks": options, "offered": offered, **fields})


def compared_fields(options: type[BaseModel]) -> dict[str, forms.Field]:
    """Return the fields in which an evaluation takes several values of an option, by the option's name."""
    return {place.field: _compared(place, asked) for place, asked in _asked(options) if asked.compared}


def _asked(options: type[BaseModel]) -> Iterator[tuple[Place, Asked]]:
    return ((place, place.asked) for place in places(options) if place.asked)


def _field(place: Place, asked: Asked) -> forms.Field:
    """Return the field of an option: it stands at the default, and need not be filled in."""
    field = field_of(place, asked)
    field.required = False
    field.initial = place.default // asked.unit if asked.unit > 1 else place.default
    return field


def _compared(place: Place, asked: Asked) -> forms.Field:
    label = gettext_lazy(asked.compared)
    if not asked.words:
        several = gettext_lazy("Several, like 1, 2, 3, are compared.")
        return NumbersField(
            least=place.least, most=place.most, label=label, required=False, max_length=40, help_text=several
        )
    return forms.TypedMultipleChoiceField(
        label=label,
        choices=_choices({**asked.words, **(asked.only_compared or {})}),
        coerce=_reader(place),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )


def _reader(place: Place) -> Callable[[str], Any]:
    return int if isinstance(place.default, int) else str


def _choices(words: Mapping[Any, str]) -> list[tuple[Any, str | Promise]]:
    return [(value, gettext_lazy(word)) for value, word in words.items()]
