"""One folding of texts: glossary, near-duplicates and search compare what it returns.

What differs only in the ways below is one text: case, width and other compatible characters, composed and decomposed
letters (NFC), invisible signs, jamo in any form, traditional and simplified characters, vowel points and lengthened
lines of Arabic and Hebrew, the nukta of Indian scripts, and blanks or middle dots between characters of Korean, Chinese
and Japanese.
"""

import re
import unicodedata
from functools import lru_cache

from annotation.domain.folding.chinese import SIMPLIFIED
from annotation.domain.folding.hangul import COMPATIBLE, composed

INVISIBLE = re.compile(
    "[\u00ad\u3164\uffa0\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]"
)
_VARIATION = re.compile("[\ufe00-\ufe0f]")
_MARKS = re.compile(
    "[\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u0591-\u05bd\u05bf-\u05c7\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc]"
)
"""Marks that writers leave out or put in at will: the Arabic lengthening line and vowels, Hebrew points, nuktas."""
_ALIKE = str.maketrans("\u0622\u0623\u0625\u0671\u0649", "\u0627\u0627\u0627\u0627\u064a")
"""Alef with hamza or madda is written as alef, and the last letter of words without its dots."""
_ALIKE_LETTERS = re.compile("[\u0622\u0623\u0625\u0671\u0649]")
_JAMO = re.compile("[\u1100-\u11ff\u3131-\u3163\uffa1-\uffdc]{2,}")
_JOINED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_GAP = r"[\s\u00b7\u0387\u2022\u2027\u2219\u22c5\u30fb\u318d\uff65]"
_BETWEEN = re.compile(rf"{_GAP}(?<=[{_JOINED}].){_GAP}{{0,7}}(?=[{_JOINED}])", re.DOTALL)
"""The blank is looked for first: that is quicker than looking behind each character."""
_BLANKS = re.compile(r"\s{2,}|[^\S ]")
_MORE_FORMS = re.compile(f"[{''.join(map(chr, COMPATIBLE))}]")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0010ffff]")
"""What the two tables translate; most texts hold none of it."""


def compatible(text: str) -> str:
    """Return a text without compatibility forms, case and invisible signs."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", INVISIBLE.sub("", text)).casefold())


plain = lru_cache(maxsize=65_536)(compatible)
"""`compatible` for words and characters, which come again and again."""


def without_marks(text: str) -> str:
    """Return a text without the marks that writers of Arabic, Hebrew and Indian scripts leave out at will."""
    if text.isascii() or not (_MARKS.search(text) or _ALIKE_LETTERS.search(text)):
        return text
    bare = _MARKS.sub("", unicodedata.normalize("NFD", text.translate(_ALIKE)))
    return unicodedata.normalize("NFC", bare).translate(_ALIKE)


def folded(text: str, *, joined: bool = True) -> str:
    """Return the text as it is compared.

    With `joined`, blanks and middle dots between Korean, Chinese and Japanese characters are left out, and other blanks
    are one space each.
    """
    if not text.isascii():
        text = _JAMO.sub(_syllables, unicodedata.normalize("NFC", INVISIBLE.sub("", text)))
        if joined:
            text = _BETWEEN.sub("", text)
        text = compatible(_VARIATION.sub("", text))
        text = text.translate(COMPATIBLE) if _MORE_FORMS.search(text) else text
        text = text.translate(SIMPLIFIED) if _HAN.search(text) else text
        text = without_marks(text)
    return _BLANKS.sub(" ", text.lower()) if joined else text.lower()


def _syllables(run: re.Match[str]) -> str:
    return "".join(char for char, _first, _after in composed(run[0]))
