"""The body of a request over the API: its fields follow from the declaration (`vocabulary/requests.py`)."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, Generic, TypeVar

from rest_framework import serializers

from annotation.api.request_base import BoundedList, LineField, RequestShape, WrittenField
from annotation.domain.text_rules import NOTE_LIMIT
from vocabulary.refusals import Refused
from vocabulary.requests import Asked, Place, Request, places

Asking = TypeVar("Asking", bound=Request)


class ReadField(serializers.CharField):
    """A text that a function of the declaration reads; empty: None."""

    def __init__(self, asked: Asked, **kwargs: Any) -> None:
        super().__init__(default="", allow_blank=True, max_length=asked.longest, **kwargs)
        self.asked = asked

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Return what the text means."""
        written = super().run_validation(data).strip()
        try:
            return self.asked.read(written) if written and self.asked.read else written or None
        except Refused as fault:
            raise serializers.ValidationError(str(fault)) from None


class AskingShape(RequestShape, Generic[Asking]):
    """The base of a body that asks for a request. A subclass names it, and adds fields that only the API has."""

    asks: type[Asking]
    only: tuple[str, ...] = ()
    """The fields of the request that the API asks for; empty: all."""
    before: tuple[str, ...] = ()
    """Fields that only the API has and that stand before those of the request."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = cls._declared_fields
        asked = [(place, place.asked) for place in places(cls.asks) if place.asked]
        fields = {place.name: _field(place, by) for place, by in asked if not cls.only or place.name in cls.only}
        cls._declared_fields = {name: own[name] for name in cls.before} | fields | own

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Check what no field can check alone."""
        for name, sentence in self.asks.missing(self.answers(attrs)):
            raise serializers.ValidationError({name: sentence})
        return attrs

    def answers(self, attrs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the valid values by the names of their places."""
        return dict(attrs)

    def request(self) -> Asking:
        """Return the request of a valid body."""
        return self.asks.of(self.answers(self.validated_data))


def _field(place: Place, asked: Asked) -> serializers.Field[Any, Any, Any, Any]:
    common: dict[str, Any] = {"help_text": asked.body} if asked.body else {}
    if place.several:
        common |= {"min_length": place.fewest} if place.fewest else {}
        default = [member.value if isinstance(member, Enum) else member for member in place.default] or list
        return BoundedList(child=_entry(place, asked), default=default, max_length=asked.most, **common)
    if place.members:
        return _entry(place, asked, **_unless_named(place), **common)
    if place.kind is bool:
        return serializers.BooleanField(default=place.default, **common)
    if place.kind in _NUMBERS:
        return _number(place, **common)
    if asked.read:
        return ReadField(asked, **common)
    if asked.rows:
        common |= {} if place.required else {"default": place.default, "allow_blank": True}
        return WrittenField(limit=asked.longest or NOTE_LIMIT, **common)
    return _entry(place, asked, default=place.default, allow_blank=not place.default, **common)


_NUMBERS: Mapping[Any, type[serializers.IntegerField | serializers.FloatField]] = {
    int: serializers.IntegerField,
    float: serializers.FloatField,
}


def _number(place: Place, **common: Any) -> serializers.IntegerField | serializers.FloatField:
    common |= {"allow_null": True} if place.default is None else {}
    return _NUMBERS[place.kind](default=place.default, min_value=place.least, max_value=place.most, **common)


def _unless_named(place: Place) -> dict[str, Any]:
    """Return what a member of a closed set is where none is named; without a default it is not there."""
    if place.required:
        return {}
    if place.default is None:
        return {"required": False}
    return {"default": place.default.value if isinstance(place.default, Enum) else place.default}


def _entry(place: Place, asked: Asked, **more: Any) -> serializers.Field[Any, Any, Any, Any]:
    if place.members:
        return serializers.ChoiceField(place.written, **more)
    return (LineField if asked.line else serializers.CharField)(max_length=asked.longest, **more)
