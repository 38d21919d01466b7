"""Build an object of JSON from the type that describes it, so that its keys are declared once."""

from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, NotRequired, TypedDict, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict
from uuid import UUID

Answer = TypeVar("Answer")
Read = Callable[[Any], Any]

_ATTRIBUTE = {"id": "public_id"}
_OF_ROWS = {UUID: "public_id", int: "code"}


def answer(kind: type[Answer], source: Any, /, **others: Any) -> Answer:
    """Return the object of this `TypedDict` about the source: a key is in `others`, else an attribute of the source.

    `id` is the source's `public_id`. Where the type wants a UUID, a row stands as its `public_id`; where it wants a
    number, as its `code`; where it wants a text, as its name. An empty text of the source is None where the type allows
    None. An object inside, or in a list, is built the same way; a frozen dataclass stays as it is, since the API writes
    it by its fields. A key that need not be there comes from `others` alone.

    Raises TypeError if the type lacks a key of `others`, and AttributeError if the source lacks one of the type.
    """
    described: Any = kind
    keys = _keys(described)
    if unknown := others.keys() - keys.keys():
        raise TypeError(f"{kind.__name__} has no {', '.join(sorted(unknown))}")
    made: dict[str, Any] = {}
    for name, read in keys.items():
        if name in others:
            made[name] = read(others[name])
        elif name in described.__required_keys__:
            made[name] = read(_of(source, name, read))
    return kind(**made)


def sparse_answer(kind: type[Answer], source: Any, /, **others: Any) -> Answer:
    """Return it as `answer` does, with the keys that need not be there: those that would be empty are left out."""
    described: Any = kind
    keys = _keys(described)
    found = {name: others[name] if name in others else _of(source, name, read) for name, read in keys.items()}
    told = {name: value for name, value in found.items() if value or name in described.__required_keys__}
    return kind(**{name: keys[name](value) for name, value in told.items()})


def object_type(fields: Mapping[str, Any]) -> Any:
    """Return a type of JSON objects with these fields."""
    make: Any = TypedDict  # the checker wants fields that it can read
    return make("Object", dict(fields))


def _of(source: Any, name: str, read: Read) -> Any:
    value = getattr(source, _ATTRIBUTE.get(name, name))
    return None if value == "" and isinstance(read, _Nullable) else value


class _Nullable:
    """Reads what may be None."""

    def __init__(self, read: Read) -> None:
        self.read = read

    def __call__(self, value: Any) -> Any:
        return None if value is None else self.read(value)


@cache
def _keys(kind: Any) -> dict[str, Read]:
    return {name: _reader(hint) for name, hint in get_type_hints(kind, include_extras=True).items()}


@cache
def _reader(hint: Any) -> Read:
    """Return what gives a value the form of this type."""
    origin, parts = get_origin(hint), [part for part in get_args(hint) if part is not NoneType]
    if origin in (Union, UnionType):
        inner = _reader(parts[0]) if len(parts) == 1 else _as_it_is
        return _Nullable(inner) if NoneType in get_args(hint) else inner
    if origin is NotRequired:
        return _reader(parts[0])
    if origin is list:
        each = _reader(parts[0])
        return lambda values: [each(value) for value in values]
    if is_typeddict(hint):
        return lambda value: value if isinstance(value, dict) else answer(hint, value)
    if attribute := _OF_ROWS.get(hint):
        return lambda value: getattr(value, attribute, value)
    return str if hint is str else _as_it_is


def _as_it_is(value: Any) -> Any:
    return value
