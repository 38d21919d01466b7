"""Why a value is not accepted, in one sentence that pages translate. Rules in `domain/` raise it."""

from typing import Any


def gettext_noop(message: str) -> str:
    """Mark a message for translation and return it unchanged."""
    return message


class Refused(ValueError):
    """A value that is not accepted. `sentence` is English with places for `values`; pages translate it first."""

    def __init__(self, sentence: str, **values: Any) -> None:
        super().__init__(sentence % values)
        self.sentence, self.values = sentence, values
