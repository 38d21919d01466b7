"""The options of methods as arguments of the commands."""

from typing import Any

from moderation.methods.registry import METHODS
from runs.control import start as run_start
from runs.domain.states import RunState


def command_options() -> dict[str, dict[str, Any]]:
    """Return the arguments for `add_argument` by the option's name; methods with the same option share one argument."""
    declared = [(method, option) for method in METHODS.values() for option in method.command_options]
    arguments: dict[str, dict[str, Any]] = {}
    for method, option in declared:
        about = f"{method.name}: {option.help}"
        if option.name in arguments:
            arguments[option.name]["help"] += f"; {about}"
        else:
            arguments[option.name] = {
                "help": about,
                "type": option.type,
                "choices": option.choices,
                "metavar": option.metavar,
            }
    return arguments


def methods_with(option: str) -> list[str]:
    """Return the names of the methods that have the option."""
    return [
        method.name
        for method in METHODS.values()
        if any(declared.name == option for declared in method.command_options)
    ]


def retried_states(*, failed: bool, refused: bool) -> list[RunState]:
    """Return the ends that `--retry-failed` and `--retry-refused` ask about again."""
    return [
        *((*run_start.RESUMABLE, RunState.UNREADABLE) if failed else ()),
        *((RunState.REFUSED,) if refused else ()),
    ]
