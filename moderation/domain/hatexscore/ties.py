"""What ties a group to hate: a quotation or a hostile word in its sentence, or close to a sentence about the text."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property, lru_cache

from moderation.domain.hatexscore.quotations import BLANK
from moderation.domain.hatexscore.words.tokenize import Tongue, grams, tongue, words

QUOTE = "quote"
_NEIGHBOURS = (-1, 1, -2, 2)
"""Which sentences are looked at, nearest first, where a sentence says whom the text is about."""
_ASKS = re.compile(r"[^\n]*[?？][* _]*\s*|\s*#{1,6}\s[^\n]*\s*|\s*\*\*[^*\n]{1,40}\*\*\s*|[^\n:：]{1,30}[:：][* ]*\s*")
"""A question, or a heading on a line of its own: what follows answers it."""
_LIST_LINE = re.compile(r"\s*(?:[-*+•|>]|\(?\d{1,2}[.):]|第.{1,2}步|#{1,6}\s|\*\*)|[^\n:：]{1,30}[:：]")


class Ties:
    """The ties of one explanation, sentence by sentence; `starts` is where its sentences begin."""

    def __init__(self, text: str, starts: Sequence[int], speech: Tongue) -> None:
        self._sentences = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
        self._starts, self._speech = starts, speech
        self._own: dict[int, str] = {}
        self._ties: dict[int, str] = {}

    def sentence_at(self, place: int) -> int:
        """Return the number of the sentence at this place."""
        return bisect_right(self._starts, place) - 1

    def tie(self, number: int) -> str:
        """Return the hostile word or `quote` that ties the groups of this sentence; empty if nothing does."""
        if number not in self._ties:
            self._ties[number] = self.own(number) or self._from_neighbours(number)
        return self._ties[number]

    def own(self, number: int) -> str:
        """Return what ties within the sentence itself; empty if nothing does."""
        if number not in self._own:
            sentence = self._sentences[number]
            found = QUOTE if BLANK in sentence else ""
            self._own[number] = found or _first_of(_hostile(self._speech.code), sentence, self._speech)
        return self._own[number]

    def _from_neighbours(self, number: int) -> str:
        sentence = self._sentences[number]
        before = self._sentences[number - 1] if number else ""
        asked = before if _ASKS.fullmatch(before) else ""
        if asked and self.own(number - 1):
            return self.own(number - 1)
        of_lists = self._of_lists if _LIST_LINE.match(sentence) else ""
        if of_lists or not _first_of(_about_the_text(self._speech.code), asked + sentence, self._speech):
            return of_lists
        near = (self.own(number + step) for step in _NEIGHBOURS if 0 <= number + step < len(self._sentences))
        return next(filter(None, near), "")

    @cached_property
    def _of_lists(self) -> str:
        """The first tie in a list, table or field of the answer; empty if there is none."""
        lines = (number for number, line in enumerate(self._sentences) if _LIST_LINE.match(line))
        return next(filter(None, map(self.own, lines)), "")


def _first_of(wanted: frozenset[str], sentence: str, speech: Tongue) -> str:
    """Return the first of these words that the sentence holds; by its letters where no spaces part the words."""
    if not speech.between:
        return next((word for word in sorted(wanted) if word in sentence), "")
    tokens = speech.tokenize(sentence)
    for at in range(len(tokens)):
        for _end, lemmas in grams(tokens, speech.between, at, 2):
            if lemmas in wanted:
                return lemmas
    return ""


def _hostile(language: str) -> frozenset[str]:
    return _lemmas("hostile.txt", language)


def _about_the_text(language: str) -> frozenset[str]:
    return _lemmas("about_the_text.txt", language)


@lru_cache(maxsize=64)
def _lemmas(name: str, language: str) -> frozenset[str]:
    speech = tongue(language)
    if not speech.between:
        return frozenset(word for word in words(name) if not word.isascii()) | {"hate"}  # fields are often in English
    return frozenset(speech.between.join(token.lemma for token in speech.tokenize(word)) for word in words(name))
