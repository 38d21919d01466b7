"""Quotations of pages: whether they are there word for word, in whole words and numbers, and in which sentence.

A model may cut a quotation so that it says something else: "4" of "412", "hateful" of "non-hateful", the claim of "it
is not true that …". So a passage never ends inside a word or a number, and is never shown without its sentence.
"""

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from moderation.domain.antihateagent.page_windows import Window
from vocabulary.late_patterns import late

_SHORTEST = 6  # a quotation needs this many characters, without spaces
_MOST_PLACES = 100  # of the same words that are tried on a page
_LONGEST_SENTENCE = 600  # characters on each side of a passage
_LONGEST_CLAUSE = 80  # characters by which a passage grows where words have no spaces
_AROUND = 60  # characters in which a number lies


@dataclass(frozen=True)
class Span:
    """The place of a quotation on its page."""

    start: int
    end: int


@dataclass(frozen=True)
class Normal:
    """A text in the form for comparison, the place of each of its characters in the original, and that."""

    text: str
    places: Sequence[int]
    original: str

    def was(self, at: int) -> str:
        """Return the original character."""
        return self.original[self.places[at]]


_PLAIN = str.maketrans({"‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
                        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-"})  # fmt: skip
_DROPPED = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")


@lru_cache(maxsize=16)  # each step of a run looks for the quotations of all earlier ones
def _normal(text: str) -> Normal:
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
    return Normal("".join(letters), places, text)


def find_quote(quote: str, text: str, window: Window | None = None) -> Span | None:
    """Find the quotation in the text, in the window first; Unicode forms and white space do not matter.

    Quotation marks around it and dots before and after it are ignored. Dots inside it must be in the text: a shortened
    quotation is not exact. It begins and ends between words and never inside a number. Where words have no spaces it is
    widened to the clause, in Korean to the end of the word, and by the unit of its last number.

    Returns None if it is not there.
    """
    plain_quote = _normal(unicodedata.normalize("NFC", quote).strip(" \t\n\"'“”„«»‘’").strip(".… ")).text.strip()
    if len(plain_quote.replace(" ", "")) < _SHORTEST:
        return None
    for part in [window, Window(0, text)] if window else [Window(0, text)]:
        normal = _normal(part.text)
        for at in _places(plain_quote, normal.text):
            if whole := _whole(normal, at, at + len(plain_quote)):
                start, end = normal.places[whole.start], normal.places[whole.end - 1] + 1
                return Span(part.start + start, part.start + end)
    return None


def _places(quote: str, text: str) -> Iterator[int]:
    at = text.find(quote)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(quote, at + 1)


# One number: its groups and decimals, dates, times and ranges, its power, and its letters for ten thousands and more.
_NUMBER = re.compile(
    r"(?:(?<!\d)\d{1,3}(?: \d{3}(?!\d))+|\d)(?:\d|[.,:/'·٫٬-](?=\d))*"
    r"(?:(?: ?[x×] ?10)?\^[-−+]?\d+|[万亿萬億兆千百]+\d*|(?:백|천|만|억|조)+\d*)?"
    r"|[〇零一二三四五六七八九十百千万亿萬億两兩]{2,}"
)  # fmt: skip
_UNIT = re.compile(
    r" ?(?:%|‰|°c?|percent\b|per cent\b|prozent\b|por ciento\b|pour cent\b|hundred\b|thousand\b|million(?:en|es|s)?\b"
    r"|billion(?:en|s)?\b|trillion(?:en|s)?\b|milliarden?\b|milliards?\b|mio\b|mrd\b|bn\b|tn\b|k\b|m\b|mn\b|mln\b"
    r"|mld\b|tsd\b|tausend\b|mille\b|mil\b|millón\b|millones\b|milh(?:ão|ões)\b|lakhs?\b|crores?\b|퍼센트)"
)
_WORD_OF_NUMBER = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|half|hundreds?|thousands?|millions?|billions?|dozens?"
    r"|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|vingt|trente|quarante|cinquante|soixante|cents?|mille|milliards?"
    r"|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|veinte|treinta|cien|ciento|(?:dos|tres|cuatro|seis|ocho)cient[oa]s"
    r"|quinient[oa]s|mil|millones)"
)
_LARGE = r"(?:hundred|thousand|million|billion|dozen|cents?|mille|millions?|milliards?|mil|millones)"
_IN_WORDS = late(
    rf"(?<![\w-]){_WORD_OF_NUMBER}(?:(?: (?:and )?(?:a )?(?:half )?{_LARGE})"
    rf"|(?:(?<=hundred)|(?<=thousand)|(?<=illion)) (?:and )?{_WORD_OF_NUMBER}|-{_WORD_OF_NUMBER})+(?![\w-])"
)
"""One number in several words: its hundreds, thousands and more, and what follows these."""
_SIGNS = "-−+±<>≤≥~≈$€£¥₩"
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_CLAUSE_END = late(r"[\s,;:.!?。，、；：！？…()\[\]\"「」『』《》|]")


def _whole(normal: Normal, start: int, end: int) -> Span | None:
    """Return the place of whole words and numbers; None if it is cut out of larger ones."""
    text = normal.text
    if _cuts_a_number(text, start) or _cuts_a_number(text, end) or _cuts_a_letter(normal, start, end):
        return None
    if start and text[start - 1] in _SIGNS and text[start].isnumeric() and not _is_word(text[start - 2 : start - 1]):
        start -= 1
    if _joins(normal, start):
        start = _clause_start(text, start) if _is_unspaced(text, start) else -1
    if unit := _UNIT.match(text, end) if text[end - 1].isnumeric() else None:
        end = unit.end()
    elif _joins(normal, end):
        end = _word_end(text, end)
    if start < 0 or end < 0:
        return None
    for number in _IN_WORDS.finditer(text, max(0, start - _AROUND), end + _AROUND):
        if number.start() < start < number.end():
            start = number.start()
        if number.start() < end < number.end():
            end = number.end()
    return Span(start, end)


def _cuts_a_number(text: str, at: int) -> bool:
    if not 0 < at < len(text) or not (text[at - 1].isnumeric() or text[at].isnumeric()):
        return False
    start = max(0, at - _AROUND)
    numbers = _NUMBER.finditer(text, start, at + _AROUND)
    return any(number.start() < at < number.end() for number in numbers)


def _cuts_a_letter(normal: Normal, start: int, end: int) -> bool:
    """Whether one character of the page, like "ﬁ" or "㎏", would be parted."""
    places = normal.places
    return any(0 < at < len(places) and places[at - 1] == places[at] for at in (start, end))


def _joins(normal: Normal, at: int) -> bool:
    """Whether the characters on both sides of the place belong to one word: letters, or a hyphen between letters."""
    text = normal.text
    if not 0 < at < len(text):
        return False
    if _is_word(text[at - 1]) and _is_word(text[at]):
        return bool(_UNSPACED.match(text[at - 1])) == bool(_UNSPACED.match(text[at]))
    return any(
        normal.was(inner) in _INNER and inner and _is_word(text[inner - 1]) and _is_word(text[inner + 1 : inner + 2])
        for inner in (at - 1, at)
    )


_INNER = "-‐‑'’"
"""Signs inside of words; longer dashes stand between words."""


def _is_word(letter: str) -> bool:
    return bool(letter) and (letter.isalnum() or letter == "_" or unicodedata.category(letter)[0] == "M")


def _is_unspaced(text: str, at: int) -> bool:
    """Whether the characters on both sides are of scripts whose words have no spaces between."""
    return bool(_UNSPACED.match(text[at - 1]) and _UNSPACED.match(text[at]))


def _clause_start(text: str, at: int) -> int:
    """Return where the clause of the place begins; the place itself if that is far."""
    ends = [end.end() for end in _CLAUSE_END.finditer(text, max(0, at - _LONGEST_CLAUSE), at)]
    return ends[-1] if ends else 0 if at <= _LONGEST_CLAUSE else at


def _word_end(text: str, at: int) -> int:
    """Return where a passage ends that would end inside of a word; -1 if it may not be widened."""
    if not _is_unspaced(text, at) and not _HANGUL.match(text[at]):
        return -1
    end = _CLAUSE_END.search(text, at, at + _LONGEST_CLAUSE)
    return end.start() if end else len(text) if len(text) <= at + _LONGEST_CLAUSE else at


# A full stop ends a sentence before a space and no small letter; other marks do by themselves.
_SENTENCE_END = re.compile(
    r"[。！？]+[”\"」』）)]*|(?<![.!?…])[.!?…]++[”\"»'’)]*(?=\s+[^\sa-zа-яё]|\s*\Z)|\n\s*\n|\n|\f"
)
_BROKEN_LINE = re.compile(r"(?<=[^\n.!?。！？:：]{40})\n(?=[a-z(,;])")
"""A line of a PDF that goes on in the next one."""


def sentence_of(text: str, span: Span) -> Span:
    """Return the place of the sentence, or row of a table, that holds the passage; of several sentences, if it does.

    A sentence without an end within 600 characters of the passage is cut between words.
    """
    least, most = max(0, span.start - _LONGEST_SENTENCE), min(len(text), span.end + _LONGEST_SENTENCE)
    starts = [end.end() for end in _ends(text, least, span.start)]
    start = starts[-1] if starts else least and text.find(" ", least, span.start) + 1 or least
    after = next((end for end in _ends(text, max(span.start, span.end - 1), most)), None)
    if after:
        end = after.start() if after.group()[0] in "\n\f" else after.end()
    else:
        end = most if most == len(text) else max(text.rfind(" ", span.end, most), span.end)
    while start < span.start and text[start].isspace():
        start += 1
    return Span(start, max(end, span.end))


def sentences(text: str) -> Iterator[Span]:
    """Yield the places of the sentences, without the space around them."""
    start = 0
    for end in [*(found.end() for found in _ends(text, 0, len(text))), len(text)]:
        said = text[start:end]
        if said.strip():
            yield Span(start + len(said) - len(said.lstrip()), start + len(said.rstrip()))
        start = end


def _ends(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Return the ends of sentences between the places; a line of a PDF that goes on is none."""
    for found in _SENTENCE_END.finditer(text, start, end):
        if found.group() != "\n" or not _BROKEN_LINE.match(text, found.start()):
            yield found
