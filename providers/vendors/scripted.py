"""A model that answers by script, for tests."""

from collections.abc import Callable

from providers import tokens
from providers.messages import ProviderError, Refused, Reply, Request

Line = str | Reply | ProviderError | Refused | Callable[[Request], str]


class ScriptedModel:
    """Returns its lines in order, raises those that are faults, and records the requests.

    A callable line makes its answer from the request. After the last line it raises, so that a test sees an extra call.
    """

    def __init__(self, *lines: Line, name: str = "scripted:lines", sees_pictures: bool = True) -> None:
        self.name, self.sees_pictures = name, sees_pictures
        self.asked: list[Request] = []
        self._lines = list(lines)

    def reply(self, request: Request) -> Reply:
        """Return the next line."""
        self.asked.append(request)
        if not self._lines:
            raise ProviderError("the script has no line left")
        line = self._lines.pop(0)
        if isinstance(line, ProviderError | Refused):
            raise line
        if isinstance(line, Reply):
            return line
        text = line if isinstance(line, str) else line(request)
        return Reply(text, self.name, tokens.estimated_usage(request, text))
