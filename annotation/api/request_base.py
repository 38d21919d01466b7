"""Bodies of requests: what the API reads of them."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.domain.text_rules import NOTE_LIMIT, BadText, read_optional_text, read_text
from annotation.models.lines import validate_line

MOST_ENTRIES = 10_000
"""The maximum length of a list that names no other."""
MOST_ERRORS = 100
"""Errors that are told of one list or object: a body may have a million entries, and each error takes a kilobyte."""


class BoundedList(serializers.ListField):
    """A list whose length is looked at before its entries are."""

    def run_child_validation(self, data: list[Any]) -> list[Any]:
        """Read the entries. Raises ValidationError with the first faults."""
        if len(data) > (most := self.max_length or MOST_ENTRIES):
            message = _("Ensure this field has no more than %(most)s elements.") % {"most": most}
            raise serializers.ValidationError(message, code="max_length")
        return [value for _place, value in _validated(self.child, enumerate(data))]


class BoundedDict(serializers.DictField):
    """An object of whose wrong values the first ones are told."""

    def run_child_validation(self, data: Mapping[Any, Any]) -> dict[str, Any]:
        """Read the values. Raises ValidationError with the first faults."""
        return dict(_validated(self.child, ((str(name), value) for name, value in data.items())))


def _validated(child: Any, entries: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    values, errors = [], {}
    for place, entry in entries:
        try:
            values.append((place, child.run_validation(entry)))
        except serializers.ValidationError as fault:
            errors[place] = fault.detail
            if len(errors) == MOST_ERRORS:
                break
    if errors:
        raise serializers.ValidationError(errors)
    return values


class LineField(serializers.CharField):
    """A name or another text of one line (`annotation/domain/one_line.py`)."""

    default_validators = [validate_line]


class WrittenField(serializers.CharField):
    """A text of at most `limit` characters, kept as written; its refusals are those of pages and files."""

    def __init__(self, *, limit: int = NOTE_LIMIT, **kwargs: Any) -> None:
        super().__init__(max_length=limit, trim_whitespace=False, **kwargs)
        self.limit = limit

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Return the text. Raises ValidationError with the code and the sentence of `annotation/domain/text_rules`."""
        if isinstance(data, str):
            try:
                (read_optional_text if self.allow_blank else read_text)(data, self.limit)
            except BadText as bad:
                raise serializers.ValidationError(bad.sentence, bad.code) from None
        return super().run_validation(data)


class RequestShape(serializers.Serializer[Any]):
    """A body whose fields are all named. A field that does not exist is refused, since it may be a misspelt one.

    Not for what annotators send: no label is lost for a field too many.
    """

    def to_internal_value(self, data: Any) -> Any:
        """Read the body. Raises ValidationError for the first field that does not exist."""
        if isinstance(data, dict) and (unknown := [name for name in data if name not in self.fields]):
            names = ", ".join(self.fields)
            raise serializers.ValidationError({str(unknown[0])[:80]: f"There is no such field; there are {names}."})
        return super().to_internal_value(data)
