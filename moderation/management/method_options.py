"""The options of methods as arguments of the commands."""

from typing import Any

from annotation.management.request_options import argument_of, asked_places
from moderation.methods.registry import METHODS
from runs.control import start as run_start
from runs.domain.states import RunState


def command_options() -> dict[str, dict[str, Any]]:
    """Return the arguments for `add_argument` by the option's name; methods with the same option share one argument."""
    arguments: dict[str, dict[str, Any]] = {}
    for method in METHODS.values():
        for place, asked in asked_places(method.options):
            told = f"{method.name}: {asked.option}"
            if place.field in arguments:
                arguments[place.field]["help"] += f"; {told}"
            else:
                arguments[place.field] = argument_of(place, asked) | {"help": told}
                del arguments[place.field]["default"]  # what nobody wrote is left to the method
    return arguments


def options_of(method: str) -> list[str]:
    """Return the names of the options that commands take for the method."""
    return [place.field for place, _asked in asked_places(METHODS[method].options)]


def methods_with(option: str) -> list[str]:
    """Return the names of the methods that have the option."""
    return [name for name in METHODS if option in options_of(name)]


def retried_states(*, failed: bool, refused: bool) -> list[RunState]:
    """Return the ends that `--retry-failed` and `--retry-refused` ask about again."""
    return [
        *((*run_start.RESUMABLE, RunState.UNREADABLE) if failed else ()),
        *((RunState.REFUSED,) if refused else ()),
    ]
