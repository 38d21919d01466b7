"""Search for terms in scripts without blanks between words or with joined endings: Chinese, Korean, Thai and others.

A text becomes a stream of characters that each know where they come from; signs, blanks and invisible characters are
left out of it. Terms are looked up by their first two characters. What was left out is judged after that.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Generic

from annotation.domain.glossary import korean
from annotation.domain.glossary.chinese import cuts_words, simplified
from annotation.domain.glossary.disguises import WRITTEN, How, Ways
from annotation.domain.glossary.normalize import is_glued, plain
from annotation.domain.glossary.terms import Hit, Key, Spelling

_INFLECTED, _VARIANT, _JAMO = frozenset({How.INFLECTED}), frozenset({How.VARIANT}), frozenset({How.JAMO})
_REPEATED = frozenset({How.REPEATED})
_STRETCHED = re.compile("([\u3400-\u9fff\uac00-\ud7a3])\\1(?:\\1|(.)\\2)")
_SEPARATED, _SPLIT, _INITIALS = frozenset({How.SEPARATED}), frozenset({How.SPLIT}), frozenset({How.INITIALS})
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_BETWEEN_DIGITS = re.compile("[\u3400-\u9fff\uac00-\ud7a3][\\s.]?[\\dㄱ-ㅣ]{1,2}[\\s.]?[\u3400-\u9fff\uac00-\ud7a3]")
_ENDS_SENTENCE = re.compile(r"[。｡！？\n\r]|[.!?…,;:]+[\"'”’»)\]]*\s|[，；：、]\s")
_LISTS = re.compile(r"[,;，；、]\s+")
_COMMAS = frozenset("，、；：,;")
_STROKES = frozenset("丨丶丿亅")
"""Strokes of characters, which are no words of their own: they stand between characters as signs do."""
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


@dataclass(frozen=True)
class Stream:
    """The characters of a text in one written form, with the source of each: first position, position after it."""

    chars: str
    starts: Sequence[int]
    ends: Sequence[int]
    ways: Ways = WRITTEN


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
        known = self._lengths.get(chars[:2], ())
        self._lengths[chars[:2]] = tuple(sorted({*known, len(chars)}))

    def find(self, text: str) -> Iterator[Hit[Key]]:
        """Yield the terms in this text."""
        if not self._forms or not (is_glued(text) or korean.HAS_JAMO.search(text)):
            return
        for stream in _streams(text):
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


class _Visible(dict[str, str]):
    """The written form of each character in a stream; "" where it is left out."""

    def __missing__(self, char: str) -> str:
        shown = "" if char in _STROKES else "".join(map(simplified, plain(char)))
        kept = "".join(part for part in shown if part.isalnum() or (is_glued(part) and part.isprintable()))
        self[char] = kept
        return kept


_VISIBLE = _Visible()


def stream_of(text: str) -> Stream:
    """Return the visible characters of a text and where each comes from."""
    chars, starts, ends = [], [], []
    for at, char in enumerate(text):
        for shown in _VISIBLE[char]:
            chars.append(shown)
            starts.append(at)
            ends.append(at + 1)
    return Stream("".join(chars), starts, ends)


def _streams(text: str) -> Iterator[Stream]:
    stream = stream_of(text)
    yield stream
    if _BETWEEN_DIGITS.search(text):
        kept = [at for at, char in enumerate(stream.chars) if not (char.isdigit() or korean.HAS_JAMO.match(char))]
        yield _part(stream, kept, WRITTEN)
    if _STRETCHED.search(stream.chars):
        yield _squeezed(stream)
    if korean.HAS_JAMO.search(text):
        shown = _Jamo(text)
        yield Stream("".join(shown.chars), shown.starts, shown.ends, _JAMO)


def _squeezed(stream: Stream) -> Stream:
    """Return a stream in which each run of one character is one character."""
    firsts = [at for at, char in enumerate(stream.chars) if at == 0 or char != stream.chars[at - 1]]
    afters = [*firsts[1:], len(stream.chars)]
    return Stream(
        "".join(stream.chars[at] for at in firsts),
        [stream.starts[at] for at in firsts],
        [stream.ends[at - 1] for at in afters],
        _REPEATED,
    )


class _Jamo:
    """A stream whose jamo are put together to syllables."""

    def __init__(self, text: str) -> None:
        kept = [at for at, char in enumerate(text) if _VISIBLE[char] or korean.HAS_JAMO.match(char)]
        self.chars, self.starts, self.ends = [], [], []
        for shown, first, after in korean.composed([text[at] for at in kept]):
            for char in _VISIBLE[shown]:
                self.chars.append(char)
                self.starts.append(kept[first])
                self.ends.append(kept[after - 1] + 1)


def _part(stream: Stream, kept: Sequence[int], ways: Ways) -> Stream:
    return Stream(
        "".join(stream.chars[at] for at in kept),
        [stream.starts[at] for at in kept],
        [stream.ends[at] for at in kept],
        ways,
    )


def _hit(text: str, stream: Stream, at: int, length: int, form: _Form[Key]) -> Hit[Key] | None:
    """Return the hit at a place of a stream; None if what stands between or around says that it is none."""
    start, end = stream.starts[at], stream.ends[at + length - 1]
    ways = _ways(text, stream, at, length, form)
    if ways is None:
        return None
    if form.is_verb:
        return _verb_hit(text, start, end, form, ways)
    gapped = ways & (_SEPARATED | _SPLIT) != WRITTEN
    if not _stands_alone(text, start, end, stream.chars[at : at + length], gapped=gapped):
        return None
    return form.spelling.hit(start, end, ways)


def _ways(text: str, stream: Stream, at: int, length: int, form: _Form[Key]) -> Ways | None:
    """Return the ways that lead from a form to this place; None if what stands between the characters parts them."""
    written = text[stream.starts[at] : stream.ends[at + length - 1]]
    if plain(written) == form.written:
        return WRITTEN
    gaps = [_gap(text[stream.ends[place - 1] : stream.starts[place]]) for place in range(at + 1, at + length)]
    between = _between(gaps, form)
    if between is None or not _pieces_fit(text, stream, at, length, gaps):
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


def _is_letter(char: str) -> bool:
    return bool(_VISIBLE[char])


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
    if length < _LONG or gapped:
        long_front = length >= _FORMS_FROM and len(front) > 1 and not gapped
        if not korean.is_prefix(front, term) and not long_front:
            return False
        return korean.is_ending(_syllables_after(text, end), term)
    return True


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
