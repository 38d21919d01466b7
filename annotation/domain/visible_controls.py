"""Visible marks for invisible direction controls and for towers of combining marks; the text is not changed.

Direction controls can make a text read differently from its stored order; every page shows them as named marks.
"""

import re
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

_CONTROL = re.compile(f"[{''.join(BIDI_CONTROLS)}]")


@dataclass(frozen=True)
class Piece:
    """A part of a text without controls, or one direction control (then `mark` is its short name)."""

    text: str
    mark: str = ""


def pieces(text: str) -> Iterator[Piece]:
    """Yield the text in order, with direction controls as pieces of their own.

    The texts of all pieces joined are the original text.
    """
    start = 0
    for control in _CONTROL.finditer(text):
        if start < control.start():
            yield Piece(text[start : control.start()])
        yield Piece(control[0], BIDI_CONTROLS[control[0]])
        start = control.end()
    if start < len(text):
        yield Piece(text[start:])
