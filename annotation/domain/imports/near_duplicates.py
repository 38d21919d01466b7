"""Near-duplicate texts, found without comparing every pair.

Two ways; every pair that they report was checked exactly:

- *one word*: texts that become equal when at most one word is left out of each. Every text has a key for all its words
  and a key for each of its words left out; texts with an equal key are near. One changed, added or dropped word is
  always found in texts of at least four words. In scripts without spaces between words, a word is a run of up to three
  characters.
- *shingles*: texts of which more than 70 % of the five-character pieces are common (Jaccard). Candidates come from
  MinHash bands (16 bands of 4, Broder 1997), and each candidate is compared.

All texts are folded first (`domain/folding`), look-alikes of Latin letters are read as such beside Latin letters,
addresses and handles are replaced by one sign each, punctuation is dropped and spacing unified. Texts with another
number of negations are never near: "they are welcome" is another post than "they are not welcome".
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from annotation.domain.folding.look_alikes import latin
from annotation.domain.folding.text import folded
from annotation.domain.imports.negations import negations_of
from annotation.domain.union_find import Chains

if TYPE_CHECKING:
    import numpy.typing as npt

ALIKE = 0.7
"""Two texts with a larger share of common pieces are near-duplicates."""
LEAST_WORDS = 4
"""The minimum number of words: in shorter texts one word is a large part of the meaning."""
_PIECE = 5
LEAST_PIECES = 2 * _PIECE
"""The minimum length, in characters, for a comparison by pieces."""
_BANDS, _ROWS = 16, 4
_PRIME = (1 << 61) - 1

_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
_HANDLE = re.compile(r"@\w+")
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+|[^\w\s]", re.UNICODE)
_HANGUL = re.compile("[\uac00-\ud7a3]")
_BETWEEN_HANGUL = re.compile("(?<=[\uac00-\ud7a3]) (?=[\uac00-\ud7a3])")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")


def words_of(text: str) -> list[str]:
    """Return the normalized words of the text. Pictographs count as words; punctuation does not."""
    return [word for run in runs_of(text) for word in run]


def runs_of(text: str) -> list[list[str]]:
    """Return the words between one space and the next: `non-white` is one run of two words."""
    level = latin(folded(text, joined=False))
    level = _HANDLE.sub("@", _ADDRESS.sub(" \u2197 ", level))
    return [[word for word in _WORD.findall(run) if len(word) > 1 or not _is_mark(word)] for run in level.split()]


def level_of(runs: Sequence[Sequence[str]]) -> str:
    """Return the text of these runs as its pieces are compared: without the blanks between Korean words."""
    return _BETWEEN_HANGUL.sub("", " ".join(chain.from_iterable(runs)))


def negations_in(runs: Sequence[Sequence[str]]) -> int:
    """Return the number of negations in the text of these runs."""
    return negations_of(" ".join(("" if _IS_UNSPACED.search(run[0]) else "-").join(run) for run in runs if run))


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("P")


def near_texts(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of near-duplicate texts.

    The pairs connect all texts of a group; empty texts are in none.
    """
    runs, chains = [runs_of(text) for text in texts], Chains(len(texts))
    for first, second in _one_word_apart(runs):
        if chains.join(first, second):
            yield first, second
    yield from _much_in_common(runs, chains)


def _key(words: Sequence[str], negations: int) -> int:
    written = "\0".join(words) + "\1" * negations
    return int.from_bytes(hashlib.blake2b(written.encode(), digest_size=8).digest())


def keys_of(runs: list[list[str]]) -> Iterator[int]:
    """Yield a key for the text of these runs, and for it without each word. Texts with an equal key are near."""
    words = [word for run in runs for word in run]
    level, negations = " ".join(words), negations_in(runs)
    yield _key(words, negations)
    if _BETWEEN_HANGUL.search(level):
        yield _key(["", _BETWEEN_HANGUL.sub("", level)], negations)
    elif _HANGUL.search(level):
        yield _key(["", level], negations)
    if len(words) < LEAST_WORDS:
        return
    for place, word in enumerate(words):
        yield _key(words[:place] + words[place + 1 :], negations)
        if _IS_UNSPACED.match(word):
            for length in (2, 3):
                window = words[place : place + length]
                long_enough = len(window) == length and len(words) >= LEAST_WORDS * length
                if long_enough and all(map(_IS_UNSPACED.match, window)):
                    yield _key(words[:place] + words[place + length :], negations)
    place = 0
    for run in runs:
        if 1 < len(run) <= len(words) - LEAST_WORDS + 1 and not _IS_UNSPACED.match(run[0]):
            yield _key(words[:place] + words[place + len(run) :], negations)
        place += len(run)


def _one_word_apart(texts: Sequence[list[list[str]]]) -> Iterator[tuple[int, int]]:
    """Yield pairs of texts that share a key. Two flat columns of keys keep the memory small."""
    keys: list[npt.NDArray[np.uint64]] = []
    owners: list[npt.NDArray[np.int64]] = []
    for place, runs in enumerate(texts):
        if any(runs):
            own = np.array(sorted(set(keys_of(runs))), dtype=np.uint64)
            keys.append(own)
            owners.append(np.full(len(own), place, dtype=np.int64))
    if not keys:
        return
    column, owner = np.concatenate(keys), np.concatenate(owners)
    order = np.lexsort((owner, column))
    column, owner = column[order], owner[order]
    same = np.flatnonzero(column[1:] == column[:-1])
    yield from zip(owner[same].tolist(), owner[same + 1].tolist(), strict=True)


def _much_in_common(runs: Sequence[list[list[str]]], chains: Chains) -> Iterator[tuple[int, int]]:
    """Yield pairs of similar texts that are not yet connected, and connect them."""
    texts = [level_of(text_runs) for text_runs in runs]
    pieces = Pieces(texts)
    buckets: dict[tuple[int, bytes, int], list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        if len(text) >= LEAST_PIECES:
            negations = negations_in(runs[place])
            for band, mark in enumerate(pieces.marks(place)):
                buckets[band, mark, negations].append(place)
    for members in buckets.values():
        # Each member is compared with the first of its bucket and with up to eight members before it.
        for at, place in enumerate(members[1:], start=1):
            for earlier in (members[0], *members[max(1, at - 8) : at]):
                if chains.root(earlier) != chains.root(place) and pieces.common(earlier, place) > ALIKE:
                    chains.join(earlier, place)
                    yield earlier, place


class Pieces:
    """The five-character pieces of texts, as numbers, and their MinHash marks."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        dice = np.random.default_rng(20_260_101)
        self._times = dice.integers(1, 1 << 31, _BANDS * _ROWS, dtype=np.uint64) | np.uint64(1)
        self._plus = dice.integers(0, 1 << 31, _BANDS * _ROWS, dtype=np.uint64)

    def numbers(self, place: int) -> npt.NDArray[np.uint64]:
        """Return each distinct piece of the text as one number."""
        points = np.frombuffer(self.texts[place].encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
        rolled = np.zeros(len(points) - _PIECE + 1, dtype=np.uint64)
        for at in range(_PIECE):
            rolled = rolled * np.uint64(1_000_003) + points[at : at + len(rolled)]
        rolled ^= rolled >> np.uint64(29)
        rolled *= np.uint64(0xBF58476D1CE4E5B9)
        return np.unique(rolled ^ (rolled >> np.uint64(32)))

    def marks(self, place: int) -> Iterator[bytes]:
        """Return one mark per band; similar texts probably share one of them."""
        low = self.numbers(place) & np.uint64(0x7FFFFFFF)
        least = ((low[:, None] * self._times + self._plus) % np.uint64(_PRIME)).min(axis=0)
        return (least[at : at + _ROWS].tobytes() for at in range(0, _BANDS * _ROWS, _ROWS))

    def common(self, left: int, right: int) -> float:
        """Return the share of common pieces (Jaccard)."""
        first, second = self.numbers(left), self.numbers(right)
        both = len(np.intersect1d(first, second, assume_unique=True))
        return both / (len(first) + len(second) - both)
