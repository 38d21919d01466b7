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
import random
import re
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from operator import itemgetter
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Self

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
_PART_BITS = 6
"""Numbers are sorted in so many parts, as a power of two."""
_IN_MEMORY = 4096
"""So many numbers of a part are held, 12 bytes each."""

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


def near_texts(
    texts: Iterable[str], count: int | None = None, text_at: Callable[[int], str] | None = None
) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of near-duplicate texts.

    The pairs connect all texts of a group; empty texts are in none. `texts` are a sequence, or come once and in order:
    then there are `count`, and `text_at` reads one again. Keys and marks of many texts wait in temporary files, some
    450 bytes for a text of twenty words.
    """
    if text_at is None:
        texts = list(texts)
        count, text_at = len(texts), texts.__getitem__
    assert count is not None
    with _Numbers() as keys, _Numbers() as marks:
        chains = Chains(count)
        for place, text in enumerate(texts):
            runs = runs_of(text)
            if any(runs):
                keys.add(set(keys_of(runs)), place)
                marks.add(band_marks(level_of(runs), negations_in(runs)), place)
        for _number, owners in keys.shared():
            for first, second in pairwise(owners.tolist()):
                if chains.join(first, second):
                    yield first, second
        yield from _much_in_common(text_at, marks, chains)


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


class _Numbers:
    """64-bit numbers with the texts that have them, in parts by their first bits. Texts come in their order.

    What a part has too many of waits in a temporary file without a name. One part at a time is sorted.
    """

    def __init__(self) -> None:
        self._parts = [(array("Q"), array("I")) for _part in range(1 << _PART_BITS)]
        self._places: list[list[int]] = [[] for _part in self._parts]  # of what is in the file, by part
        self._file = TemporaryFile()  # noqa: SIM115 (closed with this object)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self._file.close()

    def add(self, numbers: Iterable[int], owner: int) -> None:
        for number in numbers:
            part = number >> (64 - _PART_BITS)
            column, owners = self._parts[part]
            column.append(number)
            owners.append(owner)
            if len(owners) == _IN_MEMORY:
                self._places[part].append(self._file.tell())
                self._file.write(column.tobytes() + owners.tobytes())
                self._parts[part] = array("Q"), array("I")

    def shared(self) -> Iterator[tuple[int, npt.NDArray[np.uint32]]]:
        """Yield each number that several texts have, in order, with these texts; the columns are let go."""
        for places in self._places:
            column, owners = self._taken(places)
            order = np.argsort(column, kind="stable")
            column, owners = column[order], owners[order]
            edges = np.concatenate(([0], np.flatnonzero(column[1:] != column[:-1]) + 1, [len(column)]))
            for at in np.flatnonzero(np.diff(edges) > 1).tolist():
                yield int(column[edges[at]]), owners[edges[at] : edges[at + 1]].copy()

    def _taken(self, places: Sequence[int]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
        """Return the numbers of the first part that is left, what is in the file at these places before the others."""
        numbers, texts = self._parts.pop(0)
        written = [np.frombuffer(self._at(place), np.uint8) for place in places]
        edge = _IN_MEMORY * numbers.itemsize
        columns = [some[:edge].view(np.uint64) for some in written]
        owners = [some[edge:].view(np.uint32) for some in written]
        return np.concatenate((*columns, numbers)), np.concatenate((*owners, texts))

    def _at(self, place: int) -> bytes:
        self._file.seek(place)
        return self._file.read(_IN_MEMORY * 12)


def _much_in_common(text_at: Callable[[int], str], marks: _Numbers, chains: Chains) -> Iterator[tuple[int, int]]:
    """Yield pairs of similar texts that are not yet connected, and connect them."""
    pieces = lru_cache(maxsize=4096)(lambda place: pieces_of(level_of(runs_of(text_at(place)))))
    buckets = [
        (int(owners[0]), number % _BANDS, owners)
        for number, owners in marks.shared()
        if len({chains.root(place) for place in owners.tolist()}) > 1
    ]
    for _first, _band, owners in sorted(buckets, key=itemgetter(0, 1)):
        members = owners.tolist()
        # Each member is compared with the first of its bucket and with up to eight members before it.
        for at, place in enumerate(members[1:], start=1):
            for earlier in (members[0], *members[max(1, at - 8) : at]):
                if chains.root(earlier) != chains.root(place) and in_common(pieces(earlier), pieces(place)) > ALIKE:
                    chains.join(earlier, place)
                    yield earlier, place


def band_marks(level: str, negations: int) -> list[int]:
    """Return a number for each band of the text as its pieces are compared; its last digits name the band.

    Similar texts with as many negations probably share one. A text too short to be compared by pieces has none.
    """
    if len(level) < LEAST_PIECES:
        return []
    least = (pieces_of(level)[:, None] * _factors()).min(axis=0)  # modulo 2 ** 64: each factor has an order of its own
    digests = (
        hashlib.blake2b(least[at : at + _ROWS].tobytes(), digest_size=8, key=negations.to_bytes(4)).digest()
        for at in range(0, _BANDS * _ROWS, _ROWS)
    )
    return [int.from_bytes(digest) // _BANDS * _BANDS + band for band, digest in enumerate(digests)]


@cache
def _factors() -> npt.NDArray[np.uint64]:
    """Return an odd number for each row of each band, always the same."""
    dice = random.Random(20_260_101)
    return np.array([dice.getrandbits(64) | 1 for _ in range(_BANDS * _ROWS)], np.uint64)


def in_common(left: npt.NDArray[np.uint64], right: npt.NDArray[np.uint64]) -> float:
    """Return the share of common pieces (Jaccard) of two texts."""
    both = len(np.intersect1d(left, right, assume_unique=True))
    return both / (len(left) + len(right) - both)


def pieces_of(level: str) -> npt.NDArray[np.uint64]:
    """Return each distinct piece of the text, of five characters, as one number."""
    points = np.frombuffer(level.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    rolled = np.zeros(len(points) - _PIECE + 1, dtype=np.uint64)
    for at in range(_PIECE):
        rolled = rolled * np.uint64(1_000_003) + points[at : at + len(rolled)]
    rolled ^= rolled >> np.uint64(29)
    rolled *= np.uint64(0xBF58476D1CE4E5B9)
    return np.unique(rolled ^ (rolled >> np.uint64(32)))
