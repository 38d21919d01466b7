"""How many tokens a call probably takes, for budgets before it and for providers that do not say after it."""

import re

from providers.messages import Picture, Request, Text, Usage

# Coarse on purpose and rather too many: about four Latin characters, or one CJK character, a token.
_LATIN = 4
_PICTURE = 1000
_WIDE = re.compile("[\u2e80-\U0010ffff]+")


def count(text: str) -> int:
    """A token estimate of one text."""
    wide = 0 if text.isascii() else sum(map(len, _WIDE.findall(text)))
    return wide + -(-(len(text) - wide) // _LATIN)


def prompt_tokens(request: Request) -> int:
    """A token estimate of everything that is sent."""
    parts = [part for message in request.messages for part in message.parts]
    words = sum(count(part.text) for part in parts if isinstance(part, Text))
    return words + _PICTURE * sum(isinstance(part, Picture) for part in parts)


def most(request: Request) -> Usage:
    """The most that one call of this request may use: what a budget sets aside before it."""
    return Usage(prompt_tokens(request), request.max_tokens, estimated=True)


def estimated(request: Request, answer: str) -> Usage:
    """The usage of a finished call whose provider did not state it (threats L19)."""
    return Usage(prompt_tokens(request), count(answer), estimated=True)


_BELIEVED = 10_000_000


def stated(asked: object, answered: object) -> Usage | None:
    """The usage that a provider states; None where it cannot be: no number, an empty prompt, beyond every model."""
    if not isinstance(asked, int) or not isinstance(answered, int):
        return None
    return Usage(asked, answered) if 0 < asked <= _BELIEVED and 0 <= answered <= _BELIEVED else None
