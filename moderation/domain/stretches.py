"""A text in stretches: what an explanation quoted, and what stands between."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Stretch:
    """A piece of a text, and whether it was quoted."""

    text: str
    quoted: bool = False


def stretches(text: str, spans: Iterable[Sequence[int]]) -> list[Stretch]:
    """The text in order; joined, the stretches are the text again. Spans (code points) may overlap or lie outside."""
    found: list[Stretch] = []
    place = 0
    for start, end in sorted((max(0, span[0]), min(len(text), span[1])) for span in spans):
        start = max(start, place)
        if start >= end:
            continue
        if place < start:
            found.append(Stretch(text[place:start]))
        found.append(Stretch(text[start:end], quoted=True))
        place = end
    if place < len(text):
        found.append(Stretch(text[place:]))
    return found
