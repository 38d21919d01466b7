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
from itertools import chain
from typing import Generic

from annotation.domain.folding import hangul
from annotation.domain.folding.text import plain
from annotation.domain.glossary import kana, korean, korean_words
from annotation.domain.glossary.character_stream import REPEATED, VISIBLE, Stream, stream_of, streams_of
from annotation.domain.glossary.chinese import cuts_words, is_word, is_word_at
from annotation.domain.glossary.disguises import WRITTEN, How, Ways
from annotation.domain.glossary.normalize import is_glued
from annotation.domain.glossary.sounds import pinyin
from annotation.domain.glossary.taken_apart import taken_apart
from annotation.domain.glossary.terms import Hit, Key, Spelling

_INFLECTED, _VARIANT, _LETTERS = frozenset({How.INFLECTED}), frozenset({How.VARIANT}), frozenset({How.LETTERS})
_DRAWN_OUT = re.compile("(.)\\1(?:\\1|(.)\\2)")
_LATIN = re.compile(r"(?<![A-Za-z0-9@_./-])[A-Za-z]{2,8}(?![A-Za-z0-9@_/-]|\.[A-Za-z])")
"""Letters that stand alone, as the initials of pinyin do."""
_SEPARATED, _SPLIT, _INITIALS = frozenset({How.SEPARATED}), frozenset({How.SPLIT}), frozenset({How.INITIALS})
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_ENDS_SENTENCE = re.compile(r"[。｡！？]|\n\s*(?:\n|[-–—*+•·▪◦‣]\s)|[.!?…,;:]+[\"'”’»)\]]*\s|[，；：、]\s")
_MANY_LETTERS = re.compile(r"(?:\w.?){3}")
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
    is_other_kana: bool = False


class InsideIndex(Generic[Key]):
    """An index of terms that are searched inside words."""

    def __init__(self) -> None:
        self._forms: dict[str, list[_Form[Key]]] = defaultdict(list)
        self._lengths: dict[str, tuple[int, ...]] = {}
        self._ones: dict[str, list[Spelling[Key]]] = defaultdict(list)
        self._initials: dict[str, list[Spelling[Key]]] = defaultdict(list)

    def add(self, text: str, spelling: Spelling[Key]) -> None:
        """Add a spelling of a term."""
        stream = stream_of(text)
        if len(stream.chars) == 1:
            self._ones[stream.chars].append(spelling)
            return
        blanks = frozenset(at for at in range(1, len(stream.chars)) if stream.starts[at] > stream.ends[at - 1])
        self._add(stream.chars, _Form(spelling, plain(text), blanks))
        if not hangul.is_syllable(stream.chars[-1]):
            self._add_chinese(stream.chars, spelling)
            return
        for alike in korean.in_look_alikes(stream.chars):
            self._add(alike, _Form(Spelling(spelling.term, spelling.ways | _LETTERS), alike))
        inflected = Spelling(spelling.term, spelling.ways | _INFLECTED)
        if len(stream.chars) >= _FORMS_FROM and hangul.is_open(stream.chars):
            for final in "ㄴㄹ":
                form = korean.with_final(stream.chars, final)
                self._add(form, _Form(inflected, form, blanks))
        for form, follows in korean.verb_forms(stream.chars):
            self._add(form, _Form(inflected, form, blanks, is_verb=True, follows=follows))
        if spelling.term.initials:
            self._initials[korean.initials(stream.chars)].append(spelling)

    def _add_chinese(self, chars: str, spelling: Spelling[Key]) -> None:
        """Add a Chinese or Japanese term with characters taken apart, in other kana, and by initials if they count."""
        for form in kana.in_other_kana(chars):
            self._add(form, _Form(Spelling(spelling.term, spelling.ways | _VARIANT), form, is_other_kana=True))
        for form in taken_apart(chars):
            self._add(form, _Form(Spelling(spelling.term, spelling.ways | _SPLIT), form))
        if spelling.term.initials and all(map(_HAN.match, chars)):
            self._initials["".join(syllable[0] for syllable in pinyin(chars))].append(spelling)

    def _add(self, chars: str, form: _Form[Key]) -> None:
        self._forms[chars].append(form)
        lengths = self._lengths.get(chars[:2], ())
        self._lengths[chars[:2]] = tuple(sorted({*lengths, len(chars)}))

    def find(self, text: str) -> Iterator[Hit[Key]]:
        """Yield the terms in this text."""
        if not (self._forms or self._ones) or not (is_glued(text) or hangul.HAS_JAMO.search(text)):
            return
        for number, stream in enumerate(streams_of(text)):
            if not number and self._ones and not self._ones.keys().isdisjoint(stream.chars):
                yield from self._of_one(text)
            for at, length in self._places(stream.chars):
                for form in self._forms.get(stream.chars[at : at + length], ()):
                    is_kana = kana.may_be_amid_words(stream.chars[at : at + length])
                    if is_kana and kana.is_part(stream.chars, at, length, is_other=form.is_other_kana):
                        continue
                    if hit := _hit(text, stream, at, length, form):
                        yield hit
        if self._initials:
            yield from self._by_initials(text)

    def _of_one(self, text: str) -> Iterator[Hit[Key]]:
        """Yield terms of one character where a segmenter makes it a word of its own."""
        for at, char in enumerate(text):
            for spelling in self._ones.get(VISIBLE[char], ()):
                if _is_lone_word(text, at) and (hit := spelling.hit(at, at + 1, WRITTEN)):
                    yield hit

    def _places(self, chars: str) -> Iterator[tuple[int, int]]:
        lengths = self._lengths
        for at in range(len(chars) - 1):
            for length in lengths.get(chars[at : at + 2], ()):
                if at + length <= len(chars):
                    yield at, length

    def _by_initials(self, text: str) -> Iterator[Hit[Key]]:
        for match in chain(korean.CONSONANTS.finditer(text), _LATIN.finditer(text)):
            initials = "".join(filter(str.isalpha, match[0])).lower()
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
    stands = _stands_alone(text, start, end, stream.chars[at : at + length], ways)
    return None if stands is None else form.spelling.hit(start, end, ways | stands)


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
        ways |= _SEPARATED if any(char.isascii() and char.isalnum() for char in written) else _VARIANT
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
        or (Gap.COMMA not in gaps and hangul.is_syllable(stream.chars[at]))
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
    if _ENDS_SENTENCE.search(between) or len(visible) > _LONGEST_GAP or _MANY_LETTERS.search(visible):
        return Gap.END
    if between.isspace():
        return Gap.BLANK
    if visible.strip() in _COMMAS or between.strip() in _COMMAS:
        return Gap.COMMA
    return Gap.BLANK if any(char.isspace() for char in between) else Gap.SIGNS


def _stands_alone(text: str, start: int, end: int, term: str, ways: Ways) -> Ways | None:
    """Return how a place is a word: by itself, or joined with other words. Returns None if it is a part of another."""
    if _in_latin_word(text, start, end):
        return None
    gapped = ways & (_SEPARATED | _SPLIT) != WRITTEN
    if hangul.is_syllable(text[end - 1]) or "\u1100" <= text[end - 1] <= "\u11ff" or "ㄱ" <= text[end - 1] <= "ㅣ":
        return _korean_word(text, start, end, term, ways)
    is_whole = len(term) >= _LONG or not _HAN.search(text[start:end]) or _is_chinese_word(text, start, end, gapped)
    return WRITTEN if is_whole else None


def _is_chinese_word(text: str, start: int, end: int, gapped: bool) -> bool:
    """Return whether a segmenter sees words of their own around a place."""
    if not gapped:
        before, after = _han_before(text, start), _han_after(text, end)
        return not cuts_words(text[before:after], start - before, end - before)
    before = _han_before(text, start)
    first = _han_after(text, start)
    last = _han_before(text, end)
    after = _han_after(text, end)
    if last == end - 1 and is_word(text[last] * 2) and text[end : end + 1] == text[last]:
        return False  # 壶 and 妹妹, with a blank between them, are no 壶妹
    return not cuts_words(text[before:first], start - before, first - before) and not cuts_words(
        text[last:after], 0, end - last
    )


def _in_latin_word(text: str, start: int, end: int) -> bool:
    """Return whether a Latin letter at an edge of a place goes on in the text: 土豆K in 土豆Kg."""
    edges = (text[max(start - 1, 0) : start + 1], text[end - 1 : end + 1])
    return any(len(edge) > 1 and all(plain(char).isascii() and char.isalpha() for char in edge) for edge in edges)


def _korean_word(text: str, start: int, end: int, term: str, ways: Ways) -> Ways | None:
    """Return how a place is a Korean word: by the rules for what may stand around it, and by what kiwi reads."""
    length, front = len(term), _syllables_before(text, start)
    if front and text[start + 1 : start + 2].isspace():
        return None  # 참고 양이 holds no 고양이: what a blank parts begins with a piece of another word
    after, gapped = _syllables_after(text, end), ways & (_SEPARATED | _SPLIT) != WRITTEN
    may_follow_noun = not gapped and (length >= _LONG or (length >= _FORMS_FROM and len(front) > 1))
    if (may_follow_noun or korean.is_prefix(front, term)) and korean.is_ending(after, term):
        return WRITTEN if _is_whole(text, start, end, term, ways) else None
    is_odd = (len(front) == 1 and front not in korean_words.TOWARDS) or len(after) == 1
    if gapped or text[start:end] != term or is_odd:
        return None
    return _SPLIT if korean_words.is_joined_at(text, start, end) else None


def _is_whole(text: str, start: int, end: int, term: str, ways: Ways) -> bool:
    """Return whether kiwi agrees to a place whose surroundings fit; without it, and for long terms, it is not asked."""
    if How.SPLIT in ways:
        return not korean_words.is_cut(text, start, end)
    if len(term) >= _LONG or text[start:end] != term:
        return True
    return korean_words.is_noun_at(text, start, end) is not False


def _is_lone_word(text: str, at: int) -> bool:
    """Return whether the segmenter of its script makes one character a word of its own."""
    char, around = text[at], (text[at - 1 : at], text[at + 1 : at + 2])
    if char in around:
        return False
    if hangul.is_syllable(char):
        is_word = korean.is_prefix(_syllables_before(text, at), char)
        is_word = is_word and korean.is_ending(_syllables_after(text, at + 1), char)
        return is_word and korean_words.is_noun_at(text, at, at + 1) is True
    before, after = _han_before(text, at), _han_after(text, at + 1)
    return is_word_at(text[before:after], at - before, at + 1 - before)


def _syllables_before(text: str, start: int) -> str:
    first = start
    while first and start - first < _WINDOW and hangul.is_syllable(text[first - 1]):
        first -= 1
    return text[first:start]


def _syllables_after(text: str, end: int) -> str:
    last = end
    while last < len(text) and last - end < 2 * _WINDOW and hangul.is_syllable(text[last]):
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
