"""The form fields of what questions of some kinds have in a design, by the class of `DesignField`.

Words in several languages stand in one field: `How bad? | ko: 얼마나 심합니까?`, first those for every other language.
"""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.domain.questions.design_fields import DesignField, Options, WholeNumber, Words
from annotation.domain.questions.kinds.registry import KINDS
from annotation.pages.form_fields import LineField

OWN_FIELDS = {field.name: field for kind in KINDS.values() for field in kind.fields}
"""What questions of some kinds have, by name, in the order of the page."""
_LANGUAGE = re.compile(r"\s*\|\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)\s*:\s*")
_LINE_END = re.compile(r"\s*\n\s*")
_FEW = 10  # numbers that a page offers in a list


def written(words: str | dict[str, str]) -> str:
    """Return words as the field shows them."""
    by_language = {"": words} if isinstance(words, str) else words
    others = (f"| {language}: {text}" for language, text in by_language.items() if language)
    return " ".join([by_language.get("", ""), *others]).strip()


def read(field: str) -> dict[str, str]:
    """Return the words of a field by language code."""
    everywhere, *others = _LANGUAGE.split(_LINE_END.sub(" ", field))
    words = {"": everywhere.strip()} | dict(zip(others[::2], others[1::2], strict=True))
    return {language: text for language, text in words.items() if text.strip()}


def form_field(field: DesignField) -> forms.Field:
    """Return the form field of a field of a design."""
    words: dict[str, Any] = {"label": gettext_lazy(field.label), "required": False}
    if field.help:
        words["help_text"] = gettext_lazy(field.help)
    match field:
        case Options():
            return forms.CharField(widget=forms.Textarea({"rows": 4, "dir": "auto"}), **words)
        case WholeNumber() if field.most - field.least < _FEW:
            numbers = [(str(number), str(number)) for number in range(field.least, field.most + 1)]
            return forms.TypedChoiceField(choices=numbers, coerce=int, initial=field.suggested, **words)
        case WholeNumber():
            return forms.IntegerField(min_value=field.least, max_value=field.most, **words)
    return LineField(**words)


def in_form(field: DesignField, value: Any) -> Any:
    """Return what stands in a design as the form field shows it."""
    match field:
        case Options():
            return "\r\n".join(_written_option(option) for option in value if not option.get("retired"))
        case Words():
            return written(value)
    return value


def in_design(field: DesignField, value: Any) -> Any:
    """Return what a form field read as it stands in a design; None leaves the field out."""
    match field:
        case Options():
            return [_read_option(line) for line in value.split("\n") if line.strip()]
        case Words():
            return read(value)
    return value or None


def _written_option(option: dict[str, Any]) -> str:
    return f"{option['code']} = {written(option['name'])}" if option.get("name") else str(option["code"])


def _read_option(line: str) -> dict[str, Any]:
    code, _equals, name = line.partition("=")
    return {"code": code.strip(), "name": read(name)}
