"""Places in a text, and the text with signs and digits of one width."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

Place = tuple[int, int]
Places = Iterable[Place]
"""Places in the order of the text: where each begins and ends."""

_WIDE = {ord("\u3000"): " ", **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}}
_LONG_SOUND = re.compile(r"(?<=\d)ー(?=\d)")  # Japanese keyboards offer it for a dash
_DASHES = {ord(sign): "-" for sign in "‐‑‒–—―−－﹣"}


@lru_cache(maxsize=1)
def _digits() -> dict[int, str]:
    """Return the decimal digits of all scripts."""
    every = (chr(code) for code in range(0x660, 0x1FBFA))
    return {ord(sign): str(unicodedata.decimal(sign)) for sign in every if unicodedata.category(sign) == "Nd"}


def narrow(text: str) -> str:
    """Return the text with signs, letters and digits of ordinary width, each at its place."""
    if text.isascii():
        return text
    return _LONG_SOUND.sub("-", text.translate(_digits() | _WIDE | _DASHES))


def whole(places: Places) -> Iterator[Place]:
    """Yield the places that overlap none before."""
    last = 0
    for start, end in sorted(places):
        if start >= last:
            yield start, end
            last = end
