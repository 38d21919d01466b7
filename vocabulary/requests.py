"""What people ask for, declared once: a field is its type, default, bounds, label, help and group.

The form (`annotation/pages/request_form.py`), the body of the API (`annotation/api/request_shapes.py`), the options of
a command (`annotation/management/request_options.py`) and the stored JSON follow from the declaration. A request
inside a request exists only where its first field is filled in. On every face its fields stand beside the others.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, get_args

from annotated_types import Ge, Le, MinLen
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, PlainSerializer
from pydantic.fields import FieldInfo

Value = TypeVar("Value")


@dataclass(frozen=True)
class RequestSection:
    """Fields that a page shows under one title."""

    title: str


@dataclass(frozen=True)
class Asked:
    """How people are asked for a field."""

    label: str = ""
    """Empty: pages do not ask, or in a field of their own."""
    help: str = ""
    group: RequestSection | None = None
    name: str = ""
    """Its name on all faces, where that is not the field's."""
    words: Mapping[Any, str] | None = None
    """The words of a closed set on pages."""
    ticked: tuple[Any, ...] = ()
    """What a page has chosen at first, where that is not the default."""
    offered: bool = False
    """Whether the page offers a choice that depends on the project or the site."""
    radio: bool = False
    """Whether the page shows all words of a choice at once."""
    last: bool = False
    """Whether pages show it after the others of its group."""
    option: str | None = None
    """The help of the command's option; `{choices}` stands for the closed set. None: commands do not ask."""
    flags: tuple[str, ...] = ()
    """The names of the command's option, where it has others."""
    metavar: str | None = None
    body: str = ""
    """What the API says about it."""
    longest: int | None = None
    """The most characters of a text, or of each of several."""
    line: bool = False
    """Whether a text is one line."""
    rows: int = 0
    """How many lines the page's box for a long text has; 0: an input. It cuts nothing."""
    most: int | None = None
    """The most entries, where there may be several."""
    read: Callable[[str], Any] | None = None
    """Reads a text. Raises Refused."""
    unit: int = 1
    """How many of what is stored one of the page's numbers stands for: of bytes a million, if it asks for megabytes."""
    compared: str = ""
    """The label under which an evaluation takes several values and compares them; empty: it does not."""
    only_compared: Mapping[Any, str] | None = None
    """The words of members of a closed set that only evaluations take."""


def _in_order(values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return members of a closed set in its order, each once."""
    kind = type(values[0]) if values else None
    return tuple(member for member in kind if member in values) if isinstance(kind, type(Enum)) else values


Several = Annotated[tuple[Value, ...], AfterValidator(_in_order)]
"""Several values. Members of a closed set stand in its order."""
Limit = Annotated[Several[Value], BeforeValidator(lambda given: given or ()), PlainSerializer(lambda it: it or None)]
"""The values that are chosen; empty, stored as null: all."""
Optional = Annotated[str, BeforeValidator(lambda given: given or ""), PlainSerializer(lambda it: it or None)]
"""A text; empty, stored as null: none."""


@dataclass(frozen=True)
class Place:
    """A field of a request, or of a request inside it, as people fill it in."""

    name: str
    part: str
    """The field that holds the request inside; empty: none."""
    field: str
    kind: Any
    """The type; of several values, the type of one."""
    several: bool
    default: Any
    least: Any
    most: Any
    """The bounds of a number; None: no bound."""
    fewest: int
    """The fewest entries, where there may be several."""
    members: tuple[Any, ...]
    """What a closed set holds; empty: it is none."""
    required: bool
    """Whether it has no default, in a request that is no part of another."""
    asked: Asked | None
    """None: each face asks in its own way."""

    @property
    def switch(self) -> str:
        """The name of its tick box and of its option: of what is true at first, `no_…`."""
        return f"no_{self.name}" if self.default is True else self.name

    @property
    def bounds(self) -> tuple[Any, Any]:
        """Return the bounds of the page's number, in its unit."""
        unit = self.asked.unit if self.asked else 1
        return (self.least, self.most) if unit == 1 else (-(-self.least // unit), self.most // unit)

    @property
    def written(self) -> list[Any]:
        """Return the members as programs write them."""
        return [member.value if isinstance(member, Enum) else member for member in self.members]


class Request(BaseModel):
    """What somebody asks for. `model_dump(mode="json")` is what is stored, and `model_validate` reads it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    groups: ClassVar[tuple[RequestSection, ...]] = ()
    """The groups in the order of the page."""
    lacks_first: ClassVar[str] = ""
    """Of a request inside another: the sentence for those who fill in other fields than the first alone."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the request with these values, by the names of its places."""
        own: dict[str, Any] = {}
        parts: dict[str, dict[str, Any]] = {}
        for place in places(cls):
            if place.name in values:
                (parts.setdefault(place.part, {}) if place.part else own)[place.field] = values[place.name]
        firsts = {place.part: place.field for place in first_places(cls)}
        return cls(**own, **{part: filled for part, filled in parts.items() if filled[firsts[part]] is not None})

    @classmethod
    def missing(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield the first field of each request inside that lacks it, and the sentence that asks for it."""
        for first in first_places(cls):
            inner = _inner(cls.model_fields[first.part])
            others = [place.name for place in places(cls) if place.part == first.part]
            if inner and values.get(first.name) is None and any(values.get(name) for name in others):
                yield first.name, inner.lacks_first


@cache
def places(request: type[BaseModel]) -> tuple[Place, ...]:
    """Return the places of a request, in the order of their declaration."""
    return tuple(_places(request, ""))


def first_places(request: type[Request]) -> list[Place]:
    """Return the first place of each request inside."""
    return list({place.part: place for place in reversed(places(request)) if place.part}.values())


def _places(request: type[BaseModel], part: str) -> Iterator[Place]:
    for name, field in request.model_fields.items():
        if inner := _inner(field):
            yield from _places(inner, name)
        else:
            yield _place(name, field, part)


def _place(name: str, field: FieldInfo, part: str) -> Place:
    asked = _first(Asked, field)
    several = getattr(field.annotation, "__origin__", None) in (tuple, frozenset)
    kind, members = _kind(field.annotation)
    return Place(
        name=(asked and asked.name) or name,
        part=part,
        field=name,
        kind=kind,
        several=several,
        default=None if field.is_required() else field.default,
        least=getattr(_first(Ge, field), "ge", None),
        most=getattr(_first(Le, field), "le", None),
        fewest=getattr(_first(MinLen, field), "min_length", 0),
        members=members,
        required=field.is_required() and not part,
        asked=asked,
    )


def _first(kind: type[Value], field: FieldInfo) -> Value | None:
    return next((each for each in field.metadata if isinstance(each, kind)), None)


def _kind(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return the type of one value, and the members of a closed set."""
    if getattr(annotation, "__origin__", None) is Literal:
        return type(get_args(annotation)[0]), get_args(annotation)
    if inner := [kind for kind in get_args(annotation) if kind not in (NoneType, ...)]:
        return _kind(inner[0])
    return annotation, tuple(annotation) if isinstance(annotation, type(Enum)) else ()


def _inner(field: FieldInfo) -> type[Request] | None:
    kinds = get_args(field.annotation)
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Request)), None)
