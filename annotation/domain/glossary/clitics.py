"""Arabic and Hebrew: words that are written as one with the noun, and marks that are left out."""

import re
from collections.abc import Iterator, Mapping

from annotation.domain.folding.text import without_marks
from annotation.domain.glossary.disguises import Ways

_SEMITIC = re.compile("[\u0590-\u05ff\u0620-\u06ff]")
_MARKED = re.compile("[\u0590-\u06ff\u0900-\u0dff]")
_WITH_NUKTA = str.maketrans("\u0929\u0931\u0934", "\u0928\u0930\u0933")
"""The letters of Devanagari that are composed with one."""
_FRONT = re.compile("[وف]?(?:ال|[بكلس]?ال|لل|[بكلس])|[وف]|ו?(?:כש|מש|ש|ה|ב|כ|ל|מ)|ו")
_BACK = (
    "هما",
    "كما",
    "هم",
    "هن",
    "كم",
    "كن",
    "ها",
    "نا",
    "ين",
    "ون",
    "ات",
    "ان",
    "ه",
    "ك",
    "ي",
    "ים",
    "ות",
    "יהם",
    "ו",
    "ה",
    "י",
    "ך",
)
_SHORTEST = 3
_AND = "وف"


def unmarked(word: str) -> str:
    """Return a word without its vowel points, lengthening line and nuktas; "" for a script that has none."""
    return without_marks(word.translate(_WITH_NUKTA)) if _MARKED.search(word) else ""


def continued(word: str, readings: Mapping[str, Ways]) -> Mapping[str, Ways]:
    """Return the readings of a word inside a term of several: an Arabic "and" before it begins something new."""
    if word[0] not in _AND:
        return readings
    return {reading: ways for reading, ways in readings.items() if reading[0] == word[0]}


def without_front(word: str) -> tuple[str, ...]:
    """Return the first letters of a term that stand behind an article or a preposition: الخ in "الخ.ن.ف.س.ا.ء"."""
    if word.isascii() or not _SEMITIC.match(word):
        return ()
    return tuple(word[length:] for length in range(1, min(5, len(word))) if _FRONT.fullmatch(word[:length]))


def bare_forms(word: str) -> Iterator[str]:
    """Yield what a word may be without article, conjunction, preposition, and ending; nothing in other scripts."""
    if not _SEMITIC.search(word):
        return
    fronts = {0} | {length for length in range(1, 5) if _FRONT.fullmatch(word[:length])}
    for front in sorted(fronts):
        rest = word[front:]
        if front and len(rest) >= _SHORTEST:
            yield without_marks(rest)
        for ending in _BACK:
            if rest.endswith(ending) and len(rest) - len(ending) >= _SHORTEST:
                yield without_marks(rest[: -len(ending)])
