"""Exact cosine search over a matrix of vectors of length 1, which may be mapped from a file."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


def nearest(
    vectors: Vectors, wanted: Vectors, count: int, is_barred: Callable[[int], bool] = lambda row: False
) -> tuple[list[tuple[int, float]], int]:
    """Return the `count` nearest rows as (row, cosine), nearest first, and the number of barred rows.

    Of equal rows the earlier comes first. Barred rows are those passed over that are as near as what is returned. A row
    or a query of zeros is near to nothing and never found.
    """
    if not len(vectors) or not wanted.any():
        return [], 0
    # One row of width w is multiplied by the whole matrix: the machine's memory is the limit, not its arithmetic.
    cosines = vectors @ np.ascontiguousarray(wanted, np.float32)
    room = count
    while True:
        found, barred = _best(cosines, count, min(room, len(cosines)), is_barred)
        if len(found) == count or room >= len(cosines):
            return found, barred
        room *= 4


def _best(
    cosines: Vectors, count: int, room: int, is_barred: Callable[[int], bool]
) -> tuple[list[tuple[int, float]], int]:
    """Return the best among the `room` largest, all those equal to the least of them included."""
    least = np.partition(cosines, len(cosines) - room)[len(cosines) - room]
    rows = np.flatnonzero((cosines >= least) & (cosines != 0))
    order = rows[np.lexsort((rows, -cosines[rows]))]
    found: list[tuple[int, float]] = []
    barred = 0
    for row in order.tolist():
        if len(found) == count:
            break
        if is_barred(row):
            barred += 1
        else:
            found.append((row, float(cosines[row])))
    return found, barred
