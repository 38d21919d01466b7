"""Closed sets whose members have display labels.

The database, the API and the files hold a member's value (`kind_undecided`); pages show its label in the reader's
language. The English label stands beside the value. `pgettext` marks it for `makemessages`, and
`annotation.pages.display_names` translates it. This package imports no other, so every app may use it, also `domain/`.

A value has the same label in every set. Each app registers its closed sets in `AppConfig.ready()`.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, StrEnum
from typing import Self

from vocabulary.registration import complete

_LABELS: dict[str, str] = {}


class ConflictingLabel(ValueError):
    """Two closed sets give the same value different labels."""


def pgettext(context: str, label: str) -> str:
    """Mark a label for translation and return it unchanged."""
    del context
    return label


class NamedEnum(StrEnum):
    """A closed set: members are written as `VALUE` or `VALUE, LABEL`."""

    _value_: str
    label: str
    """The English label; empty if no page shows the member."""

    def __new__(cls, value: str, label: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.label = label
        return member


def register_labels(*named: type[Enum] | Mapping[str, str]) -> None:
    """Add the labels of enums (`NamedEnum`, Django's `TextChoices`) and of mappings from value to label.

    Raises ConflictingLabel if a value has another label already.
    """
    for labels in named:
        for value, label in labels.items() if isinstance(labels, Mapping) else _members(labels):
            if _LABELS.setdefault(value, label) != label:
                raise ConflictingLabel(f"{value!r} is called both {_LABELS[value]!r} and {label!r}.")


def label_of(value: str) -> str | None:
    """Return the registered English label of a stored value.

    Returns None if no app registered one.
    """
    complete()
    return _LABELS.get(value)


def _members(closed_set: Iterable[Enum]) -> Iterator[tuple[str, str]]:
    for member in closed_set:
        label: str = getattr(member, "label", "")
        if label:
            yield str(member.value), label
