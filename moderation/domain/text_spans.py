"""A text split into what an explanation quoted and what stands between."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TextPiece:
    """A piece of a text, and whether it was quoted."""

    text: str
    quoted: bool = False


def split_by_spans(text: str, spans: Iterable[Sequence[int]]) -> list[TextPiece]:
    """Return the text in pieces, in order; joined, they are the text again.

    Spans are code points; they may overlap or lie outside.
    """
    found: list[TextPiece] = []
    place = 0
    for start, end in sorted((max(0, span[0]), min(len(text), span[1])) for span in spans):
        start = max(start, place)
        if start >= end:
            continue
        if place < start:
            found.append(TextPiece(text[place:start]))
        found.append(TextPiece(text[start:end], quoted=True))
        place = end
    if place < len(text):
        found.append(TextPiece(text[place:]))
    return found
