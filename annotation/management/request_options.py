"""The options of a command that takes a request: they follow from the declaration (`vocabulary/requests.py`)."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar

from django.core.management.base import CommandError, CommandParser

from vocabulary.refusals import Refused
from vocabulary.requests import Asked, Place, Request, places

Asking = TypeVar("Asking", bound=Request)


def add_options(parser: CommandParser, request: type[Request]) -> None:
    """Add an option for each place: `--no-x` for what is true at first."""
    for place in places(request):
        if place.asked:
            parser.add_argument(_option(place), **_argument(place, place.asked))


def answers_of(request: type[Request], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by the names of their places. Raises CommandError."""
    return {place.name: _answer(place, place.asked, options) for place in places(request) if place.asked}


def request_of(request: type[Asking], answers: Mapping[str, Any]) -> Asking:
    """Return the request with these values. Raises CommandError if the first field of a request inside is missing."""
    for name, sentence in request.missing(answers):
        raise CommandError(f"--{name.replace('_', '-')}: {sentence}")
    return request.of(answers)


def _option(place: Place) -> str:
    return f"--{place.switch.replace('_', '-')}"


def _argument(place: Place, asked: Asked) -> dict[str, Any]:
    closed = [str(member.value) for member in place.kind] if issubclass(place.kind, Enum) else []
    about: dict[str, Any] = {"help": asked.option.format(choices=", ".join(closed)) or asked.label}
    if place.kind is bool:
        return about | {"action": "store_true"}
    if asked.metavar:
        about["metavar"] = asked.metavar
    if place.several:
        return about | {"nargs": "+", "default": [str(member) for member in place.default]}
    if closed:
        return about | {"choices": closed, "default": place.default.value}
    return about | ({"type": int, "default": place.default} if place.kind is int else {})


def _answer(place: Place, asked: Asked, options: Mapping[str, Any]) -> Any:
    value = options[place.switch]
    if place.kind is bool:
        return value is not place.default
    if issubclass(place.kind, Enum):
        return _members(place, value) if place.several else place.kind(value)
    if place.several:
        return tuple(value)
    if place.kind is int:
        return _number(place, value)
    try:
        written = (value or "").strip()
        return asked.read(written) if written and asked.read else written or None
    except Refused as fault:
        raise CommandError(f"{_option(place)}: {fault}") from None


def _members(place: Place, words: list[str]) -> tuple[Any, ...]:
    """Return the members named, by blanks or commas. `none` alone chooses none of what is chosen at first."""
    if place.default and words == ["none"]:
        return ()
    named = {word for written in words for word in written.split(",") if word}
    if unknown := sorted(named - set(place.kind)):
        raise CommandError(f"{_option(place)}: {unknown[0]!r} is none of {', '.join(place.kind)}.")
    return tuple(map(place.kind, named))


def _number(place: Place, value: int) -> int:
    if place.least is not None and value < place.least or place.most is not None and value > place.most:
        raise CommandError(f"{_option(place)} is {place.least} to {place.most}.")
    return value
