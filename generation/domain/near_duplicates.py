"""Near-duplicate texts: the first one is kept, the others are dropped."""

from collections.abc import Iterable, Sequence

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


def _pieces(text: str) -> frozenset[str]:
    even = " ".join(tokens(text))
    return frozenset(even[at : at + _PIECE] for at in range(len(even) - _PIECE + 1))
