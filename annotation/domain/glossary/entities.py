r"""Characters that a text names by their numbers or names instead of holding them: &#105; &shy; \u0069."""

import html
import re
from collections.abc import Sequence
from typing import NamedTuple

_NAMED = re.compile(
    r"&(?:amp;){0,3}(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,24}\d{0,2});|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}"
)


class Decoded(NamedTuple):
    """A text with its named characters, and the place in the source of each character: start, and place after it."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def decoded(text: str) -> Decoded | None:
    """Return the text with all characters that it names. Returns None if it names none."""
    if "&" not in text and "\\" not in text:
        return None
    chars: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = 0
    for match in _NAMED.finditer(text):
        shown = _shown(match[0])
        if shown is None:
            continue
        for at in range(last, match.start()):
            chars.append(text[at])
            starts.append(at)
            ends.append(at + 1)
        for char in shown:
            chars.append(char)
            starts.append(match.start())
            ends.append(match.end())
        last = match.end()
    if not last:
        return None
    chars += text[last:]
    starts += range(last, len(text))
    ends += range(last + 1, len(text) + 1)
    return Decoded("".join(chars), starts, ends)


def _shown(written: str) -> str | None:
    if written.startswith("\\"):
        return chr(int(written[2:], 16))
    name = written.replace("amp;", "")
    shown = html.unescape(name)
    return None if shown == name else shown
