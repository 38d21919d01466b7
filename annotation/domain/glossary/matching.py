"""Finding the terms of a glossary in a text: as written, inflected, or disguised by blanks and look-alikes.

Every term is looked up, none is searched for: a text costs the same with ten terms as with ten thousand.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Generic, TypeVar

import simplemma
from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

from annotation.domain.glossary.normalize import (
    SHORTEST_FOLDED,
    Word,
    folded,
    has_words,
    is_glued,
    is_stretched,
    plain,
    squeezed,
    words,
)

LONGEST_TERM = 6
"""Words of the longest term that is found."""
_LONGEST_RUN = 64
Key = TypeVar("Key")


class How(IntEnum):
    """How a term stands in a text; the lower, the surer."""

    WRITTEN = 0
    INFLECTED = 1
    DISGUISED = 2


@dataclass(frozen=True)
class Term(Generic[Key]):
    """A term to look for; `languages` are ISO 639-1 codes, none meaning English."""

    key: Key
    text: str
    languages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hit(Generic[Key]):
    """A term found: where (code points, end exclusive) and how."""

    key: Key
    start: int
    end: int
    how: How


class Matcher(Generic[Key]):
    """An index over terms. It never changes; another glossary is another matcher."""

    def __init__(self, terms: Iterable[Term[Key]]) -> None:
        self._plain: dict[tuple[str, ...], list[Key]] = defaultdict(list)
        self._folded: dict[tuple[str, ...], list[Key]] = defaultdict(list)
        self._lemmas: dict[str, dict[tuple[str, ...], list[Key]]] = defaultdict(lambda: defaultdict(list))
        self._joined: dict[str, list[Key]] = defaultdict(list)
        self._squeezed: dict[str, list[Key]] = defaultdict(list)
        self._masked: dict[tuple[str, int], list[tuple[str, Key]]] = defaultdict(list)
        self._inside: dict[str, list[Key]] = defaultdict(list)
        self._lengths: dict[str, set[int]] = defaultdict(set)  # of the terms found inside words, by first character
        for term in terms:
            self._add(term)

    def find(self, text: str) -> list[Hit[Key]]:
        """The terms in this text, by place; at one place a term counts once, as surely as it can."""
        best: dict[tuple[Key, int, int], How] = {}
        for hit in (*self._in_words(text), *self._inside_words(text)):
            place = (hit.key, hit.start, hit.end)
            best[place] = min(hit.how, best.get(place, hit.how))
        hits = [Hit(key, start, end, how) for (key, start, end), how in best.items()]
        return sorted(hits, key=lambda hit: (hit.start, -hit.end, hit.how))

    def _add(self, term: Term[Key]) -> None:
        if is_glued(term.text) or not has_words(term.text):
            inside = _together(term.text)[0]
            if inside:
                self._inside[inside].append(term.key)
                self._lengths[inside[0]].add(len(inside))
            return
        parts = [word.text for word in words(term.text)][:LONGEST_TERM]
        self._plain[tuple(map(plain, parts))].append(term.key)
        for language in _languages(term.languages):
            for form in {_lemmas(parts, language), tuple(map(plain, parts))}:
                self._lemmas[language][form].append(term.key)
        shape = tuple(map(folded, parts))
        if len("".join(shape)) >= SHORTEST_FOLDED:
            self._folded[shape].append(term.key)
            self._joined["".join(shape)].append(term.key)
            self._squeezed[squeezed("".join(shape))].append(term.key)
            for part in shape if len(shape) == 1 else ():
                self._masked[part[0], len(part)].append((part, term.key))

    def _in_words(self, text: str) -> Iterator[Hit[Key]]:
        found = list(words(text))
        plains = [plain(word.text) for word in found]
        shapes = [folded(word.text) for word in found]
        lemmas = {language: [_lemma(word.text, language) for word in found] for language in self._lemmas}
        for first in range(len(found)):
            for last in range(first, min(first + LONGEST_TERM, len(found))):
                here = slice(first, last + 1)
                start, end = found[first].start, found[last].end
                for key in self._plain.get(tuple(plains[here]), ()):
                    yield Hit(key, start, end, How.WRITTEN)
                for language, index in self._lemmas.items():
                    for key in index.get(tuple(lemmas[language][here]), ()):
                        yield Hit(key, start, end, How.INFLECTED)
                for key in self._folded.get(tuple(shapes[here]), ()):
                    yield Hit(key, start, end, How.DISGUISED)
                if shapes[here] != plains[here]:  # a disguise with an ending: "w33ds"
                    for language, index in self._lemmas.items():
                        for key in index.get(_lemmas(shapes[here], language), ()):
                            yield Hit(key, start, end, How.DISGUISED)
        yield from self._disguised(text, found, shapes)

    def _disguised(self, text: str, found: Sequence[Word], shapes: Sequence[str]) -> Iterator[Hit[Key]]:
        """Words run together, cut by signs ("gar-den"), spelt out ("g a r d e n") or with masked letters ("g*rden")."""
        for word, shape in zip(found, shapes, strict=True):
            for key in self._joined.get(shape, ()):
                yield Hit(key, word.start, word.end, How.DISGUISED)
            if is_stretched(shape):
                for key in self._squeezed.get(squeezed(shape), ()):
                    yield Hit(key, word.start, word.end, How.DISGUISED)
            if "*" in shape.strip("*"):
                yield from self._masked_as(word, shape)
        for run in _runs(text, found):
            yield from self._in_run(found, shapes, run)

    def _masked_as(self, word: Word, shape: str) -> Iterator[Hit[Key]]:
        for part, key in self._masked.get((shape[0], len(shape)), ()):
            if all(seen in ("*", real) for seen, real in zip(shape, part, strict=True)):
                yield Hit(key, word.start, word.end, How.DISGUISED)

    def _in_run(self, found: Sequence[Word], shapes: Sequence[str], run: range) -> Iterator[Hit[Key]]:
        for first in run:
            together = ""
            for last in range(first, min(run.stop, first + _LONGEST_RUN)):
                together += shapes[last]
                if last > first:
                    for key in self._joined.get(together, ()):
                        yield Hit(key, found[first].start, found[last].end, How.DISGUISED)

    def _inside_words(self, text: str) -> Iterator[Hit[Key]]:
        if not self._lengths:
            return
        together, places = _together(text)
        for at, char in enumerate(together):
            for length in self._lengths.get(char, ()):
                for key in self._inside.get(together[at : at + length], ()):
                    start, end = places[at], places[at + length - 1] + 1
                    close = end - start == length
                    # Across a blank only what is long enough not to arise by chance.
                    if close or length >= 3:
                        yield Hit(key, start, end, How.WRITTEN if close else How.DISGUISED)


def first_of_each(hits: Sequence[Hit[Key]]) -> Mapping[Key, Hit[Key]]:
    """Each term's surest hit, the earliest of equals, in the order of their places."""
    chosen: dict[Key, Hit[Key]] = {}
    for hit in hits:
        if hit.key not in chosen or hit.how < chosen[hit.key].how:
            chosen[hit.key] = hit
    return chosen


def _runs(text: str, found: Sequence[Word]) -> Iterator[range]:
    """Words that may be pieces of one: single letters with anything short between them, or pieces with no blank."""
    first = 0
    for place in range(1, len(found) + 1):
        if place < len(found) and _belongs(text, found[place - 1], found[place]):
            continue
        if place - first > 1:
            yield range(first, place)
        first = place


def _belongs(text: str, left: Word, right: Word) -> bool:
    between = text[left.end : right.start]
    if len(left.text) == 1 == len(right.text):
        return len(between) <= 3
    return len(between) <= 2 and not any(char.isspace() for char in between)


def _together(text: str) -> tuple[str, list[int]]:
    """The characters of a text that show something, in one written form, each with its place."""
    chars, places = [], []
    for place, char in enumerate(text):
        for each in plain(char):
            if not each.isspace() and not "\ufe00" <= each <= "\ufe0f" and not "\U0001f3fb" <= each <= "\U0001f3ff":
                chars.append(each)
                places.append(place)
    return "".join(chars), places


def _lemmas(parts: Sequence[str], language: str) -> tuple[str, ...]:
    return tuple(_lemma(part, language) for part in parts)


@lru_cache(maxsize=65_536)
def _lemma(word: str, language: str) -> str:
    bare = plain(word)
    lemma: str = simplemma.lemmatize(bare, lang=language)
    return plain(lemma)


def languages_known() -> frozenset[str]:
    """The languages an entry may name: those whose inflections are known, and those written without any."""
    return frozenset(SUPPORTED_LANGUAGES) | {
        "zh",
        "ja",
        "ko",
        "th",
        "lo",
        "km",
        "my",
        "ar",
        "he",
        "ur",
        "bn",
        "ta",
        "vi",
    }


def _languages(given: Sequence[str]) -> Sequence[str]:
    """Those of the languages whose inflections are known; English where none is named."""
    return [each for each in given if each in SUPPORTED_LANGUAGES] if given else ["en"]
