"""The options of a command that takes a request: they follow from the declaration (`vocabulary/requests.py`)."""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, Protocol, TypeVar

from django.core.management.base import CommandError
from pydantic import BaseModel

from vocabulary.refusals import Refused
from vocabulary.requests import Asked, Place, Request, places

Asking = TypeVar("Asking", bound=Request)


class Parser(Protocol):
    """A parser of a command, or one of its groups."""

    def add_argument(self, *names: str, **about: Any) -> Any:
        """Add an option."""


def add_options(parser: Parser, request: type[Request]) -> None:
    """Add an option for each place: `--no-x` for what is true at first."""
    for place, asked in asked_places(request):
        parser.add_argument(*_options(place), dest=place.switch, **argument_of(place, asked))


def answers_of(request: type[Request], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by the names of their places. Raises CommandError."""
    return {place.name: _answer(place, asked, options[place.switch]) for place, asked in asked_places(request)}


def request_of(request: type[Asking], answers: Mapping[str, Any]) -> Asking:
    """Return the request with these values. Raises CommandError if the first field of a request inside is missing."""
    for name, sentence in request.missing(answers):
        raise CommandError(f"--{name.replace('_', '-')}: {sentence}")
    return request.of(answers)


def asked_places(request: type[BaseModel]) -> Iterator[tuple[Place, Asked]]:
    """Yield the places that commands ask for."""
    return ((place, place.asked) for place in places(request) if place.asked and place.asked.option is not None)


def _options(place: Place) -> list[str]:
    names = (place.asked and place.asked.flags) or (place.switch,)
    return [f"--{name.replace('_', '-')}" for name in names]


def argument_of(place: Place, asked: Asked) -> dict[str, Any]:
    """Return what `add_argument` takes besides the names."""
    closed = [word for word in place.written or asked.words or () if word != ""]
    about: dict[str, Any] = {"help": (asked.option or "").format(choices=", ".join(map(str, closed))) or None}
    if place.kind is bool:
        return about | {"action": "store_true"}
    if asked.metavar:
        about["metavar"] = asked.metavar
    if asked.read:
        return about
    if place.several:
        return about | {"nargs": "+", "default": [str(member) for member in place.default]}
    about["default"] = place.default.value if isinstance(place.default, Enum) else place.default
    if place.kind in (int, float):
        about["type"] = place.kind
    return about | ({"choices": closed} if closed else {})


def _answer(place: Place, asked: Asked, value: Any) -> Any:
    if place.kind is bool:
        return value is not place.default
    if value is None:
        return place.default
    if asked.read:
        return _text(place, asked, value)
    if place.several:
        return _members(place, value) if place.members else tuple(value)
    if place.members:
        return place.kind(value)
    return _number(place, value) if place.kind in (int, float) else _text(place, asked, value)


def _text(place: Place, asked: Asked, value: str) -> Any:
    written = value.strip()
    if asked.longest and len(written) > asked.longest:
        raise CommandError(f"{_options(place)[0]} is longer than {asked.longest} characters.")
    try:
        return asked.read(written) if written and asked.read else written or place.default
    except Refused as fault:
        raise CommandError(f"{_options(place)[0]}: {fault}") from None


def _members(place: Place, words: list[str]) -> tuple[Any, ...]:
    """Return the members named, by blanks or commas. `none` alone chooses none of what is chosen at first."""
    if place.default and words == ["none"]:
        return ()
    named = {word for written in words for word in written.split(",") if word}
    if unknown := sorted(named - set(place.kind)):
        raise CommandError(f"{_options(place)[0]}: {unknown[0]!r} is none of {', '.join(place.kind)}.")
    return tuple(map(place.kind, named))


def _number(place: Place, value: float) -> float:
    least, most = (place.least, place.most)
    if least is not None and not value >= least or most is not None and not value <= most:
        bounds = f"at least {least}" if most is None else f"{least} to {most}"
        raise CommandError(f"{_options(place)[0]} is {bounds}.")
    return value
