"""Search for terms in scripts without blanks between words or with joined endings: Chinese, Korean, Thai and others.

Terms are looked up in streams of characters (`character_stream.py`) by their first two characters. Signs, blanks and
invisible characters, which the streams leave out, are judged after that.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Generic

from annotation.domain.glossary import korean
from annotation.domain.glossary.character_stream import REPEATED, VISIBLE, Stream, stream_of, streams_of
from annotation.domain.glossary.chinese import cuts_words
from annotation.domain.glossary.disguises import WRITTEN, How, Ways
from annotation.domain.glossary.normalize import is_glued, plain
from annotation.domain.glossary.terms import Hit, Key, Spelling

_INFLECTED, _VARIANT = frozenset({How.INFLECTED}), frozenset({How.VARIANT})
_DRAWN_OUT = re.compile("(.)\\1(?:\\1|(.)\\2)")
_SEPARATED, _SPLIT, _INITIALS = frozenset({How.SEPARATED}), frozenset({How.SPLIT}), frozenset({How.INITIALS})
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_ENDS_SENTENCE = re.compile(r"[。｡！？\n\r]|[.!?…,;:]+[\"'”’»)\]]*\s|[，；：、]\s")
_LISTS = re.compile(r"[,;，；、]\s+")
_COMMAS = frozenset("，、；：,;")
_OPENING, _CLOSING = "(（[［【「『《<〈", ")）]］】」』》>〉"
_LONGEST_GAP = 4
_LONG = 4
_FORMS_FROM = 3
_WINDOW = 6


class Gap(IntEnum):
    """What was left out between two characters of a stream."""

    NOTHING = 0
    SIGNS = 1
    COMMA = 2
    BLANK = 3
    END = 4
    LIST = 5
    """A comma and a blank."""


@dataclass(frozen=True)
class _Form(Generic[Key]):
    """A form of a term in the index; `follows` are the syllables that may follow a verb's form ("" is any)."""

    spelling: Spelling[Key]
    written: str
    blanks: frozenset[int] = frozenset()
    is_verb: bool = False
    follows: str = ""


class InsideIndex(Generic[Key]):
    """An index of terms that are searched inside words."""

    def __init__(self) -> None:
        self._forms: dict[str, list[_Form[Key]]] = defaultdict(list)
        self._lengths: dict[str, tuple[int, ...]] = {}
        self._initials: dict[str, list[Spelling[Key]]] = defaultdict(list)

    def add(self, text: str, spelling: Spelling[Key]) -> None:
        """Add a spelling of a term."""
        stream = stream_of(text)
        blanks = frozenset(at for at in range(1, len(stream.chars)) if stream.starts[at] > stream.ends[at - 1])
        self._add(stream.chars, _Form(spelling, plain(text), blanks))
        if not korean.is_syllable(stream.chars[-1]):
            return
        inflected = Spelling(spelling.term, spelling.ways | _INFLECTED)
        if len(stream.chars) >= _FORMS_FROM and korean.is_open(stream.chars):
            for final in "ㄴㄹ":
                form = korean.with_final(stream.chars, final)
                self._add(form, _Form(inflected, form, blanks))
        for form, follows in korean.verb_forms(stream.chars):
            self._add(form, _Form(inflected, form, blanks, is_verb=True, follows=follows))
        if spelling.term.initials:
            self._initials[korean.initials(stream.chars)].append(spelling)

    def _add(self, chars: str, form: _Form[Key]) -> None:
        self._forms[chars].append(form)
        lengths = self._lengths.get(chars[:2], ())
        self._lengths[chars[:2]] = tuple(sorted({*lengths, len(chars)}))

    def find(self, text: str) -> Iterator[Hit[Key]]:
        """Yield the terms in this text."""
        if not self._forms or not (is_glued(text) or korean.HAS_JAMO.search(text)):
            return
        for stream in streams_of(text):
            for at, length in self._places(stream.chars):
                for form in self._forms.get(stream.chars[at : at + length], ()):
                    if hit := _hit(text, stream, at, length, form):
                        yield hit
        if self._initials:
            yield from self._by_initials(text)

    def _places(self, chars: str) -> Iterator[tuple[int, int]]:
        lengths = self._lengths
        for at in range(len(chars) - 1):
            for length in lengths.get(chars[at : at + 2], ()):
                if at + length <= len(chars):
                    yield at, length

    def _by_initials(self, text: str) -> Iterator[Hit[Key]]:
        for match in korean.CONSONANTS.finditer(text):
            initials = "".join(filter(str.isalpha, match[0]))
            ways = _INITIALS if initials == match[0] else _INITIALS | _SEPARATED
            for spelling in self._initials.get(initials, ()):
                hit = spelling.hit(match.start(), match.end(), ways)
                if hit and korean.is_ending(_syllables_after(text, match.end()), initials):
                    yield hit


def _hit(text: str, stream: Stream, at: int, length: int, form: _Form[Key]) -> Hit[Key] | None:
    """Return the hit at a place of a stream; None if what stands between or around says that it is none."""
    start, end = stream.starts[at], stream.ends[at + length - 1]
    if stream.ways == REPEATED and not _is_repeated(text[start:end], length):
        return None
    if _goes_on(text, end):
        return None
    ways = _ways(text, stream, at, length, form)
    if ways is None:
        return None
    if form.is_verb:
        return _verb_hit(text, start, end, form, ways)
    gapped = ways & (_SEPARATED | _SPLIT) != WRITTEN
    if not _stands_alone(text, start, end, stream.chars[at : at + length], gapped=gapped):
        return None
    return form.spelling.hit(start, end, ways)


def _is_repeated(written: str, length: int) -> bool:
    """Return whether a term of so many characters stands here with more than a usual double, such as 妈妈 or 看看."""
    if _DRAWN_OUT.search(written) or korean.STRETCH.search(written):
        return True
    return length >= _FORMS_FROM and written[-1] != written[-2]


def _goes_on(text: str, end: int) -> bool:
    """Return whether the last character of a place is repeated twice or more after it: 鬼 in 鬼鬼鬼."""
    return not (end > 1 and text[end - 2] == text[end - 1]) and text[end : end + 2] == 2 * text[end - 1]


def _ways(text: str, stream: Stream, at: int, length: int, form: _Form[Key]) -> Ways | None:
    """Return the ways that lead from a form to this place; None if what stands between the characters parts them."""
    written = text[stream.starts[at] : stream.ends[at + length - 1]]
    if plain(written) == form.written:
        return WRITTEN
    gaps = [_gap(text[stream.ends[place - 1] : stream.starts[place]]) for place in range(at + 1, at + length)]
    between = _between(gaps, form)
    if between is None or _leaves_open(text, stream, at, length):
        return None
    if not _pieces_fit(text, stream, at, length, gaps):
        return None
    ways = stream.ways | between
    if stream.ways == WRITTEN and _letters(written) != _letters(form.written):
        ways |= _SEPARATED if any(map(str.isdigit, written)) else _VARIANT
    return ways


def _letters(written: str) -> str:
    return "".join(filter(str.isalnum, plain(written)))


def _verb_hit(text: str, start: int, end: int, form: _Form[Key], ways: Ways) -> Hit[Key] | None:
    """Return the hit of a verb with its whole ending; None if it does not begin its word or nothing fitting follows."""
    rest = _syllables_after(text, end)
    if len(rest) > _LONG or _syllables_before(text, start):
        return None
    if form.follows and rest[:1] not in tuple(form.follows):
        return None
    return form.spelling.hit(start, end + len(rest), ways)


def _between(gaps: Sequence[Gap], form: _Form[Key]) -> Ways | None:
    """Return the ways that lead to these gaps; None where a term does not run over them."""
    ways: set[How] = set()
    single = len(gaps) + 1 >= _FORMS_FROM and all(gap in (Gap.BLANK, Gap.END) for gap in gaps)
    for place, gap in enumerate(gaps, 1):
        if gap is Gap.LIST or (gap is Gap.END and not single):
            return None
        if gap is Gap.COMMA and set(gaps) != {Gap.COMMA}:
            return None
        if gap is Gap.BLANK and place in form.blanks:
            continue
        if gap is Gap.BLANK or (gap is Gap.NOTHING and place in form.blanks):
            ways.add(How.SPLIT)
        elif gap is not Gap.NOTHING:
            ways.add(How.SEPARATED)
    return frozenset(ways)


def _pieces_fit(text: str, stream: Stream, at: int, length: int, gaps: Sequence[Gap]) -> bool:
    """Return whether a blank or a comma inside a short Chinese term stands between single characters."""
    if (
        not {Gap.BLANK, Gap.COMMA} & set(gaps)
        or length > 2
        or (Gap.COMMA not in gaps and korean.is_syllable(stream.chars[at]))
    ):
        return True
    start, end = stream.starts[at], stream.ends[at + 1]
    return not (start and _is_letter(text[start - 1])) and not (end < len(text) and _is_letter(text[end]))


def _leaves_open(text: str, stream: Stream, at: int, length: int) -> bool:
    """Return whether a place runs into a bracket that goes on, or is a part of a longer list."""
    start, end = stream.starts[at], stream.ends[at + length - 1]
    written, after = text[start:end], text[end : end + 1]
    if sum(map(written.count, _OPENING)) > sum(map(written.count, _CLOSING)) and after not in _CLOSING:
        return True
    return text[start + 1] in _COMMAS and bool(after) and after in _COMMAS and text[end + 1 : end + 2].isalnum()


def _is_letter(char: str) -> bool:
    return bool(VISIBLE[char])


@lru_cache(maxsize=4096)
def _gap(between: str) -> Gap:
    if not between:
        return Gap.NOTHING
    visible = plain(between).replace("\ufe0f", "").replace("\ufe0e", "")
    if not visible:
        return Gap.NOTHING
    if _LISTS.fullmatch(between):
        return Gap.LIST
    if _ENDS_SENTENCE.search(between) or len(visible) > _LONGEST_GAP:
        return Gap.END
    if between.isspace():
        return Gap.BLANK
    if visible.strip() in _COMMAS or between.strip() in _COMMAS:
        return Gap.COMMA
    return Gap.BLANK if any(char.isspace() for char in between) else Gap.SIGNS


def _stands_alone(text: str, start: int, end: int, term: str, *, gapped: bool) -> bool:
    """Return whether a place is a word, with a prefix and endings at most, and no part of another word."""
    if _in_latin_word(text, start, end):
        return False
    if korean.is_syllable(text[end - 1]) or "\u1100" <= text[end - 1] <= "\u11ff" or "ㄱ" <= text[end - 1] <= "ㅣ":
        return _is_korean_word(text, start, end, term, gapped=gapped)
    if len(term) >= _LONG or not _HAN.search(text[start:end]):
        return True
    if not gapped:
        before, after = _han_before(text, start), _han_after(text, end)
        return not cuts_words(text[before:after], start - before, end - before)
    before = _han_before(text, start)
    first = _han_after(text, start)
    last = _han_before(text, end)
    after = _han_after(text, end)
    return not cuts_words(text[before:first], start - before, first - before) and not cuts_words(
        text[last:after], 0, end - last
    )


def _in_latin_word(text: str, start: int, end: int) -> bool:
    """Return whether a Latin letter at an edge of a place goes on in the text: 土豆K in 土豆Kg."""
    edges = (text[max(start - 1, 0) : start + 1], text[end - 1 : end + 1])
    return any(len(edge) > 1 and all(plain(char).isascii() and char.isalpha() for char in edge) for edge in edges)


def _is_korean_word(text: str, start: int, end: int, term: str, *, gapped: bool) -> bool:
    length = len(term)
    front = _syllables_before(text, start)
    if front and text[start + 1 : start + 2].isspace():
        return False  # 참고 양이 holds no 고양이: what a blank parts begins with a piece of another word
    may_follow_noun = not gapped and (length >= _LONG or (length >= _FORMS_FROM and len(front) > 1))
    if not (may_follow_noun or korean.is_prefix(front, term)):
        return False
    return korean.is_ending(_syllables_after(text, end), term)


def _syllables_before(text: str, start: int) -> str:
    first = start
    while first and start - first < _WINDOW and korean.is_syllable(text[first - 1]):
        first -= 1
    return text[first:start]


def _syllables_after(text: str, end: int) -> str:
    last = end
    while last < len(text) and last - end < 2 * _WINDOW and korean.is_syllable(text[last]):
        last += 1
    return text[end:last]


def _han_before(text: str, start: int) -> int:
    first = start
    while first and start - first < _WINDOW and _HAN.match(text[first - 1]):
        first -= 1
    return first


def _han_after(text: str, end: int) -> int:
    last = end
    while last < len(text) and last - end < _WINDOW and _HAN.match(text[last]):
        last += 1
    return last
