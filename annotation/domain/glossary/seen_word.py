"""What a word of a text may be, whatever the glossary holds."""

import re
from functools import lru_cache
from typing import NamedTuple

from annotation.domain.folding.text import plain
from annotation.domain.glossary.normalize import SHORTEST_FOLDED, in_cyrillic, lone_readings, readings, without_signs

_SHORTEST_APART = 7
"""Letters of the shortest word with a letter between all of its own: "wxexexd"."""
_DOUBLED = re.compile(r"([^\W\d])\1")


class SeenWord(NamedTuple):
    """What a word of a text may be, whatever the glossary holds."""

    plain: str
    readings: tuple[str, ...]
    bare: str
    """Without digits and signs."""
    doubled: bool
    masked: bool
    changed: bool
    apart: str
    """Its every second letter, if one and the same letter or sign stands between all of them."""
    cyrillic: str
    """In Cyrillic letters alone, if Latin ones that look like them are among them."""
    spelt: tuple[str, ...]
    """What it may be as a part of a word: alone, a digit may be a letter too."""


@lru_cache(maxsize=65_536)
def seen_word(written: str) -> SeenWord:
    bare = plain(written)
    read = readings(written)
    masked = "*" in bare or "#" in bare
    without = "" if bare.isalpha() else without_signs(written)
    if len(without) < SHORTEST_FOLDED:
        without = ""
    spelt = (*read, *lone_readings(bare)) if len(bare) == 1 and not bare.isalpha() else read
    doubled, cyrillic = any(map(_DOUBLED.search, read)), "" if bare.isascii() else in_cyrillic(bare)
    return SeenWord(bare, read, without, doubled, masked, read != (bare,), _apart(bare), cyrillic, spelt)


def _apart(word: str) -> str:
    """Return every second letter of a word with one and the same letter between all of them: bxrxixcxk. Else ""."""
    between = set(word[1::2])
    is_apart = len(word) >= _SHORTEST_APART and len(word) % 2 and len(between) == 1
    return word[::2] if is_apart and between.isdisjoint(word[::2]) else ""
