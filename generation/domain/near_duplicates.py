"""Near-duplicate texts: the first one is kept, the others are dropped."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import ceil

from generation.domain.tokens import plain, tokens

NEAR = 0.8
"""Texts with at least this Jaccard index of their runs of four characters count as duplicates."""

_PIECE = 4


def shared_pieces(first: str, second: str) -> float:
    """Return the Jaccard index of the texts' runs of four characters, 0 to 1. White space is normalised."""
    first_pieces, second_pieces = _pieces(first), _pieces(second)
    if not first_pieces or not second_pieces:
        return float(plain(first).split() == plain(second).split())
    return len(first_pieces & second_pieces) / len(first_pieces | second_pieces)


def distinct(texts: Iterable[str], *, known: Sequence[str] = ()) -> tuple[list[str], int]:
    """Drop blank texts and texts near to an earlier or a known one. Return the others and how many were dropped."""
    distinct_texts: list[str] = []
    dropped = 0
    for text in texts:
        if text.strip() and not any(shared_pieces(text, other) >= NEAR for other in (*known, *distinct_texts)):
            distinct_texts.append(text.strip())
        else:
            dropped += 1
    return distinct_texts, dropped


def near_pairs(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return the index pairs of texts that are near-duplicates, in order.

    Two texts that share a fraction t of their n pieces share one of the n - ⌈t n⌉ + 1 rarest, whatever order "rare" is.
    So only texts that share such a piece are compared, and no pair is missed (Chaudhuri et al. 2006, prefix filter).
    """
    pieces = [_pieces(text) or frozenset(plain(text).split()) for text in texts]
    counts = Counter(piece for own in pieces for piece in own)
    holders: dict[str, list[int]] = defaultdict(list)
    pairs: set[tuple[int, int]] = set()
    for place, own in enumerate(pieces):
        rarest = sorted(own, key=lambda piece: (counts[piece], piece))[: len(own) - ceil(NEAR * len(own) - 1e-9) + 1]
        candidates = {other for piece in rarest for other in holders[piece]}
        pairs |= {(other, place) for other in candidates if shared_pieces(texts[other], texts[place]) >= NEAR}
        for piece in rarest:
            holders[piece].append(place)
    return sorted(pairs)


def _pieces(text: str) -> frozenset[str]:
    even = " ".join(tokens(text))
    return frozenset(even[at : at + _PIECE] for at in range(len(even) - _PIECE + 1))
