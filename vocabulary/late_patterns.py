"""Regular expressions that are compiled when they are first used.

A long one takes 10 to 100 ms to compile. A process that never asks it, such as most commands, need not wait for it.
"""

import re
from functools import cached_property
from typing import Any, cast


class _Late:
    """A pattern whose methods are those of the compiled one, kept here from their first use on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._asked = pattern, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(*self._asked)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._compiled, name)
        setattr(self, name, method)
        return method


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return the pattern as `re.compile` does, but compiled at its first use.

    An error in the pattern is raised there too, so that each has a test which uses it.
    """
    return cast("re.Pattern[str]", _Late(pattern, flags))
