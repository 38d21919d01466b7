"""A text in the steps by which a person marks parts of it with the keyboard: words, or single characters."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True)
class Step:
    """A stretch of a text from `start` to before `end`, in code points; `stops` is whether the keyboard stops there."""

    start: int
    end: int
    text: str
    stops: bool


def steps(text: str) -> Iterator[Step]:
    """Yield the stretches of a text in order; joined they are the text.

    A word is one step. Scripts that write no spaces between words (Chinese, Japanese, Thai) step by characters. Space
    and punctuation are passed over, symbols such as emoji are not.
    """
    place = 0
    kinds = (_kind(character, place) for place, character in enumerate(text))
    for kind, group in groupby(kinds):
        length = sum(1 for _ in group)
        yield Step(place, place + length, text[place : place + length], kind != "between")
        place += length


def _kind(character: str, place: int) -> str | int:
    """Return what the character belongs to; equal for neighbours that make one step."""
    category = unicodedata.category(character)
    if category == "Lo" and _has_no_spaces(character):
        return place
    if category[0] in "LNM" or character in "_'’-":
        return "word"
    return "symbol" if category in ("So", "Sk", "Cf", "Cs") else "between"


def _has_no_spaces(character: str) -> bool:
    """Return whether the character's script writes words without spaces between them; Hangul does not."""
    name = unicodedata.name(character, "")
    return name.startswith(("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"))
