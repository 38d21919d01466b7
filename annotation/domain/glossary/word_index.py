"""Search for terms that stand as words: with endings, look-alikes, signs and blanks inside, repeated or masked letters.

Each word of a text is read in all ways that lead to a word of the glossary; the readings depend on the word alone and
are cached. Terms of several words are followed word by word. Parts of words are put together as long as what they make
is the beginning of a term.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic

from annotation.domain.folding.text import plain
from annotation.domain.glossary.clitics import bare_forms, continued, unmarked, without_front
from annotation.domain.glossary.disguises import WRITTEN, How, Ways
from annotation.domain.glossary.endings import (
    is_known,
    is_plural_of_compound,
    languages_of,
    lemma,
    may_end,
    singular,
    stem,
    stems,
    without_possessive,
)
from annotation.domain.glossary.joined_words import COMPOUNDING, in_compound, in_hashtag
from annotation.domain.glossary.normalize import SHORTEST_FOLDED, Word, folded, rest_after, squeezed, words
from annotation.domain.glossary.seen_word import SeenWord, seen_word
from annotation.domain.glossary.terms import Hit, Key, Spelling
from annotation.domain.glossary.word_gaps import Gap, gaps_of

LONGEST_TERM = 6
"""The number of words of the longest term that is found."""
_LONGEST_RUN = 64
_MOST_KEPT = 20_000
_LONGEST_ENDING = 3
_MOST_JOINED = 200
"""Hashtags and long words of one text that are taken apart, so that no text takes long."""
_SHORTEST_COMPOUND = 7
_SHORTEST_SPLIT = 5
_SHORTEST_STRETCHED = 3
_SHORTEST_SPELT = 3
"""Letters of the shortest term that is found letter by letter with signs between: "w-e-d"."""
_INFLECTED, _LETTERS = frozenset({How.INFLECTED}), frozenset({How.LETTERS})
_SEPARATED, _SPLIT = frozenset({How.SEPARATED}), frozenset({How.SPLIT})
_VARIANT = frozenset({How.VARIANT})
_REPEATED, _MASKED = frozenset({How.REPEATED}), frozenset({How.MASKED})
_STRETCHED = re.compile(r"([^\W\d])\1\1")
_CAMEL = re.compile(r"[A-Z]*[a-z]+|[A-Z]+")
_HUMP = re.compile(r"[a-z][A-Z]")
_RUN = re.compile(r"(?<![\w*])[^\W\d_] ?([xX*~|+.]) ?[^\W\d_](?: ?\1 ?[^\W\d_]){1,30}(?![\w*])")


class WordIndex(Generic[Key]):
    """An index of terms that consist of words."""

    def __init__(self) -> None:
        self._vocabulary: set[str] = set()
        self._shapes: dict[str, list[str]] = defaultdict(list)
        self._lemmas: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._stems: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._heads: dict[str, list[str]] = defaultdict(list)
        self._squeezed: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._masked: dict[tuple[str, int], list[tuple[str, str]]] = defaultdict(list)
        self._terms: dict[tuple[str, ...], list[Spelling[Key]]] = defaultdict(list)
        self._beginnings: set[tuple[str, ...]] = set()
        self._joined: dict[str, list[tuple[Spelling[Key], tuple[str, ...]]]] = defaultdict(list)
        self._prefixes: set[str] = set()
        self._listed: set[tuple[str, str]] = set()
        self._unmarked: dict[str, list[str]] = defaultdict(list)
        self._languages: set[str] = set()
        self._compounding: Sequence[str] = ()
        self._read_before: dict[str, dict[str, Ways]] = {}

    def add(self, text: str, spelling: Spelling[Key]) -> None:
        """Add a spelling of a term."""
        parts = tuple(plain(word.text) for word in words(text))[:LONGEST_TERM]
        languages = languages_of(spelling.term.languages)
        for part in parts:
            self._add_word(part, languages)
        self._terms[parts].append(spelling)
        self._beginnings.update(parts[:length] for length in range(1, len(parts)))
        shape = "".join(map(folded, parts))
        if len(shape) < _SHORTEST_SPELT:
            return
        self._joined[shape].append((spelling, parts))
        self._prefixes.update(shape[:length] for length in range(1, len(shape) + 1))
        if len(parts) > 1:
            self._add_word("".join(parts), languages)
            self._terms[("".join(parts),)].append(Spelling(spelling.term, spelling.ways | _SPLIT))
            for language in languages:
                for head in without_possessive(parts[-1], language):
                    self._heads[head].append(parts[-1])

    def _add_word(self, word: str, languages: Sequence[str]) -> None:
        shape = folded(word)
        is_long = len(shape) >= SHORTEST_FOLDED
        if word not in self._vocabulary:
            self._vocabulary.add(word)
            if bare := unmarked(word):
                self._unmarked[bare].append(word)
            if len(shape) >= _SHORTEST_STRETCHED:
                self._squeezed[squeezed(shape)].append((shape, word))
            if is_long:
                self._shapes[shape].append(word)
                self._masked[shape[0], len(shape)].append((shape, word))
        self._languages.update(languages)
        self._compounding = sorted(self._languages & COMPOUNDING.keys())
        for language in languages:
            if (word, language) not in self._listed:
                self._listed.add((word, language))
                for form in {word, singular(word, language)}:
                    self._lemmas[language][form].append(word)
                for form in {stem(word, language), stem(folded(word), language)}:
                    self._stems[language][form].append(word)

    def find(self, text: str) -> Iterator[Hit[Key]]:
        """Yield the terms in this text."""
        if not self._terms:
            return
        text_words = list(words(text))
        yield from self._in(text, text_words)
        yield from self._in_runs(text)
        joined = 0
        for word in text_words:
            if self._compounding and joined < _MOST_JOINED and len(word.text) >= _SHORTEST_COMPOUND:
                joined += 1
                yield from self._in_compound(word)
            if _HUMP.search(word.text) and not self._read(word.text):
                yield from self._in(text, _humps(word))
            elif text[word.start - 1 : word.start] == "#" and joined < _MOST_JOINED and not self._read(word.text):
                joined += 1
                yield from self._in_hashtag(word)
            elif word.text[0] == "@" and len(word.text) > SHORTEST_FOLDED:  # a name, unless it stands for an a
                yield from self._in(text, [Word(word.text[1:], word.start + 1, word.end)])

    def _in_hashtag(self, word: Word) -> Iterator[Hit[Key]]:
        """Yield the terms that stand in a hashtag among other words: "#stopweedsnow"."""
        yield from self._joined_with(word, in_hashtag(plain(word.text), tuple(sorted(self._languages)), self._is_term))

    def _in_compound(self, word: Word) -> Iterator[Hit[Key]]:
        """Yield the terms that a language joined with other nouns: Dauerweedler."""
        for language in self._compounding:
            if not self._read(word.text):
                yield from self._joined_with(word, in_compound(plain(word.text), language, self._is_term))

    def _is_term(self, part: str) -> bool:
        return any((found,) in self._terms for found in self._read(part))

    def _joined_with(self, word: Word, places: Iterable[tuple[int, int]]) -> Iterator[Hit[Key]]:
        written = plain(word.text)
        sources = [at for at, char in enumerate(word.text, word.start) for _letter in plain(char)]  # ß is two letters
        if len(sources) != len(written):
            return
        for start, end in places:
            for found, ways in self._read(written[start:end]).items():
                place, here = (sources[start], sources[end - 1] + 1), self._terms.get((found,), ())
                yield from filter(None, (spelling.hit(*place, ways | _SPLIT) for spelling in here))

    def _in_runs(self, text: str) -> Iterator[Hit[Key]]:
        """Yield the terms whose letters stand apart with one and the same letter or sign between: "t x i x n"."""
        for run in _RUN.finditer(text):
            letters = "".join(char for char in run[0] if not char.isspace())[::2]
            if run[1] in letters:
                continue
            for found in self._shapes.get(folded(letters), (letters,)):
                for spelling in self._terms.get((found,), ()):
                    if hit := spelling.hit(run.start(), run.end(), _SEPARATED):
                        yield hit

    def _in(self, text: str, text_words: Sequence[Word]) -> Iterator[Hit[Key]]:
        gaps = gaps_of(text, text_words)
        read = [self._read(word.text) for word in text_words]
        for first, word in enumerate(text_words):
            if read[first]:
                yield from self._follow(text_words, gaps, read, first)
            if first + 1 < len(text_words) and not self._prefixes.isdisjoint(_spelt_at_first(word.text)):
                yield from self._put_together(text_words, gaps, first)

    def _follow(
        self, text_words: Sequence[Word], gaps: Sequence[Gap], read: Sequence[dict[str, Ways]], first: int
    ) -> Iterator[Hit[Key]]:
        """Yield the terms that begin with this word, word by word."""
        begun: dict[tuple[str, ...], Ways] = {(): WRITTEN}
        start = text_words[first].start
        for last in range(first, min(first + LONGEST_TERM, len(text_words))):
            if last > first and gaps[last] is Gap.END:
                return
            longer: dict[tuple[str, ...], Ways] = {}
            for parts, ways in begun.items():
                for word, how in (continued(text_words[last].text, read[last]) if parts else read[last]).items():
                    together = (*parts, word)
                    for spelling in self._terms.get(together, ()):
                        if hit := spelling.hit(start, text_words[last].end, ways | how):
                            yield hit
                    if together in self._beginnings:
                        longer[together] = ways | how
            begun = longer
            if not begun:
                return

    def _put_together(self, text_words: Sequence[Word], gaps: Sequence[Gap], first: int) -> Iterator[Hit[Key]]:
        """Yield the terms whose parts stand one after another: "gar-den", "g a r d e n", "gar den"."""
        fronts = {reading: "" for reading in _spelt_at_first(text_words[first].text) if reading in self._prefixes}
        for last in range(first + 1, min(first + _LONGEST_RUN, len(text_words))):
            if gaps[last] is Gap.END and not _are_letters(text_words[last - 1 : last + 1]):
                return
            spelt = seen_word(text_words[last].text).spelt
            longer: dict[str, str] = {}
            for front, complete in fronts.items():
                for reading in spelt:
                    together = front + reading
                    if together in self._joined:
                        yield from self._joined_hits(text_words, gaps, (first, last), together, together)
                        longer[together] = together
                    elif complete and len(together) - len(complete) <= _LONGEST_ENDING:
                        yield from self._joined_hits(text_words, gaps, (first, last), complete, together)
                        longer[together] = complete
                    elif together in self._prefixes:
                        longer[together] = complete
                    elif together[:-_LONGEST_ENDING] in self._prefixes:
                        yield from self._ended_hits(text_words, gaps, (first, last), together)
            fronts = longer
            if not fronts:
                return

    def _ended_hits(
        self, text_words: Sequence[Word], gaps: Sequence[Gap], span: tuple[int, int], together: str
    ) -> Iterator[Hit[Key]]:
        """Yield terms whose last part has an ending: "gar-dens"."""
        for cut in range(1, _LONGEST_ENDING + 1):
            if together[:-cut] in self._joined:
                yield from self._joined_hits(text_words, gaps, span, together[:-cut], together)

    def _joined_hits(
        self,
        text_words: Sequence[Word],
        gaps: Sequence[Gap],
        span: tuple[int, int],
        shape: str,
        together: str,
    ) -> Iterator[Hit[Key]]:
        first, last = span
        tail = together[len(shape) :]
        if not self._may_stand(text_words, gaps, span, shape, tail):
            return
        pieces = text_words[first : last + 1]
        between = set(gaps[first + 1 : last + 1])
        is_spelt = _are_letters(pieces)
        for spelling, parts in self._joined[shape]:
            ways = set(_SEPARATED)
            if between & {Gap.BLANK, Gap.END} and not is_spelt:
                inside = len(together) - len(folded(pieces[-1].text)) < len(shape)
                if not inside or not _may_split(shape, pieces, spelling, parts):
                    continue
                ways = set(_SPLIT)
            if together != shape:
                if not any(shape in stems(together, code) for code in languages_of(spelling.term.languages)):
                    continue
                ways |= _INFLECTED
            if "".join(plain(piece.text) for piece in pieces) != together:
                if 2 * sum(any(map(str.isalpha, piece.text)) for piece in pieces) <= len(pieces):
                    continue
                ways |= _LETTERS
            if hit := spelling.hit(pieces[0].start, pieces[-1].end, frozenset(ways)):
                yield hit

    def _may_stand(
        self, text_words: Sequence[Word], gaps: Sequence[Gap], span: tuple[int, int], shape: str, tail: str
    ) -> bool:
        """Return whether a tail may be an ending, and a short term is written letter by letter with signs between."""
        if len(shape) < SHORTEST_FOLDED:
            return not tail and _is_run_of_signs(text_words, gaps, span)
        return not tail or any(may_end(tail, language) for language in self._lemmas)

    def _read(self, written: str) -> dict[str, Ways]:
        """Return the words of the glossary that a word of a text may be; the answers for recent words are kept."""
        read = self._read_before.get(written)
        if read is None:
            if len(self._read_before) >= _MOST_KEPT:
                self._read_before.clear()
            read = self._read_before[written] = self._read_anew(written)
        return read

    def _read_anew(self, written: str) -> dict[str, Ways]:
        """Return the words of the glossary that a word of a text may be, with the surest way of each."""
        seen = seen_word(written)
        read: dict[str, Ways] = {}
        if seen.plain in self._vocabulary:
            read[seen.plain] = WRITTEN
        for word in self._inflected(seen.plain):
            read.setdefault(word, _INFLECTED)
        self._read_unmarked(seen.plain, read)
        self._read_letters(seen, read)
        for word in (seen.cyrillic, *self._inflected(seen.cyrillic)) if seen.cyrillic else ():
            read.setdefault(word, _LETTERS if word == seen.cyrillic else _LETTERS | _INFLECTED)
        for spaced in filter(None, (seen.apart, seen.bare)):
            for word in (*self._shapes.get(spaced, ()), *self._inflected(spaced)):
                read.setdefault(word, _SEPARATED)
        for reading in seen.readings if seen.doubled else ():
            self._read_repeated(reading, read)
        for word in self._unmasked(seen.plain) if seen.masked else ():
            read.setdefault(word, _MASKED)
        return read

    def _read_unmarked(self, written: str, read: dict[str, Ways]) -> None:
        if bare := unmarked(written) if self._unmarked else "":
            for word in self._unmarked.get(bare, ()):
                read.setdefault(word, _VARIANT)
            for form in bare_forms(written):
                for word in self._unmarked.get(form, ()):
                    read.setdefault(word, _INFLECTED)

    def _read_letters(self, seen: SeenWord, read: dict[str, Ways]) -> None:
        for reading in seen.readings:
            for word in self._shapes.get(reading, ()):
                read.setdefault(word, _LETTERS)
            if seen.changed and len(reading) >= SHORTEST_FOLDED:
                for word in self._inflected(reading):
                    read.setdefault(word, _LETTERS | _INFLECTED)

    def _inflected(self, word: str) -> Iterator[str]:
        for language, index in self._lemmas.items():
            basic, forms = lemma(word, language), stems(word, language)
            yield from index.get(basic, ())
            yield from (term for form in forms for term in self._stems[language].get(form, ()))
            if self._heads and is_plural_of_compound(word):
                yield from (term for form in (basic, *forms) for term in self._heads.get(form, ()))

    def _read_repeated(self, reading: str, read: dict[str, Ways]) -> None:
        short = squeezed(reading)
        surely = _STRETCHED.search(reading) is not None
        for word in self._stretched(short, reading, surely, ends=False):
            read.setdefault(word, _REPEATED)
        for language in self._lemmas:
            for form in stems(short, language):
                for word in self._stretched(form, reading, surely, ends=True):
                    if (word, language) in self._listed:
                        read.setdefault(word, _REPEATED | _INFLECTED)

    def _stretched(self, form: str, reading: str, surely: bool, *, ends: bool) -> Iterator[str]:
        for shape, word in self._squeezed.get(form, ()):
            if not surely and (len(shape) < _SHORTEST_SPLIT or self._is_word(reading)):
                continue
            rest = rest_after(shape, reading)
            if rest is not None and bool(rest) == ends:
                yield word

    def _is_word(self, reading: str) -> bool:
        return any(is_known(reading, language) for language in self._lemmas)

    def _unmasked(self, written: str) -> Iterator[str]:
        for ending in ("", "s", "es", "ed", "er"):
            if ending and not written.endswith(ending):
                continue
            masked = written[: len(written) - len(ending)]
            visible = sum(char not in "*#" for char in masked)
            if visible < 2 or "*" not in masked.replace("#", "*"):
                continue
            for shape, word in self._masked.get((masked[0], len(masked)), ()):
                if all(seen in ("*", "#", real) for seen, real in zip(masked, shape, strict=True)):
                    yield word


def _spelt_at_first(written: str) -> tuple[str, ...]:
    """Return what a word may be where a term begins, also without an Arabic article."""
    return (*seen_word(written).spelt, *without_front(written))


def _are_letters(pieces: Sequence[Word]) -> bool:
    return all(len(piece.text) == 1 or len(plain(piece.text)) == 1 for piece in pieces)


def _is_run_of_signs(text_words: Sequence[Word], gaps: Sequence[Gap], span: tuple[int, int]) -> bool:
    """Return whether these are single letters with signs between them, and no further such letter beside them."""
    first, last = span
    after = gaps[last + 1] if last + 1 < len(gaps) else Gap.END
    return (
        _are_letters(text_words[first : last + 1])
        and set(gaps[first + 1 : last + 1]) == {Gap.SIGNS}
        and Gap.SIGNS not in (gaps[first], after)
    )


def _may_split(shape: str, pieces: Sequence[Word], spelling: Spelling[Key], parts: tuple[str, ...]) -> bool:
    """Return whether words with blanks between them may be a term that was split: "the rapist" is no therapist."""
    if len(shape) < _SHORTEST_SPLIT:
        return shape.isdigit()
    if len(parts) > 1:
        return True
    codes = languages_of(spelling.term.languages)
    if not any(is_known(parts[0], code) for code in codes):
        return True
    return not all(any(is_known(plain(piece.text), code) for code in codes) for piece in pieces)


def _humps(word: Word) -> list[Word]:
    found = _CAMEL.finditer(word.text)
    return [Word(match[0], word.start + match.start(), word.start + match.end()) for match in found]
