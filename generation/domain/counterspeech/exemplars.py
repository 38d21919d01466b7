"""Exemplars for a new reply: approved replies to the nearest posts by BM25 (CoARL, appendix D).

The score is Lucene's BM25 with k1 = 1.5 and b = 0.75, as `bm25s` computes it. Equal scores keep the order of the store.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import bm25s
import numpy as np

from generation.domain.tokens import plain, tokens

logging.getLogger("bm25s").setLevel(logging.WARNING)  # without this it logs every index that is built

SHOTS = 3
"""Number of examples that gave the best result in the paper."""
K1, B = 1.5, 0.75


@dataclass(frozen=True)
class Nearest:
    """One row of the store: its index, and the BM25 score of its post for the query."""

    place: int
    score: float


class Store:
    """The posts of the store, indexed once and then used for many queries."""

    def __init__(self, posts: Sequence[str]) -> None:
        self._posts = [plain(post) for post in posts]
        words = [tokens(post) for post in posts]
        self._index: bm25s.BM25 | None = None
        if any(words):
            self._index = bm25s.BM25(k1=K1, b=B, method="lucene")
            self._index.index(words, show_progress=False)

    def __len__(self) -> int:
        return len(self._posts)

    def scores(self, post: str) -> np.ndarray:
        """Return the score of every row for this post, shape (rows,)."""
        vocabulary = set(self._index.vocab_dict) if self._index is not None else set()
        query = [word for word in tokens(post) if word in vocabulary]
        if self._index is None or not query:
            return np.zeros(len(self._posts), dtype=np.float32)
        scores: np.ndarray = self._index.get_scores(query)
        return scores

    def nearest(self, post: str, most: int = SHOTS) -> list[Nearest]:
        """Return the nearest rows, best first. Rows that answer exactly the same post are left out."""
        scores, same = self.scores(post), plain(post)
        order = np.argsort(-scores, kind="stable")
        others = (int(place) for place in order if self._posts[place] != same)
        return [Nearest(place, float(scores[place])) for _number, place in zip(range(most), others, strict=False)]
