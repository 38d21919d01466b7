"""A text split into quoted pieces and the pieces between them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TextPiece:
    """A piece of a text, and whether it was quoted."""

    text: str
    quoted: bool = False


def split_by_spans(text: str, spans: Iterable[Sequence[int]]) -> list[TextPiece]:
    """Return the pieces of the text in order; joined, they are the text again.

    Spans are code points; they may overlap or lie outside the text.
    """
    pieces: list[TextPiece] = []
    place = 0
    for start, end in sorted((max(0, span[0]), min(len(text), span[1])) for span in spans):
        start = max(start, place)
        if start >= end:
            continue
        if place < start:
            pieces.append(TextPiece(text[place:start]))
        pieces.append(TextPiece(text[start:end], quoted=True))
        place = end
    if place < len(text):
        pieces.append(TextPiece(text[place:]))
    return pieces
