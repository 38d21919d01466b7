"""Pages as they are read: in windows, with quotations checked, and copies told from each other. Pure."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

WINDOW = 4000
"""Characters that are read at once (threats PI7)."""
_SHORTEST = 6  # characters of a quotation that count, without spaces
_SHINGLE, _ALIKE = 6, 0.7


@dataclass(frozen=True)
class Window:
    """A part of a page, and where it begins."""

    start: int
    text: str


@dataclass(frozen=True)
class Span:
    """Where a quotation stands on its page."""

    start: int
    end: int


def windows(text: str, most: int, size: int = WINDOW) -> list[Window]:
    """Return the first windows of the text, cut between paragraphs, sentences or words, where there are any."""
    found: list[Window] = []
    start = 0
    while start < len(text) and len(found) < most:
        end = min(len(text), start + size)
        if end < len(text):
            end = _cut(text, start, end)
        found.append(Window(start, text[start:end]))
        start = end
    return found


def _cut(text: str, start: int, end: int) -> int:
    """Return a good place to cut in the last third before `end`."""
    floor = start + 2 * (end - start) // 3
    for mark in ("\n\n", "\n", ". ", "。", " "):
        place = text.rfind(mark, floor, end)
        if place > 0:
            return place + len(mark)
    return end


_PLAIN = str.maketrans({"‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
                        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-"})  # fmt: skip
_DROPPED = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")


def _normal(text: str) -> tuple[str, list[int]]:
    """Return the text in its compared form, and for each character of that the place it came from."""
    letters: list[str] = []
    places: list[int] = []
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
    """Find the quotation in the text, after Unicode and white-space normalization, in the window first.

    Quotation marks around it and dots before and after are not part of it; dots in its middle are: whoever leaves words
    out does not quote.

    Returns None if it is not there.
    """
    wanted = _normal(unicodedata.normalize("NFC", quote).strip(" \t\n\"'“”„«»‘’").strip(".… "))[0].strip()
    if len(wanted.replace(" ", "")) < _SHORTEST:
        return None
    parts = [window, Window(0, text)] if window else [Window(0, text)]
    for part in parts:
        plain, places = _normal(part.text)
        at = plain.find(wanted)
        if at >= 0:
            return Span(part.start + places[at], part.start + places[at + len(wanted) - 1] + 1)
    return None


def shingles(text: str) -> frozenset[str]:
    """Return what a text is recognised by: its runs of six words, or of twelve characters where it has no spaces."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    if sum(map(len, words)) > 7 * max(1, len(words)):
        words = list("".join(words))[:20_000]
        return frozenset("".join(words[at : at + 12]) for at in range(max(1, len(words) - 11)))
    return frozenset(" ".join(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1)))


def is_copy(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two texts are largely the same (threats PI9): copies on several domains count once."""
    if not one or not other:
        return False
    return len(one & other) >= _ALIKE * min(len(one), len(other))


_CITED = re.compile(r"\[\s*(\d{1,3}(?:\s*[,;，、]\s*\d{1,3})*)\s*\]")
_URL = re.compile(r"(?i)\b(?:https?://|www\.)[^\s<>\"'\])]+")
_QUOTED = re.compile(r"[“\"「『«]([^“”\"「」『』«»]{6,300})[”\"」』»]")


@dataclass(frozen=True)
class CheckedRationale:
    """A rationale without what it had no ground for, and what that was (threats L20)."""

    text: str
    cited: tuple[int, ...]
    unknown: tuple[int, ...]
    addresses: tuple[str, ...]
    quotes: tuple[str, ...]


def check_rationale(text: str, known: Sequence[int], sources: Sequence[str], urls: Sequence[str]) -> CheckedRationale:
    """Take out citations of evidence that does not exist and addresses that were never fetched, and name them.

    `quotes` are quotations that stand neither in the post nor in any evidence; they stay, and are named.
    """
    cited: list[int] = []
    unknown: list[int] = []

    def keep(found: re.Match[str]) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", found.group(1))]
        cited.extend(number for number in numbers if number in known)
        unknown.extend(number for number in numbers if number not in known)
        kept = [str(number) for number in numbers if number in known]
        return f"[{', '.join(kept)}]" if kept else ""

    gone = tuple(dict.fromkeys(url for url in _URL.findall(text) if url.rstrip(".,;") not in urls))
    without = text
    for url in gone:
        without = without.replace(url, "(…)")
    said = re.sub(r"[ \t]{2,}", " ", re.sub(r"(?<!\s)\s+([.,;])", r"\1", _CITED.sub(keep, without))).strip()
    quotes = tuple(quote for quote in _QUOTED.findall(said) if not any(find_quote(quote, each) for each in sources))
    return CheckedRationale(said, tuple(dict.fromkeys(cited)), tuple(dict.fromkeys(unknown)), gone, quotes)
