"""Which categories people take for one another: how many items two labels call one thing and another."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations


def confusions(items: Mapping[tuple[frozenset[int], ...], int]) -> Counter[tuple[int, int]]:
    """Return how many items have each pair of categories (a, b), a ≤ b, among their labels.

    `items` counts the items by their labels; a label is the set of categories that it names. An item has (a, b) if one
    label names a and not b, and another names b and not a. It has (a, a) if two labels name a.
    """
    counted: Counter[tuple[int, int]] = Counter()
    for labels, n in items.items():
        for pair in _pairs(labels):
            counted[pair] += n
    return counted


def items_with(items: Mapping[tuple[frozenset[int], ...], int]) -> Counter[int]:
    """Return how many items have a label that names each category."""
    counted: Counter[int] = Counter()
    for labels, n in items.items():
        for category in frozenset[int]().union(*labels):
            counted[category] += n
    return counted


def _pairs(labels: Sequence[frozenset[int]]) -> set[tuple[int, int]]:
    pairs: set[tuple[int, int]] = set()
    for first, second in combinations(labels, 2):
        pairs |= {(category, category) for category in first & second}
        pairs |= {(min(a, b), max(a, b)) for a in first - second for b in second - first}
    return pairs
