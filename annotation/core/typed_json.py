"""Values of dataclasses as JSON, and back: both directions follow from the annotations of the fields.

Used for figures that a worker stores and a page shows later. A value that several types are allowed for carries the
name of its own. `form_of` describes the types, so that a value stored by another release is recognised, not misread.

pydantic's TypeAdapter was weighed: it writes a key that is a tuple and cannot read it, and tells the types of a union
apart only by their fields.
"""

import dataclasses
import types
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints
from uuid import UUID

T = TypeVar("T")


class _Codec(NamedTuple):
    """Both directions for one type, and a description of the type."""

    to_json: Callable[[Any], Any]
    from_json: Callable[[Any], Any]
    form: str


def to_json(kind: type[T], value: T) -> Any:
    """Return the value of this type as JSON values."""
    return _codec(kind).to_json(value)


def from_json(kind: type[T], value: Any) -> T:
    """Return the value of this type that `to_json` wrote."""
    decoded: T = _codec(kind).from_json(value)
    return decoded


def form_of(kind: type[Any]) -> str:
    """Return a digest of the type and of all types inside it; it differs if a field was added, removed or changed."""
    return sha256(_codec(kind).form.encode()).hexdigest()[:16]


def _codec(kind: Any) -> _Codec:
    return _built(kind)


@cache
def _built(kind: Any) -> _Codec:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if origin is tuple and arguments[-1:] != (Ellipsis,):
        return _places(arguments)
    if origin in (tuple, list, Sequence):
        return _sequence(tuple if origin is tuple else list, _codec(arguments[0]))
    if origin in (dict, Mapping):
        return _mapping(_codec(arguments[0]), _codec(arguments[1]))
    if isinstance(kind, type):
        return _dataclass(kind) if dataclasses.is_dataclass(kind) else _scalar(kind)
    raise TypeError(f"{kind!r} is not stored as JSON")


def _scalar(kind: type[Any]) -> _Codec:
    if kind in (bool, int, float, str):  # the call turns numpy's numbers into Python's
        return _Codec(kind, kind, kind.__name__)
    if issubclass(kind, Enum):
        return _Codec(lambda value: value.value, kind, f"{kind.__name__}{[member.value for member in kind]}")
    if kind in (datetime, date):
        return _Codec(lambda value: value.isoformat(), kind.fromisoformat, kind.__name__)
    if kind is UUID:
        return _Codec(str, UUID, "UUID")
    raise TypeError(f"{kind!r} is not stored as JSON")


def _dataclass(kind: type[Any]) -> _Codec:
    hints = get_type_hints(kind)
    codecs = {field.name: _codec(hints[field.name]) for field in dataclasses.fields(kind)}
    form = f"{kind.__name__}({', '.join(f'{name}: {codec.form}' for name, codec in codecs.items())})"

    def encode(value: Any) -> dict[str, Any]:
        return {name: codec.to_json(getattr(value, name)) for name, codec in codecs.items()}

    def decode(stored: Mapping[str, Any]) -> Any:
        return kind(**{name: codec.from_json(stored[name]) for name, codec in codecs.items()})

    return _Codec(encode, decode, form)


def _union(options: Sequence[Any]) -> _Codec:
    codecs = {option: _codec(option) for option in options if option is not types.NoneType}
    form = " | ".join(codec.form for codec in codecs.values()) + (" | None" if types.NoneType in options else "")
    if len(codecs) == 1:
        (only,) = codecs.values()
        return _Codec(
            lambda value: None if value is None else only.to_json(value),
            lambda stored: None if stored is None else only.from_json(stored),
            form,
        )
    named = {option.__name__: codec for option, codec in codecs.items()}

    def encode(value: Any) -> Any:
        if value is None:
            return None
        name = next(option.__name__ for option in codecs if isinstance(value, option))
        return [name, named[name].to_json(value)]

    def decode(stored: Any) -> Any:
        return None if stored is None else named[stored[0]].from_json(stored[1])

    return _Codec(encode, decode, form)


def _places(arguments: Sequence[Any]) -> _Codec:
    codecs = [_codec(argument) for argument in arguments]

    def encode(value: Sequence[Any]) -> list[Any]:
        return [codec.to_json(part) for codec, part in zip(codecs, value, strict=True)]

    def decode(stored: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(codec.from_json(part) for codec, part in zip(codecs, stored, strict=True))

    return _Codec(encode, decode, f"({', '.join(codec.form for codec in codecs)})")


def _sequence(collect: Callable[[Any], Any], codec: _Codec) -> _Codec:
    return _Codec(
        lambda value: [codec.to_json(part) for part in value],
        lambda stored: collect(codec.from_json(part) for part in stored),
        f"[{codec.form}]",
    )


def _mapping(key: _Codec, value: _Codec) -> _Codec:
    """Keys of any type: pairs of key and value, in their order."""
    return _Codec(
        lambda mapping: [[key.to_json(k), value.to_json(v)] for k, v in mapping.items()],
        lambda stored: {key.from_json(k): value.from_json(v) for k, v in stored},
        f"{{{key.form}: {value.form}}}",
    )
