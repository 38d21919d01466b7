"""The body of a request over the API: its fields follow from the declaration (`vocabulary/requests.py`)."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, Generic, TypeVar

from rest_framework import serializers

from annotation.api.request_base import BoundedList, RequestShape
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

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        fields = {place.name: _field(place, place.asked) for place in places(cls.asks) if place.asked}
        cls._declared_fields = fields | cls._declared_fields

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
        default = [member.value for member in place.default] or list
        return BoundedList(child=_entry(place, asked), default=default, max_length=asked.most, **common)
    if issubclass(place.kind, Enum):
        return _entry(place, asked, default=place.default.value, **common)
    if place.kind is bool:
        return serializers.BooleanField(default=place.default, **common)
    if place.kind is int:
        return serializers.IntegerField(default=place.default, min_value=place.least, max_value=place.most, **common)
    return ReadField(asked, **common)


def _entry(place: Place, asked: Asked, **more: Any) -> serializers.Field[Any, Any, Any, Any]:
    if issubclass(place.kind, Enum):
        return serializers.ChoiceField([str(member.value) for member in place.kind], **more)
    return serializers.CharField(max_length=asked.longest, **more)
