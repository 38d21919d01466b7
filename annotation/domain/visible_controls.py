"""Making invisible direction controls and runs of combining marks visible for people, without changing the text.

Direction controls can make a text read differently from what it says; every page shows them as named marks.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

BIDI_CONTROLS = {
    "\u061c": "ALM",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\u202a": "LRE",
    "\u202b": "RLE",
    "\u202c": "PDF",
    "\u202d": "LRO",
    "\u202e": "RLO",
    "\u2066": "LRI",
    "\u2067": "RLI",
    "\u2068": "FSI",
    "\u2069": "PDI",
}


@dataclass(frozen=True)
class Piece:
    """A stretch of text, or one direction control (then `mark` holds its short name)."""

    text: str
    mark: str = ""


def pieces(text: str) -> Iterator[Piece]:
    """The text in order, direction controls apart; joined, the pieces' texts are the text again."""
    start = 0
    for place, character in enumerate(text):
        name = BIDI_CONTROLS.get(character)
        if name is None:
            continue
        if start < place:
            yield Piece(text[start:place])
        yield Piece(character, name)
        start = place + 1
    if start < len(text):
        yield Piece(text[start:])


def has_tower(text: str, height: int = 8) -> bool:
    """Whether more than `height` combining marks stand on one character, so that lines would overlap."""
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > height:
            return True
    return False
