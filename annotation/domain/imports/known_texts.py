"""Known texts, and a check whether a new text is a near-duplicate of one of them (by the rules of `near_texts`).

Texts are only added. Each text is stored as numbers in two sorted columns, so that a hundred thousand texts take little
memory and a search takes a few look-ups. New numbers wait in small dictionaries until there are enough to sort.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from annotation.domain.imports.near_duplicates import (
    ALIKE,
    band_marks,
    in_common,
    keys_of,
    level_of,
    negations_in,
    pieces_of,
    runs_of,
)

if TYPE_CHECKING:
    import numpy.typing as npt

_SORTED_FROM = 20_000


class _Column:
    """The texts that have a number."""

    def __init__(self) -> None:
        self._numbers: npt.NDArray[np.uint64] = np.empty(0, dtype=np.uint64)
        self._owners: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._latest: dict[int, list[int]] = defaultdict(list)
        self._waiting = 0

    def add(self, numbers: Iterable[int], owner: int) -> None:
        for number in numbers:
            self._latest[number].append(owner)
            self._waiting += 1
        if self._waiting >= _SORTED_FROM:
            self._sort_in()

    def owners(self, number: int) -> Iterator[int]:
        first, last = (int(np.searchsorted(self._numbers, np.uint64(number), side)) for side in ("left", "right"))
        yield from self._owners[first:last].tolist()
        yield from self._latest.get(number, ())

    def _sort_in(self) -> None:
        counts = [len(owners) for owners in self._latest.values()]
        numbers = np.repeat(np.fromiter(self._latest, dtype=np.uint64, count=len(counts)), counts)
        owners = np.fromiter(chain.from_iterable(self._latest.values()), dtype=np.int64, count=self._waiting)
        numbers, owners = np.concatenate([self._numbers, numbers]), np.concatenate([self._owners, owners])
        order = np.argsort(numbers, kind="stable")
        self._numbers, self._owners = numbers[order], owners[order]
        self._latest, self._waiting = defaultdict(list), 0


class Shelf:
    """Known texts, numbered from 0 in the order of their arrival."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._one_word, self._bands = _Column(), _Column()

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, texts: Sequence[str]) -> None:
        """Add texts. An empty text keeps its number and is near no other."""
        for place, text in enumerate(texts, start=len(self._texts)):
            runs = runs_of(text)
            level = level_of(runs)
            self._texts.append(level)
            if level:
                self._one_word.add(set(keys_of(runs)), place)
                self._bands.add(band_marks(level, negations_in(runs)), place)

    def near(self, text: str) -> int | None:
        """Return the number of a near-duplicate of this text.

        Returns None if there is none.
        Every reported pair was compared exactly, as in `near_texts`.
        """
        runs = runs_of(text)
        level = level_of(runs)
        if not level:
            return None
        for key in keys_of(runs):
            for place in self._one_word.owners(key):
                return place
        candidates = {place for mark in band_marks(level, negations_in(runs)) for place in self._bands.owners(mark)}
        if not candidates:
            return None
        own = pieces_of(level)
        alike = (place for place in sorted(candidates) if in_common(own, pieces_of(self._texts[place])) > ALIKE)
        return next(alike, None)
