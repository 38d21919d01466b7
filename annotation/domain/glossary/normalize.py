"""Normalized words for comparison: without differences of case, accents, look-alikes, invisible or repeated letters."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from annotation.domain.folding.look_alikes import LATIN
from annotation.domain.folding.text import INVISIBLE, plain

SHORTEST_FOLDED = 4
"""The minimum length of a word for matching by look-alike letters: "h8" is not read as "hb"."""

# The characters of a word: anything but blanks, punctuation, symbols, pictures and the scripts below. Signs that
# replace letters (@ $ ! | € + #) and the asterisk of a masked letter belong to a word; so do marks, invisible
# characters, and letters in circles and squares.
_WORD = re.compile(
    r"[^\s\-–—_.,;:?¿¡()\[\]{}<>\"“”„‘’'«»…/\\=~^%&`´§°•·"
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3001-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uffdc\u2190-\u249b\u24ea-\u2bff\ufe0e\ufe0f"
    "\U0001f000-\U0001f12f\U0001f18a-\U0001f1e5\U0001f200-\U0001faff\U00020000-\U0003ffff"
    r"]+"
)
_STRETCHED = re.compile(r"([^\W\d])\1\1")
_DOUBLED = re.compile(r"([^\W\d])\1+")
_NUMBER = re.compile(r"(?!(\d)\1+$)\d{3,}$")  # at the end of a word it is no letters; the same digit again and again is
_FIRST_INDIC = "\u0900"  # from this code point on, marks are vowels, not accents
_LIKE = str.maketrans("0234578@$!|€+£¢¥×©®ƒ", "ozeastbasiietlcyxcrf") | LATIN
_AMBIGUOUS = {"1": "il", "|": "il", "!": "il", "6": "gb", "9": "gq", "7": "tl", "μ": "mu", "υ": "uy"}
_AMONG_LATIN = str.maketrans("гяипшщцб", "rrnnwwub")
"""Cyrillic letters that look like Latin ones only to who reads a Latin word: gгoaкeг."""
_AMONG_CYRILLIC = str.maketrans("346", "зчб")
_AS_CYRILLIC = str.maketrans("abcehkmoptxy0346", "авсенкмортхуозчб")
_MIXED = re.compile("(?=.*[а-яё])(?=.*[a-z])[а-яёabcehkmoptxy0346]+", re.DOTALL)
_CYRILLIC_WITH_DIGITS = re.compile("(?=.*[а-я]).*[346]", re.DOTALL)
_HAS_LATIN = re.compile("[a-z]")
_MOST_READINGS = 8
_V_FOR_U = re.compile("(?<=[bcdfghjklmnpqrstwxz])v(?=[bcdfghjklmnpqrstwxz])")
_V = re.compile(f"vv|{_V_FOR_U.pattern}")
"""Two v are a w, and one between consonants is a u."""
_CAPITAL_I = re.compile(r"(?<=[^\W\d_A-Z])[IІΙ](?![A-ZА-Я])")  # inside a small word it looks like an l
_SIGNS = re.compile(r"[\d@$!|€+*#£¢¥×]")
_LETTERS = {char: letter for char, letter in _LIKE.items() if char > 127}
# Scripts without blanks between words, or with endings joined to the word: terms are searched inside words.
_GLUED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)


class Word(NamedTuple):
    """A word of a text with its position, in code points."""

    text: str
    start: int
    end: int


def words(text: str) -> Iterator[Word]:
    """Yield the words of a text in order, without signs at their edges that end a sentence."""
    for match in _WORD.finditer(text):
        written = match[0]
        if written.isascii() and written.isalnum():
            yield Word(written, match.start(), match.end())
            continue
        bare = written.strip("!|+€#")  # an exclamation mark, not an i
        if bare.startswith("*"):
            bare = bare.strip("*")
        if plain(bare):
            bare = _without_invisible_edges(bare)
            start = match.start() + written.index(bare)
            yield Word(bare, start, start + len(bare))


def _without_invisible_edges(word: str) -> str:
    if word.isascii():
        return word
    first, last = 0, len(word)
    while INVISIBLE.match(word[first]):
        first += 1
    while INVISIBLE.match(word[last - 1]):
        last -= 1
    return word[first:last]


@lru_cache(maxsize=65_536)
def folded(word: str) -> str:
    """Return the word with look-alikes read as letters, and without accents.

    Signs and digits are read as letters only beside letters: "1488" stays unchanged.
    """
    return readings(word)[0]


@lru_cache(maxsize=65_536)
def readings(word: str) -> tuple[str, ...]:
    """Return the word with look-alikes read as letters in all ways, the most usual first: "1" is an i or an l."""
    marked = plain(_CAPITAL_I.sub("|", word))
    has_signs = not (marked.isascii() and marked.isalpha()) or _V.search(marked) is not None
    if not has_signs:
        return (marked,)
    if marked.isascii():
        return _all_readings(marked)
    ways = [marked]
    if _HAS_LATIN.search(marked):  # a Latin word with Cyrillic letters in it, or the other way round
        ways = [marked.translate(_AMONG_LATIN), marked] if _is_mostly_latin(marked) else [marked]
    if _CYRILLIC_WITH_DIGITS.search(marked):
        ways.append(marked.translate(_AMONG_CYRILLIC))
    return tuple(dict.fromkeys(reading for way in ways for reading in _all_readings(_without_accents(way))))


def in_cyrillic(word: str) -> str:
    """Return a Cyrillic word without the Latin letters that look like some of its own; "" where it has none."""
    return word.translate(_AS_CYRILLIC) if _MIXED.fullmatch(word) else ""


def _is_mostly_latin(word: str) -> bool:
    return 2 * len(_HAS_LATIN.findall(word)) >= sum(map(str.isalpha, word))


def _without_accents(word: str) -> str:
    letters = unicodedata.normalize("NFKD", word.translate(_LETTERS))
    return "".join(char for char in letters if not _is_accent(char)).casefold()


def _all_readings(marked: str) -> tuple[str, ...]:
    if any(char.isalpha() for char in marked.translate(_LETTERS)):
        number = _NUMBER.search(marked)
        end = number.start() if number else len(marked)
        return tuple(unicodedata.normalize("NFC", read + marked[end:]) for read in _read(marked[:end]))
    return (unicodedata.normalize("NFC", marked),)


def lone_readings(sign: str) -> tuple[str, ...]:
    """Return the letters that one digit or sign alone may be, where a word is written letter by letter."""
    return tuple(letter for letter in _read(sign) if letter != sign)


def without_signs(word: str) -> str:
    """Return a folded word without its digits and signs, which may stand between its letters."""
    bare = _SIGNS.sub("", plain(word))
    return folded(bare) if bare and bare != word else ""


def _read(written: str) -> list[str]:
    read = [""]
    written = _V_FOR_U.sub("\0", written.replace("vv", "w"))
    for char in written:
        letters = "vu" if char == "\0" else _AMBIGUOUS.get(char, "") or char.translate(_LIKE)
        if len(letters) > 1 and len(read) * len(letters) > _MOST_READINGS:
            letters = letters[0]
        read = (
            [front + letter for letter in letters for front in read]
            if len(letters) > 1
            else [front + letters for front in read]
        )
    return read


def _is_accent(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Me") and (
        char < _FIRST_INDIC or "\u1ab0" <= char <= "\u1aff" or "\u1dc0" <= char <= "\u20ff" or char >= "\ufe20"
    )


def squeezed(shape: str) -> str:
    """Return a folded word with repeated letters reduced to one: "weeeed" and "weed" become equal."""
    return _DOUBLED.sub(r"\1", shape)


def rest_after(shape: str, written: str) -> str | None:
    """Return what follows a word whose letters may be repeated; None if the text does not begin with it."""
    at = 0
    for char in shape:
        while at and at < len(written) and written[at] != char and written[at] == written[at - 1]:
            at += 1
        if at == len(written) or written[at] != char:
            return None
        at += 1
    while at < len(written) and written[at] == written[at - 1]:
        at += 1
    return written[at:]


def is_glued(text: str) -> bool:
    """Return whether a term is searched inside words: Chinese, Japanese, Korean, Thai and similar scripts."""
    return _GLUED.search(text) is not None


def is_picture(char: str) -> bool:
    """Return whether a character is a symbol or an emoji that no look-alike letter explains."""
    return unicodedata.category(char) == "So" and not plain(char).isalnum() and ord(char) not in _LIKE


def has_words(text: str) -> bool:
    """Return whether a term has letters or digits, not only signs and pictures."""
    return any(any(char.isalnum() for char in word.text) for word in words(text))
