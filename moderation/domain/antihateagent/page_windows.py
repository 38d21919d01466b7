"""Windows of pages, checks of quotations, and detection of copied pages. Pure functions."""

import re
import unicodedata
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

WINDOW = 4000
"""The number of characters that a model reads at once (threats PI7)."""
_SHORTEST = 6  # a quotation needs this many characters, without spaces
_SHINGLE, _ALIKE = 6, 0.7
_COMPARED = 40_000  # characters by which pages are told to be copies


@dataclass(frozen=True)
class Window:
    """A part of a page, and its start."""

    start: int
    text: str


@dataclass(frozen=True)
class Span:
    """The place of a quotation on its page."""

    start: int
    end: int


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


_PLAIN = str.maketrans({"‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
                        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-"})  # fmt: skip
_DROPPED = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")


@lru_cache(maxsize=16)  # each step of a run looks for the quotations of all earlier ones
def _normal(text: str) -> tuple[str, Sequence[int]]:
    """Return the text in the form for comparison, and the original place of each of its characters."""
    letters: list[str] = []
    places = array("L")
    for place, letter in enumerate(text):
        if _DROPPED.match(letter):
            continue
        for plain in unicodedata.normalize("NFKC", letter).casefold().translate(_PLAIN):
            if plain.isspace():
                if letters and letters[-1] != " ":
                    letters.append(" ")
                    places.append(place)
            else:
                letters.append(plain)
                places.append(place)
    return "".join(letters), places


def find_quote(quote: str, text: str, window: Window | None = None) -> Span | None:
    """Find the quotation in the text, in the window first; Unicode forms and white space do not matter.

    Quotation marks around it and dots before and after it are ignored. Dots inside it must be in the text: a shortened
    quotation is not exact.

    Returns None if it is not there.
    """
    plain_quote = _normal(unicodedata.normalize("NFC", quote).strip(" \t\n\"'“”„«»‘’").strip(".… "))[0].strip()
    if len(plain_quote.replace(" ", "")) < _SHORTEST:
        return None
    parts = [window, Window(0, text)] if window else [Window(0, text)]
    for part in parts:
        plain, places = _normal(part.text)
        at = plain.find(plain_quote)
        if at >= 0:
            return Span(part.start + places[at], part.start + places[at + len(plain_quote) - 1] + 1)
    return None


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


_CITED = re.compile(r"\[\s*(\d{1,3}(?:\s*[,;，、]\s*\d{1,3})*)\s*\]")
_URL = re.compile(r"(?i)\b(?:https?://|www\.)[^\s<>\"'\])]+")
_QUOTED = re.compile(r"[“\"「『«]([^“”\"「」『』«»]{6,300})[”\"」』»]")


@dataclass(frozen=True)
class CheckedRationale:
    """A rationale without unfounded citations and addresses, and the removed parts (threats L20)."""

    text: str
    cited: tuple[int, ...]
    unknown: tuple[int, ...]
    addresses: tuple[str, ...]
    quotes: tuple[str, ...]


def check_rationale(text: str, known: Sequence[int], sources: Sequence[str], urls: Sequence[str]) -> CheckedRationale:
    """Remove citations of unknown evidence and addresses that were never fetched, and list them.

    `quotes` are quotations that are neither in the post nor in any evidence; they stay in the text and are listed.
    """
    cited: list[int] = []
    unknown: list[int] = []

    def keep(match: re.Match[str]) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", match.group(1))]
        cited.extend(number for number in numbers if number in known)
        unknown.extend(number for number in numbers if number not in known)
        known_numbers = [str(number) for number in numbers if number in known]
        return f"[{', '.join(known_numbers)}]" if known_numbers else ""

    unfetched = tuple(dict.fromkeys(url for url in _URL.findall(text) if url.rstrip(".,;") not in urls))
    shortened = text
    for url in unfetched:
        shortened = shortened.replace(url, "(…)")
    cleaned = re.sub(r"[ \t]{2,}", " ", re.sub(r"(?<!\s)\s+([.,;])", r"\1", _CITED.sub(keep, shortened))).strip()
    quotes = tuple(
        quote for quote in _QUOTED.findall(cleaned) if not any(find_quote(quote, source) for source in sources)
    )
    return CheckedRationale(cleaned, tuple(dict.fromkeys(cited)), tuple(dict.fromkeys(unknown)), unfetched, quotes)
