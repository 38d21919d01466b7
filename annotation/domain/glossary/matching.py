"""Search for the terms of a glossary in a text: as written, inflected, or disguised.

The words and characters of the text are looked up in indexes of terms, so the cost does not grow with their number.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Generic

from annotation.domain.folding import lemmas
from annotation.domain.folding.hangul import is_syllable
from annotation.domain.folding.text import plain
from annotation.domain.glossary import chinese, korean_words
from annotation.domain.glossary.addresses import Addresses
from annotation.domain.glossary.disguises import WRITTEN, How, least_sure
from annotation.domain.glossary.endings import is_known, languages_of
from annotation.domain.glossary.entities import decoded
from annotation.domain.glossary.inside_index import InsideIndex
from annotation.domain.glossary.normalize import has_words, is_glued, is_picture, words
from annotation.domain.glossary.sound_index import SoundIndex
from annotation.domain.glossary.terms import Hit, Key, Spelling, Term
from annotation.domain.glossary.word_index import LONGEST_TERM, WordIndex

__all__ = ["LONGEST_TERM", "Hit", "Matcher", "Term", "first_of_each", "languages_known"]
_WITHOUT_DICTIONARY = frozenset(("zh", "ja", "ko", "th", "lo", "km", "my", "ar", "he", "ur", "bn", "ta", "vi"))
_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


class Matcher(Generic[Key]):
    """An index over terms. It never changes; a changed glossary needs a new matcher."""

    def __init__(self, terms: Iterable[Term[Key]]) -> None:
        self._words: WordIndex[Key] = WordIndex()
        self._inside: InsideIndex[Key] = InsideIndex()
        self._signs: dict[str, list[Spelling[Key]]] = defaultdict(list)
        self._sign_lengths: dict[str, set[int]] = defaultdict(set)
        self._edges: dict[Key, tuple[str, str]] = {}
        self._sounds: SoundIndex[Key] = SoundIndex()
        self._terms: dict[Key, Term[Key]] = {}
        self._everyday: dict[Key, bool] = {}
        for term in terms:
            self._terms[term.key] = term
            if term.sounds:
                self._sounds.add(term.text, Spelling(term))
            self._add(term.text, Spelling(term))
            spelt_out = term.text.translate(_SPELT_OUT) if "de" in term.languages else term.text
            for variant in {*term.variants, spelt_out} - {term.text}:
                self._add(variant, Spelling(term, frozenset({How.VARIANT})))

    def find(self, text: str) -> list[Hit[Key]]:
        """Return the terms in this text, by position. Of hits of one term that overlap, the surest stays."""
        korean_words.begin_text()
        best: dict[Key, list[Hit[Key]]] = defaultdict(list)
        for hit in chain(self._hits(text), self._named(text)):
            best[hit.key].append(hit)
        hits = [self._weighed(hit) for of_term in best.values() for hit in _apart(of_term)]
        return sorted(hits, key=lambda hit: (hit.start, -hit.end, -hit.sureness))

    def _hits(self, text: str) -> Iterator[Hit[Key]]:
        addresses = Addresses(text)
        searches = (index.find(text) for index in (self._words, self._inside, self._sounds))
        for hit in chain(*searches, self._of_signs(text)):
            if addresses.hold(hit.start, hit.end) or _is_part_of_number(text, hit.start, hit.end):
                continue
            yield self._with_edges(text, hit) if hit.key in self._edges else hit

    def _named(self, text: str) -> Iterator[Hit[Key]]:
        """Yield the terms of which the text names characters by number: br&#105;ck."""
        source = decoded(text)
        if source is None:
            return
        for hit in self._hits(source.text):
            start, end = source.starts[hit.start], source.ends[hit.end - 1]
            if end - start > hit.end - hit.start and How.VARIANT not in self._terms[hit.key].off:
                yield replace(hit, start=start, end=end, how=least_sure((hit.how, How.VARIANT)))

    def _weighed(self, hit: Hit[Key]) -> Hit[Key]:
        """Return a hit that says whether its term, if nothing disguises it, is a word of everyday language too."""
        if hit.how not in (How.WRITTEN, How.INFLECTED):
            return hit
        if hit.key not in self._everyday:
            self._everyday[hit.key] = _is_everyday(self._terms[hit.key])
        return replace(hit, everyday=True) if self._everyday[hit.key] else hit

    def _add(self, text: str, spelling: Spelling[Key]) -> None:
        if is_glued(text) and not any(map(is_picture, text)):
            self._inside.add(text, spelling)
        elif has_words(text) and not is_glued(text):
            self._words.add(text, spelling)
            parts = list(words(text))
            first, last = parts[0], parts[-1]
            if text == spelling.term.text and (first.start or last.end < len(text)):
                self._edges[spelling.term.key] = text[: first.start], text[last.end :]
        elif signs := _together(text)[0]:
            self._signs[signs].append(spelling)
            self._sign_lengths[signs[0]].add(len(signs))

    def _with_edges(self, text: str, hit: Hit[Key]) -> Hit[Key]:
        """Return a hit with the signs at the edges of its term, as in <slur>, where they stand in the text."""
        front, back = self._edges[hit.key]
        if text[: hit.start].endswith(front) and text.startswith(back, hit.end):
            return replace(hit, start=hit.start - len(front), end=hit.end + len(back))
        return hit

    def _of_signs(self, text: str) -> Iterator[Hit[Key]]:
        if not self._signs:
            return
        together, places = _together(text)
        for at, char in enumerate(together):
            for length in self._sign_lengths.get(char, ()):
                for spelling in self._signs.get(together[at : at + length], ()):
                    start, end = places[at], places[at + length - 1] + 1
                    is_close = end - start == length
                    if is_close or length > 2:
                        hit = spelling.hit(start, end, WRITTEN if is_close else frozenset({How.SEPARATED}))
                        if hit:
                            yield hit


def first_of_each(hits: Sequence[Hit[Key]]) -> Mapping[Key, Hit[Key]]:
    """Return the most certain hit of each term, the earliest if several are equal."""
    chosen: dict[Key, Hit[Key]] = {}
    for hit in hits:
        if hit.key not in chosen or hit.sureness > chosen[hit.key].sureness:
            chosen[hit.key] = hit
    return chosen


def languages_known() -> frozenset[str]:
    """Return the languages that an entry may name: those with known inflections, and some without."""
    return lemmas.languages() | _WITHOUT_DICTIONARY


def _is_everyday(term: Term[Any]) -> bool:
    """Return whether a dictionary of its languages has the term as one word."""
    text = plain(term.text)
    if any(map(is_syllable, text)):
        return korean_words.is_everyday(text)
    if is_glued(text):
        return chinese.is_everyday(text)
    return " " not in text and any(is_known(text, code) for code in languages_of(term.languages))


def _is_part_of_number(text: str, start: int, end: int) -> bool:
    """Return whether these digits go on beyond a decimal point or a comma: 88 in 8.88 or 88,000."""
    if not (text[start].isdigit() and text[end - 1].isdigit()):
        return False
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return any(len(part) == 2 and part[0] in ".," and part[1].isdigit() for part in (before[::-1], after))


def _apart(hits: list[Hit[Key]]) -> list[Hit[Key]]:
    """Return the surest of hits of one term that overlap; of equally sure ones the longest."""
    if len(hits) == 1:
        return hits
    chosen: list[Hit[Key]] = []
    last_end = 0
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.sureness, -hit.end)):
        if chosen and hit.start < last_end:
            if (hit.sureness, hit.end - hit.start) > (chosen[-1].sureness, chosen[-1].end - chosen[-1].start):
                chosen[-1] = hit
                last_end = hit.end
            continue
        chosen.append(hit)
        last_end = hit.end
    return chosen


def _together(text: str) -> tuple[str, list[int]]:
    """Return the visible characters of a text in one written form, and the position of each."""
    chars, places = [], []
    for place, char in enumerate(text):
        for visible in plain(char):
            if (
                not visible.isspace()
                and not "\ufe00" <= visible <= "\ufe0f"
                and not "\U0001f3fb" <= visible <= "\U0001f3ff"
            ):
                chars.append(visible)
                places.append(place)
    return "".join(chars), places
