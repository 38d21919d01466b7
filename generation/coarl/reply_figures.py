"""Figures of a set of replies that need no model: length, distinct-2, diversity, novelty."""

from collections.abc import Sequence
from statistics import fmean

from generation.domain.near_duplicates import shared_pieces
from generation.domain.tokens import tokens


def mean_length(replies: Sequence[str]) -> float:
    """Return the mean number of words."""
    return fmean(len(tokens(reply)) for reply in replies) if replies else 0.0


def distinct_2(replies: Sequence[str]) -> float:
    """Return the share of pairs of neighbouring words that are different ones, over all replies together, 0 to 1."""
    pairs = [pair for reply in replies for words in [tokens(reply)] for pair in zip(words, words[1:], strict=False)]
    return len(set(pairs)) / len(pairs) if pairs else 0.0


def novelty(reply: str, known: Sequence[str]) -> float:
    """Return how far a reply is from the nearest reply that was learnt from, 0 (a copy) to 1."""
    return 1.0 - max((shared_words(reply, other) for other in known), default=0.0)


def diversity(replies: Sequence[str]) -> list[float]:
    """Return for each reply how far it is from the nearest other reply, 0 (a copy) to 1."""
    return [
        1.0 - max((shared_words(reply, other) for at, other in enumerate(replies) if at != place), default=0.0)
        for place, reply in enumerate(replies)
    ]


def shared_words(first: str, second: str) -> float:
    """Return the Jaccard index of the texts' words, 0 to 1; of their runs of characters where a text has no word."""
    one, other = set(tokens(first)), set(tokens(second))
    return len(one & other) / len(one | other) if one and other else shared_pieces(first, second)
