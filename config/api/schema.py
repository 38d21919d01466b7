"""The API's description: what every operation answers, with its refusals in their one form.

Answers are declared as serializers or as types (`TypedDict`, frozen dataclasses, lists and unions of them); types
become named schemas. A dataclass is written as it is (`config.api.renderers`), so the value is its own description.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from inspect import cleandoc
from threading import Lock
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from django.utils.translation import override
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent, build_array_type, build_basic_type, build_object_type
from drf_spectacular.utils import Direction
from rest_framework.serializers import Serializer

from annotation.api.problems import Problem, TooLarge, TooSoon

Schema = dict[str, Any]

_TEXT = {"type": "string"}
_SECONDS = {"type": "integer", "description": "Seconds to wait."}


@dataclass(frozen=True)
class Refusal:
    """A refusal that many operations have: its name, words and body, and the headers that come with it."""

    name: str
    description: str
    body: type = Problem
    headers: Mapping[str, Schema] | None = None


METHOD_NOT_ALLOWED = Refusal("MethodNotAllowed", "The address does not take this method.", headers={"Allow": _TEXT})
"""The refusal of operations that an address does not have; no operation gives it."""
REFUSALS = {
    "400": Refusal("BadRequest", "The request cannot be read, or a value in it is wrong. Nothing was stored."),
    "401": Refusal("NotSignedIn", "Send a valid token, or sign in.", headers={"WWW-Authenticate": _TEXT}),
    "403": Refusal("Forbidden", "You may see this and yet not do it; `code` says why."),
    "404": Refusal("NotFound", "There is nothing here, or it is not open to you."),
    "413": Refusal("TooLarge", "The body is too large. Nothing was stored.", TooLarge),
    "415": Refusal("UnsupportedMediaType", "Send JSON in UTF-8, uncompressed."),
    "429": Refusal("TooManyRequests", "Too many requests. Nothing was stored.", TooSoon, {"Retry-After": _SECONDS}),
    "503": Refusal("Unavailable", "The database is away; try again.", TooSoon, {"Retry-After": _SECONDS}),
}
"""The refusals that every operation may give, by status; 404 only at addresses with parts."""
_WORDS = {
    "200": "The answer.",
    "201": "What was stored.",
    "202": "What was queued, or waits for somebody else.",
    "204": "There is nothing to show.",
    "409": "The present state does not allow it; `code` says why. Nothing was stored.",
    "422": "The request was understood and cannot be carried out; `code` says why. Nothing was stored.",
}


class TruthfulSchema(AutoSchema):
    """Describes answers as they are: types as named schemas, the keys that are always there, and every refusal."""

    def _get_response_bodies(self, direction: Direction = "response") -> Schema:
        answers: Schema = super()._get_response_bodies(direction)
        for status, answer in answers.items():
            answer["description"] = _WORDS.get(status) or REFUSALS[status].description
        self._refusal(METHOD_NOT_ALLOWED)
        refusals = {status: self._refusal(refusal) for status, refusal in REFUSALS.items()}
        if "{" not in self.path:
            del refusals["404"]
        return dict(sorted((refusals | answers).items()))

    def _get_response_for_code(
        self, serializer: Any, status_code: str, media_types: Any = None, direction: Direction = "response"
    ) -> Schema:
        if _is_object(serializer) or get_origin(serializer) is not None:
            serializer = self._schema(serializer)
        inherited: Any = super()
        return _plain(inherited._get_response_for_code(serializer, status_code, media_types, direction))

    def _map_basic_serializer(self, serializer: Any, direction: Direction) -> Schema:
        """Return the schema of a serializer; in an answer all of its keys are there."""
        inherited: Any = super()
        schema = _plain(inherited._map_basic_serializer(serializer, direction))
        if direction == "response":
            schema["required"] = sorted(schema["properties"])
        return schema

    def _map_serializer_field(self, field: Any, direction: Direction, bypass_extensions: bool = False) -> Any:
        """Return the schema of a field; closed sets stand where they are used, without the library's mark."""
        inherited: Any = super()
        schema = inherited._map_serializer_field(field, direction, bypass_extensions)
        if schema is not None:
            schema.pop("x-spec-enum-id", None)
        return schema

    def _refusal(self, refusal: Refusal) -> Schema:
        answer = {
            "description": refusal.description,
            "content": {"application/json": {"schema": self._schema(refusal.body)}},
        }
        if refusal.headers:
            headers = {name: {"schema": schema, "required": True} for name, schema in refusal.headers.items()}
            answer["headers"] = headers
        return self._named(refusal.name, refusal.name, ResolvedComponent.RESPONSE, lambda _name: answer)

    def _schema(self, hint: Any) -> Schema:
        """Return the schema of a type."""
        arguments = get_args(hint)
        match get_origin(hint):
            case origin if origin in (Union, UnionType):
                return {"anyOf": [self._schema(part) for part in arguments]}
            case origin if origin in (Required, NotRequired):
                return self._schema(arguments[0])
            case origin if origin in (list, tuple, Sequence):
                return _plain(build_array_type(self._schema(arguments[0])))
            case origin if origin is Literal:
                return {"type": "string", "enum": list(arguments)}
            case origin if origin in (dict, Mapping):
                return self._mapping(*arguments)
            case _:
                return self._single(hint)

    def _mapping(self, key: Any, value: Any) -> Schema:
        schema = {"type": "object", "additionalProperties": self._schema(value)}
        return schema if key is str else {**schema, "propertyNames": self._schema(key)}

    def _single(self, hint: Any) -> Schema:
        """Return the schema of a type without parts."""
        if hint is Any:
            return {}
        if hint is NoneType:
            return {"type": "null"}
        if _is_object(hint):
            return self._named(hint.__name__, hint, ResolvedComponent.SCHEMA, self._keys)
        if isinstance(hint, type) and issubclass(hint, Enum):
            return self._named(hint.__name__, hint, ResolvedComponent.SCHEMA, _values)
        if isinstance(hint, type) and issubclass(hint, Serializer):
            return _plain(self.resolve_serializer(hint, "response").ref)
        return _plain(build_basic_type(hint))

    def _named(self, name: str, hint: Any, kind: str, describe: Callable[[Any], Schema]) -> Schema:
        """Return a reference to the description of `hint`, which is made once."""
        component: Any = ResolvedComponent(name, kind, None, hint)  # type: ignore[no-untyped-call]  # of the library
        if component in self.registry:
            if self.registry[component].object is not hint:
                raise TypeError(f"Two types of answers have the name {name}: give one of them another.")
        else:
            component.schema = describe(hint)
            self.registry.register(component)
        return _plain(component.ref)

    def _keys(self, hint: Any) -> Schema:
        hints = get_type_hints(hint, include_extras=True)
        names = [each.name for each in fields(hint)] if is_dataclass(hint) else list(hints)
        properties = {name: self._schema(hints[name]) for name in names}
        required = sorted(names if is_dataclass(hint) else hint.__required_keys__)
        return _plain(build_object_type(properties=properties, required=required, description=_words(hint)))


class KeptDescription(SchemaGenerator):
    """Makes the description once a process: it takes a second, and two threads cannot make it at the same time."""

    _making = Lock()
    _kept: ClassVar[Schema | None] = None

    def get_schema(self, request: object = None, public: bool = True) -> Schema:
        """Return the description, in English and the same for everybody."""
        inherited: Any = super()
        with self._making, override("en"):
            if KeptDescription._kept is None:
                KeptDescription._kept = _plain(inherited.get_schema(None, True))
            return KeptDescription._kept


def _is_object(hint: Any) -> bool:
    return is_typeddict(hint) or (isinstance(hint, type) and is_dataclass(hint))


def _values(hint: type[Enum]) -> Schema:
    return {"type": "string", "enum": [member.value for member in hint], "description": _words(hint)}


def _words(hint: type) -> str:
    return cleandoc(hint.__doc__ or "")


def _plain(schema: Any) -> Schema:
    """Return a schema of the library, which has no types."""
    plain: Schema = schema
    return plain
