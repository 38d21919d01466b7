"""Texts in the form in which they are compared, with the way back to the offsets of the original.

Case, the form of quotation marks and composed or combining accents make no difference. Offsets are code points.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

Span = tuple[int, int]

_ALIKE = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "ς": "σ"})
_JOINER = "\u200d"
_FORMS = {"\ufe0e", "\ufe0f", "\u20e3"}  # of emoji
_SKIN = ("\U0001f3fb", "\U0001f3ff")
_TAGS = ("\U000e0020", "\U000e007f")
# Scripts that set no space between words, and Hangul, whose particles stand close to the word.
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1100, 0x11FF),  # Hangul jamo
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # kana
    (0x3130, 0x318F),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),
    (0x20000, 0x323AF),
)


@dataclass(frozen=True)
class Folded:
    """A folded text; `places` holds where each of its characters came from, None where nothing moved."""

    text: str
    places: Sequence[Span] | None = None

    def original(self, start: int, end: int) -> Span:
        """Return the span of the original that the folded span came from."""
        if self.places is None:
            return start, end
        return self.places[start][0], self.places[end - 1][1]


def fold(text: str) -> Folded:
    """Return the text as it is compared."""
    plain = lowered(text)
    if len(plain) == len(text) and unicodedata.is_normalized("NFC", text):
        return Folded(plain)
    pieces, places = [], []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and _composes(text[end]):
            end += 1
        piece = lowered(unicodedata.normalize("NFC", text[start:end]))
        pieces.append(piece)
        places += [(start, end)] * len(piece)
        start = end
    return Folded("".join(pieces), places)


def lowered(text: str) -> str:
    """Return the text in lower case, with one form of each quotation mark."""
    return text.lower().translate(_ALIKE)


def is_whole(text: str, start: int, end: int) -> bool:
    """Whether the span cuts no word of a script with spaces, no letter from its accents and no emoji in two."""
    if start > 0 and glued(text[start - 1], text[start]):
        return False
    if end < len(text) and glued(text[end - 1], text[end]):
        return False
    return end - start > 1 or start == 0 or not (_is_hangul(text[start]) and _is_hangul(text[start - 1]))


def glued(left: str, right: str) -> bool:
    """Whether these neighbours belong together: within a word, a letter and its accent, parts of one emoji."""
    if _JOINER in (left, right) or right in _FORMS or unicodedata.combining(right):
        return True
    if _SKIN[0] <= right <= _SKIN[1] or _TAGS[0] <= right <= _TAGS[1]:
        return True
    return _is_spelled(left) and _is_spelled(right)


@lru_cache(maxsize=4096)
def _is_spelled(sign: str) -> bool:
    """Whether the character is part of words that are parted by spaces."""
    if sign == "_":
        return True
    if unicodedata.category(sign)[0] not in "LMN":
        return False
    code = ord(sign)
    return not any(low <= code <= high for low, high in _UNSPACED)


def _is_hangul(sign: str) -> bool:
    return "\uac00" <= sign <= "\ud7a3"


def _composes(sign: str) -> bool:
    return unicodedata.combining(sign) != 0 or "\u1160" <= sign <= "\u11ff"
