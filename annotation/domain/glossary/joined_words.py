"""Words that are written together: hashtags, and compounds of languages that join their nouns."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache

from annotation.domain.glossary.endings import is_known
from annotation.domain.glossary.normalize import SHORTEST_FOLDED

COMPOUNDING: Mapping[str, tuple[str, ...]] = {
    "de": ("", "s", "es", "n", "en", "er", "e"),
    "nl": ("", "s", "en", "n", "e"),
    "sv": ("", "s"),
    "da": ("", "s", "e"),
    "nb": ("", "s", "e"),
    "nn": ("", "s", "e"),
    "is": ("", "s", "a", "u"),
    "fi": ("", "n"),
    "hu": ("",),
}
"""The languages that join nouns, with the letters that may stand between two of them."""
_LONGEST = 40
"""Characters of a joined word that are looked at."""
_LONGEST_WORD = 16
_SHORTEST_PART = 3
_LONE = frozenset("ai")
_NO_WAY = 99

Place = tuple[int, int]


def in_hashtag(written: str, languages: tuple[str, ...], terms: Callable[[str], bool]) -> Iterator[Place]:
    """Yield the places in a hashtag that are terms, if the rest of it is words and no other cut has fewer.

    `terms` says whether a part is a term.
    """
    word = written[:_LONGEST]
    before, after = _fewest(word, languages), _fewest_after(word, languages)
    for start in range(len(word) - SHORTEST_FOLDED + 1):
        for end in range(start + SHORTEST_FOLDED, len(word) + 1):
            if end - start == len(word) or before[start] + after[end] >= _NO_WAY or not terms(word[start:end]):
                continue
            if before[start] + 1 + after[end] <= before[len(word)]:
                yield start, end


@lru_cache(maxsize=4096)
def _fewest(word: str, languages: tuple[str, ...]) -> tuple[int, ...]:
    """Return for each place the fewest words that lead to it."""
    fewest = [0] + [_NO_WAY] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(max(0, end - _LONGEST_WORD), end):
            if fewest[start] + 1 < fewest[end] and _is_word(word[start:end], languages):
                fewest[end] = fewest[start] + 1
    return tuple(fewest)


@lru_cache(maxsize=4096)
def _fewest_after(word: str, languages: tuple[str, ...]) -> tuple[int, ...]:
    """Return for each place the fewest words that lead from it to the end."""
    fewest = [_NO_WAY] * len(word) + [0]
    for start in range(len(word) - 1, -1, -1):
        for end in range(start + 1, min(len(word), start + _LONGEST_WORD) + 1):
            if fewest[end] + 1 < fewest[start] and _is_word(word[start:end], languages):
                fewest[start] = fewest[end] + 1
    return tuple(fewest)


def _is_word(part: str, languages: tuple[str, ...]) -> bool:
    if len(part) == 1:
        return part in _LONE or part.isdigit()
    return part.isdigit() or any(is_known(part, code) for code in languages)


def in_compound(word: str, language: str, terms: Callable[[str], bool]) -> Iterator[Place]:
    """Yield the places of terms in a compound that the dictionary does not have: its first, middle or last part."""
    if len(word) < SHORTEST_FOLDED + _SHORTEST_PART or len(word) > _LONGEST or is_known(word, language):
        return
    for start in range(len(word) - SHORTEST_FOLDED + 1):
        if start and not is_first_part(word[:start], language):
            continue
        for end in range(start + SHORTEST_FOLDED, len(word) + 1):
            if end - start < len(word) and terms(word[start:end]) and is_last_part(word[end:], language):
                yield start, end


@cache
def _linking(language: str) -> tuple[str, ...]:
    return COMPOUNDING.get(language, ("",))


@lru_cache(maxsize=16_384)
def is_first_part(part: str, language: str) -> bool:
    """Return whether a part may stand before a noun in a compound."""
    for link in _linking(language):
        bare = part[: len(part) - len(link)] if link else part
        if part.endswith(link) and len(bare) >= _SHORTEST_PART and is_known(bare, language):
            return True
    return False


@lru_cache(maxsize=16_384)
def is_last_part(part: str, language: str) -> bool:
    """Return whether a part may stand behind a noun in a compound: nothing, or a word after linking letters."""
    if not part:
        return True
    for link in _linking(language):
        bare = part[len(link) :]
        if part.startswith(link) and len(bare) >= _SHORTEST_PART and is_known(bare, language):
            return True
    return False
