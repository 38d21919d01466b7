"""Topics of texts: spherical k-means over their embeddings. Equal texts and seeds give equal topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

_ROUNDS = 25


def topics_of(vectors: npt.NDArray[np.float32], topics: int, seed: int) -> Sequence[int | None]:
    """Return the topic of each vector, None for a zero vector (an empty text).

    There are no more topics than distinct vectors.
    """
    length = np.linalg.norm(vectors, axis=1)
    nonzero = np.flatnonzero(length > 0)
    result: list[int | None] = [None] * len(vectors)
    if not len(nonzero):
        return result
    unit = vectors[nonzero] / length[nonzero, None]
    distinct = np.unique(unit, axis=0)
    dice = np.random.default_rng(seed)
    centres = distinct[dice.choice(len(distinct), min(topics, len(distinct)), replace=False)]
    nearest = np.zeros(len(unit), dtype=np.int64)
    for _round in range(_ROUNDS):
        before, nearest = nearest, (unit @ centres.T).argmax(axis=1)
        if _round and (before == nearest).all():
            break
        for topic in range(len(centres)):
            mean = unit[nearest == topic].sum(axis=0)
            norm = np.linalg.norm(mean)
            if norm > 0:
                centres[topic] = mean / norm
    for place, topic in zip(nonzero.tolist(), nearest.tolist(), strict=True):
        result[place] = topic
    return result
