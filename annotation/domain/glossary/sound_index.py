"""Search for what sounds like a term, for the entries that ask for it: Korean spellings, Chinese homophones, pinyin."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from typing import Generic

from annotation.domain.folding.chinese import simplified
from annotation.domain.folding.hangul import is_syllable
from annotation.domain.glossary import chinese, korean, korean_words
from annotation.domain.glossary.disguises import How
from annotation.domain.glossary.sounds import korean_sound, pinyin, pinyin_of
from annotation.domain.glossary.terms import Hit, Key, Spelling

_SOUND = frozenset({How.SOUND})
_HANGUL = re.compile("[\uac00-\ud7a3]{2,}")
_HAN = re.compile("[\u3400-\u9fff]")
_LONGEST_SYLLABLE = 6
_WINDOW = 6
_BETWEEN = frozenset(" .-_*·'’")


class SoundIndex(Generic[Key]):
    """An index of terms by their sound."""

    def __init__(self) -> None:
        self._korean: dict[str, list[tuple[str, Spelling[Key]]]] = defaultdict(list)
        self._lengths: set[int] = set()
        self._chinese: dict[str, list[tuple[tuple[str, ...], str, Spelling[Key]]]] = defaultdict(list)

    def add(self, text: str, spelling: Spelling[Key]) -> None:
        """Add a spelling of a term; nothing for one that is neither all Korean nor all Chinese."""
        chars = "".join(text.split())
        if len(chars) > 1 and all(map(is_syllable, chars)):
            self._korean[korean_sound(chars)].append((chars, spelling))
            self._lengths.add(len(chars))
        elif len(chars) > 1 and all(map(_HAN.match, chars)) and (syllables := pinyin(chars)):
            self._chinese[syllables[0]].append((syllables, "".join(map(simplified, chars)), spelling))

    def find(self, text: str) -> Iterator[Hit[Key]]:
        """Yield the places that sound like a term and are not written like it."""
        if self._korean:
            for run in _HANGUL.finditer(text):
                yield from self._in_korean(text, run.start(), run.end())
        if self._chinese:
            yield from self._in_chinese(text)

    def _in_korean(self, text: str, first: int, last: int) -> Iterator[Hit[Key]]:
        for length in self._lengths:
            for start in range(first, last - length + 1):
                end = start + length
                written = text[start:end]
                for term, spelling in self._korean.get(korean_sound(written), ()):
                    if written == term or not korean.is_prefix(text[max(first, start - _WINDOW) : start], written):
                        continue
                    is_word = korean.is_ending(text[end : min(last, end + 2 * _WINDOW)], written)
                    if is_word and not korean_words.is_everyday(written) and (hit := spelling.hit(start, end, _SOUND)):
                        yield hit

    def _in_chinese(self, text: str) -> Iterator[Hit[Key]]:
        letters = "".join(map(_letter, text))
        for start, char in enumerate(letters):
            if _HAN.match(char):
                beginnings = pinyin_of(char)
            elif char.isascii() and char.isalpha() and not _is_latin(letters[start - 1 : start]):
                beginnings = frozenset(letters[start : start + length] for length in range(1, _LONGEST_SYLLABLE + 1))
            else:
                continue
            for beginning in beginnings:
                for syllables, term, spelling in self._chinese.get(beginning, ()):
                    end = _end_of(letters, start, syllables)
                    is_other = end is not None and _is_other_word(letters, start, end, term)
                    if end is not None and is_other and (hit := spelling.hit(start, end, _SOUND)):
                        yield hit


def _letter(char: str) -> str:
    """Return a character without case and tone, in its simplified form: one for each character of a text."""
    plain = unicodedata.normalize("NFKD", char)[:1].lower()
    return "v" if char in "üÜǖǘǚǜ" else simplified(plain) if len(plain) == 1 else char


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalpha()


def _end_of(letters: str, at: int, syllables: tuple[str, ...]) -> int | None:
    """Return the place after these syllables, in characters or in letters. Returns None if others stand here."""
    for number, syllable in enumerate(syllables):
        if number and letters[at : at + 1] in _BETWEEN:
            at += 1
        if _HAN.match(letters[at : at + 1]):
            if syllable not in pinyin_of(letters[at]):
                return None
            at += 1
        elif letters.startswith(syllable, at):
            at += len(syllable)
        else:
            return None
    return None if _is_latin(letters[at - 1]) and _is_latin(letters[at : at + 1]) else at


def _is_other_word(letters: str, start: int, end: int, term: str) -> bool:
    """Return whether a place is another spelling of the term, and neither a word nor parts of words by itself."""
    written = letters[start:end]
    if written == term:
        return False
    if not all(map(_HAN.match, written)):
        return True
    if chinese.is_word(written) and not chinese.is_rarer(written, term):
        return False
    before, after = max(0, start - _WINDOW), end + _WINDOW
    return len(term) > 3 or not chinese.cuts_words(letters[before:after], start - before, end - before)
