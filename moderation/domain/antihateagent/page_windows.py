"""Windows of pages, and detection of copied pages. Pure functions."""

import re
import unicodedata
from dataclasses import dataclass

WINDOW = 4000
"""The number of characters that a model reads at once (threats PI7)."""
_SHINGLE, _ALIKE = 6, 0.7
_COMPARED = 40_000  # characters by which pages are told to be copies


@dataclass(frozen=True)
class Window:
    """A part of a page, and its start."""

    start: int
    text: str


def windows(text: str, most: int, size: int = WINDOW) -> list[Window]:
    """Return the first windows of the text, cut between paragraphs, sentences or words where possible."""
    parts: list[Window] = []
    start = 0
    while start < len(text) and len(parts) < most:
        end = min(len(text), start + size)
        if end < len(text):
            end = _cut(text, start, end)
        parts.append(Window(start, text[start:end]))
        start = end
    return parts


def _cut(text: str, start: int, end: int) -> int:
    """Return a good place for a cut in the last third before `end`."""
    floor = start + 2 * (end - start) // 3
    for mark in ("\n\n", "\n", ". ", "。", " "):
        place = text.rfind(mark, floor, end)
        if place > 0:
            return place + len(mark)
    return end


def shingles(text: str) -> frozenset[str]:
    """Return the shingles of a text: runs of six words, or of twelve characters if it has no spaces."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text[:_COMPARED]).casefold())
    if sum(map(len, words)) > 7 * max(1, len(words)):
        words = list("".join(words))[:20_000]
        return frozenset("".join(words[at : at + 12]) for at in range(max(1, len(words) - 11)))
    return frozenset(" ".join(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1)))


def is_copy(first: frozenset[str], second: frozenset[str]) -> bool:
    """Return whether two texts are largely the same (threats PI9), so that copies on several domains count once."""
    if not first or not second:
        return False
    return len(first & second) >= _ALIKE * min(len(first), len(second))


PAGE_BREAK = "\f"


def page_number(text: str, place: int) -> int:
    """Return the page of a PDF on which the place is, from 1; 0 for a text without pages."""
    return text.count(PAGE_BREAK, 0, place) + 1 if PAGE_BREAK in text else 0
