"""Bodies of requests: what the API reads of them."""

from typing import Any

from rest_framework import serializers


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
