"""Exact cosine search over a matrix of unit vectors (rows × dimensions), which may be mapped from a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"


def nearest(
    vectors: Vectors, query: Vectors, count: int, is_barred: Callable[[int], bool] = lambda row: False
) -> tuple[list[tuple[int, float]], int]:
    """Return the `count` nearest rows as (row, cosine), nearest first, and the number of barred rows.

    Of equally near rows the earlier one comes first. The number counts the barred rows that would come before the last
    returned row. A row or a query of zeros is never found.
    """
    if not len(vectors) or not query.any():
        return [], 0
    # One vector is multiplied by the whole matrix: the speed is limited by reading memory, not by computing.
    cosines = vectors @ np.ascontiguousarray(query, np.float32)
    room = count
    while True:
        nearest_rows, barred = _best(cosines, count, min(room, len(cosines)), is_barred)
        if len(nearest_rows) == count or room >= len(cosines):
            return nearest_rows, barred
        room *= 4


def _best(
    cosines: Vectors, count: int, room: int, is_barred: Callable[[int], bool]
) -> tuple[list[tuple[int, float]], int]:
    """Return the best of the `room` largest cosines, with all rows that equal the smallest of them."""
    least = np.partition(cosines, len(cosines) - room)[len(cosines) - room]
    rows = np.flatnonzero((cosines >= least) & (cosines != 0))
    order = rows[np.lexsort((rows, -cosines[rows]))]
    best: list[tuple[int, float]] = []
    barred = 0
    for row in order.tolist():
        if len(best) == count:
            break
        if is_barred(row):
            barred += 1
        else:
            best.append((row, float(cosines[row])))
    return best, barred
