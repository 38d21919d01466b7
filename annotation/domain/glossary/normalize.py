"""Words as they are compared: case, accents, look-alikes, invisible characters and stretched letters set aside."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

SHORTEST_FOLDED = 4
"""Letters of the shortest word whose look-alikes are taken for it: "h8" is not read as "hb"."""

# What a word is made of: anything but blanks, punctuation, symbols and pictures. Signs that stand for letters
# (@ $ ! | € +) and the asterisk of a masked one stay inside; so do marks and invisible characters.
_WORD = re.compile(
    r"[^\s\-–—_.,;:?¿¡()\[\]{}<>\"“”„‘’'«»…/\\=~^#%&`´§°•·"
    "\u3001-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u2190-\u2bff\ufe0e\ufe0f\U0001f000-\U0001faff"
    r"]+"
)
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]"
)
_STRETCHED = re.compile(r"([^\W\d])\1\1")
_DOUBLED = re.compile(r"([^\W\d])\1+")
_NUMBER = re.compile(r"\d{3,}$")  # behind a word: a number, not letters
_FIRST_INDIC = "\u0900"  # from here on marks are vowels, not accents
_LIKE = str.maketrans(
    "0134578@$!|€+"
    "авекмнорстухіїјѕԁԛԝ"  # Cyrillic
    "αβεηικμνορτυχω",  # Greek
    "oieastbasiietabekmhopctyxiijsdqwabenikmnoptyxw",
)
# Scripts written without blanks, or whose endings are glued to the word: found inside words.
_GLUED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)


@dataclass(frozen=True)
class Word:
    """A word of a text with its place, in code points."""

    text: str
    start: int
    end: int


def words(text: str) -> Iterator[Word]:
    """The words of a text in their order; signs at their edges that end a sentence are left out."""
    for match in _WORD.finditer(text):
        written = match[0]
        bare = written.strip("!|+€")  # an exclamation mark, not an i
        if plain(bare):
            start = match.start() + written.index(bare)
            yield Word(bare, start, start + len(bare))


@lru_cache(maxsize=65_536)
def plain(word: str) -> str:
    """The word in one written form: compatibility forms, case and invisible characters set aside."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", _INVISIBLE.sub("", word)).casefold())


@lru_cache(maxsize=65_536)
def folded(word: str) -> str:
    """The word with look-alikes read as the letters they look like, and accents dropped.

    Signs and figures count as letters only beside letters: "1488" stays what it is.
    """
    marked = unicodedata.normalize("NFKD", plain(word))
    bare = "".join(char for char in marked if not unicodedata.combining(char) or char > _FIRST_INDIC)
    if any(char.isalpha() for char in bare):
        number = _NUMBER.search(bare)
        end = number.start() if number else len(bare)
        bare = bare[:end].translate(_LIKE) + bare[end:]
    return unicodedata.normalize("NFC", bare)


def is_stretched(shape: str) -> bool:
    """Whether a letter stands three times or more in a row."""
    return _STRETCHED.search(shape) is not None


def squeezed(shape: str) -> str:
    """A folded word with every letter once where it is repeated: what "weeeed" and "weed" have in common."""
    return _DOUBLED.sub(r"\1", shape)


def is_glued(text: str) -> bool:
    """Whether a term is looked for inside words: Chinese, Japanese, Korean, Thai and their neighbours."""
    return _GLUED.search(text) is not None


def has_words(text: str) -> bool:
    """Whether a term holds anything but signs and pictures."""
    return any(any(char.isalnum() for char in word.text) for word in words(text))
