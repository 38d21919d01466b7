"""Refusals whose sentence can be said in other languages: a pattern and the values that stand in it.

Pages say the pattern in the language of the reader (`annotation/pages/error_messages.py`); files, commands and programs
get the English sentence.
"""


def gettext_noop(pattern: str) -> str:
    """Return the pattern as it is; the name tells the collector of translations to take it."""
    return pattern


class Refusal(ValueError):
    """What is refused and why. A value may be a refusal itself, such as that of a text."""

    def __init__(self, pattern: str, **values: object) -> None:
        self.pattern, self.values = pattern, values
        plain_values = {name: getattr(value, "sentence", value) for name, value in values.items()}
        self.sentence = pattern % plain_values if values else pattern
        super().__init__(self.sentence)
