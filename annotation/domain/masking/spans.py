"""Places in a text, and the text with signs and digits of one form."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

Place = tuple[int, int]
Places = Iterable[Place]
"""Places in the order of the text: where each begins and ends."""


class Plain(str):
    """A text as finders read it, with what tells them quickly that it holds nothing of their kind."""

    __slots__ = ("digits", "has_letters", "is_latin", "low")

    def __init__(self, text: str) -> None:
        written = text.encode(errors="surrogatepass")
        without_digits = written.translate(None, _DIGITS)
        self.digits = len(written) - len(without_digits)
        """The number of digits."""
        self.low = text.lower()
        """The text in small letters. Patterns for it need not ignore case, which makes them many times as fast."""
        self.is_latin = text.isascii() or not _NOT_LATIN.search(text)
        """Whether the text has Latin letters alone, if also with accents, and no signs but the usual ones."""
        self.has_letters = self.is_latin or len(without_digits.translate(None, _LETTERS)) < len(without_digits)
        """Whether it may have letters of the Latin alphabet, without which there are no hosts."""

    def has(self, parts: Sequence[str]) -> bool:
        """Return whether one of these parts, in small letters, stands in the text: much quicker than a pattern."""
        low = self.low
        for part in parts:  # noqa: SIM110 (asked of every text: any() takes twice as long)
            if part in low:
                return True
        return False


_DIGITS = b"0123456789"  # those of other scripts have become these
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NOT_LATIN = re.compile("[^\x00-\u024f\u2010-\u2026]")
_BLANKS = {ord(blank): " " for blank in "\u3000\u00a0\u2007\u2009\u202f"}
_LONG_SOUND = re.compile(r"(?<=\d)[ーㅡ](?=\d)")  # keyboards of Japan and Korea offer it for a dash
_DASHES = {ord(sign): "-" for sign in "‐‑‒–—―−－﹣"}


_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe0f\ufeff\u20e3]")
"""Signs without a form of their own, also those that make a key of a digit."""


@lru_cache(maxsize=1)
def _plain() -> dict[int, str]:
    """Return the letters, signs and digits of other forms and scripts: wide, in circles, of formulas, Arabic digits."""
    plain = dict[int, str]()
    for sign in map(chr, range(0x660, 0x1FBFA)):
        if unicodedata.category(sign) == "Nd":
            plain[ord(sign)] = str(unicodedata.decimal(sign))
        elif unicodedata.decomposition(sign).startswith(("<wide>", "<circle>", "<font>")):
            folded = unicodedata.normalize("NFKC", sign)
            if len(folded) == 1 and folded.isascii():
                plain[ord(sign)] = folded
    return plain | _BLANKS | _DASHES


@lru_cache(maxsize=1)
def _other_forms() -> re.Pattern[str]:
    """Return a pattern of these signs. Beyond the first plane any sign counts: a long set of such is slow to search."""
    return re.compile(f"[{''.join(re.escape(chr(code)) for code in sorted(_plain()) if code < 0x10000)}ーㅡ]")


@lru_cache(maxsize=1)
def _unusual() -> re.Pattern[str]:
    """Return a pattern of what is written otherwise or unseen: most texts have nothing of it."""
    return re.compile(f"{_other_forms().pattern[:-1]}{_UNSEEN.pattern[1:-1]}{_BEYOND.pattern[1:]}")


_BEYOND = re.compile("[\U00010000-\U0010ffff]")


def narrow(text: str) -> str:
    """Return the text with signs, letters and digits of ordinary form, each at its place."""
    if text.isascii():
        return text
    if _BEYOND.search(text):
        text = text.translate(_plain())
    elif _other_forms().search(text):  # mostly a few commas: to translate every letter takes five times as long
        text = _other_forms().sub(_plain_form, text)
    return _LONG_SOUND.sub("-", text) if "ー" in text or "ㅡ" in text else text


def _plain_form(found: re.Match[str]) -> str:
    return _plain().get(ord(found.group()), found.group())


def seen(text: str) -> tuple[str, Sequence[int]]:
    """Return the text without signs that nobody sees, and the place of each of its letters in the text."""
    if text.isascii() or not _UNSEEN.search(text):
        return text, range(len(text))
    places = [place for place, sign in enumerate(text) if not _UNSEEN.match(sign)]
    return "".join(text[place] for place in places), places


def read(text: str) -> tuple[Plain, Sequence[int]]:
    """Return the text as finders read it, and the place of each of its letters in the text."""
    if text.isascii() or not _unusual().search(text):
        return Plain(text), range(len(text))
    visible, places = seen(narrow(text))
    return Plain(visible), places


def whole(places: Places) -> Iterator[Place]:
    """Yield the places that overlap none before. Of those that begin together it is the longest."""
    last = 0
    for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
        if start >= last:
            yield start, end
            last = end
