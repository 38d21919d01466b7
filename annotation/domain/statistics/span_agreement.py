"""Krippendorff's alpha of unitizing for passages that people mark in a text.

This is |u-alpha of Krippendorff, Mathet, Bouvry & Widlöcher (2016), *On the reliability of unitizing textual continua:
further developments*, Quality & Quantity 50, equations 1, 4 and 6 (also in Krippendorff 2019, *Content Analysis*,
section 12.6.4): whether people tell the relevant characters of a text from the others. Answers have no value beside
their place, so the other coefficients of that family are of no use here.

The continuum of an item is the characters of its text (code points), with a coincidence weighted by 1 / (answers - 1).
Lengths are summed over items, so that people may have answered different items: a long text counts for more than a
short one. In what is expected by chance a marked passage is one unit, which is never paired with itself (its squared
length is subtracted); unmarked characters are units of length 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from annotation.domain.statistics.agreement import Alpha, alpha_of
from annotation.domain.statistics.arrays import Floats
from annotation.domain.statistics.figure import Undefined, Why

Spans = Sequence[Sequence[int]]
"""What one person marked: pairs of start and end (exclusive), sorted and without overlap. It may be empty."""


Lengths = tuple[int, int, int, int, int]
"""One item as alpha needs it: answers, characters of the text, and three sums that `lengths_of` describes."""


def lengths_of(length: int, answers: Sequence[Spans]) -> Lengths:
    """Return the answers to one item by their lengths.

    The sums are: over the characters, the answers that marked it times those that did not; marked characters; squared
    lengths of marked passages.
    """
    differing = sum((end - start) * marks * (len(answers) - marks) for start, end, marks in marked_by(answers))
    passages = [end - start for spans in answers for start, end in spans]
    return len(answers), length, differing, sum(passages), sum(passage * passage for passage in passages)


def span_alpha(counted: Mapping[Lengths, int]) -> Alpha:
    """Return alpha over the items with text and at least two answers; `counted` has the items by their lengths."""
    pairable = sorted(lengths for lengths in counted if lengths[0] > 1 and lengths[1] > 0)
    if not pairable:
        return Alpha(Undefined(Why.TOO_FEW_RATINGS if counted else Why.NO_ITEMS), 0, 0)
    times = np.array([counted[lengths] for lengths in pairable], dtype=np.int64)
    sizes, lengths, differing, marked_sums, square_sums = np.array(pairable, dtype=np.int64).T
    sums = np.column_stack((2 * differing / (sizes - 1), sizes * lengths, marked_sums, square_sums))

    def alphas(weights: Floats) -> Floats:
        observed, n, marked, squares = (weights @ sums).T
        free = n - marked
        expected = 2 * marked * free / np.maximum(n - (squares + free) / n, 1)
        varied = (marked > 0) & (free > 0)
        share: Floats = np.divide(observed, expected, out=np.full(len(n), np.nan), where=varied)
        return 1 - share

    return alpha_of(times, sizes, alphas)


def marked_by(answers: Iterable[Spans]) -> Iterable[tuple[int, int, int]]:
    """Yield the stretches of a text that somebody marked: start, end, and by how many answers, in order."""
    changes: Counter[int] = Counter()
    for spans in answers:
        for start, end in spans:
            changes[start] += 1
            changes[end] -= 1
    marks, last = 0, 0
    for place in sorted(changes):
        if marks:
            yield last, place, marks
        marks += changes[place]
        last = place
