"""Krippendorff's alphas a second time, by other ways than the site's: for tests that compare the two.

The site sums over counts of equal answers with numpy. Here every two answers of one item are compared one by one, and
every two answers of all items; the continuum of passages is read character by character.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import chain, permutations

Distance = Callable[[object, object], Fraction]


def alpha_by_pairs(items: Iterable[Sequence[Hashable]], distance: Distance) -> Fraction | None:
    """Return alpha of items with the given distance, exactly; None where it is not defined."""
    pairable = [item for item in items if len(item) > 1]
    answers = list(chain.from_iterable(pairable))
    n = len(answers)
    expected = sum(distance(a, b) for a, b in permutations(answers, 2))
    if not expected:
        return None
    observed = sum(
        Fraction(sum(distance(a, b) for a, b in permutations(item, 2)), 1) / (len(item) - 1) for item in pairable
    )
    return 1 - (observed / n) / (expected / Fraction(n * (n - 1)))


def nominal(a: object, b: object) -> Fraction:
    return Fraction(a != b)


def ordinal(items: Iterable[Sequence[int]]) -> Distance:
    """Return the distance of two points: the ratings from one to the other, less half of those on both, squared."""
    ratings = [point for item in items if len(item) > 1 for point in item]

    def distance(a: object, b: object) -> Fraction:
        low, high = sorted((a, b))  # type: ignore[type-var]  # points
        between = sum(low <= point <= high for point in ratings)  # type: ignore[operator]
        return (between - Fraction(ratings.count(low) + ratings.count(high), 2)) ** 2 if a != b else Fraction(0)

    return distance


def masi(a: object, b: object) -> Fraction:
    """Return the distance of two sets (frozensets) by Passonneau (2006), case by case."""
    assert isinstance(a, frozenset) and isinstance(b, frozenset)
    if a == b:
        return Fraction(0)
    if not a & b:
        return Fraction(1)
    monotone = Fraction(2, 3) if a < b or b < a else Fraction(1, 3)
    return 1 - Fraction(len(a & b), len(a | b)) * monotone


def unitizing_alpha(items: Iterable[tuple[int, Sequence[Sequence[Sequence[int]]]]]) -> Fraction | None:
    """Return |u-alpha by the coincidence matrices of Krippendorff et al. (2016), from characters; None if undefined."""
    coincidences = {(c, k): Fraction(0) for c in (False, True) for k in (False, True)}
    squares = {False: 0, True: 0}
    for length, answers in items:
        if len(answers) < 2 or not length:
            continue
        marked = [[any(start <= place < end for start, end in spans) for place in range(length)] for spans in answers]
        for first, second in permutations(marked, 2):
            for c, k in zip(first, second, strict=True):
                coincidences[c, k] += Fraction(1, len(answers) - 1)
        squares[True] += sum((end - start) ** 2 for spans in answers for start, end in spans)
        squares[False] += sum(not mark for marks in marked for mark in marks)
    margin = {c: coincidences[c, False] + coincidences[c, True] for c in (False, True)}
    total = margin[False] + margin[True]
    if not margin[False] or not margin[True]:
        return None
    scale = total / (total**2 - squares[False] - squares[True])
    expected = {(c, k): scale * (margin[c] * margin[k] - (squares[c] if c is k else 0)) for c, k in coincidences}
    observed = coincidences[False, True] + coincidences[True, False]
    return 1 - observed / (expected[False, True] + expected[True, False])
