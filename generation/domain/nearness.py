"""Which candidates say the same: near-duplicates are dropped, the first of them stays."""

from collections.abc import Iterable, Sequence

from generation.domain.words import plain, tokens

NEAR = 0.8
"""Texts that share this much of their four-letter pieces (Jaccard) count as one."""

_PIECE = 4


def likeness(first: str, second: str) -> float:
    """How much two texts share, 0 to 1: the Jaccard index of their runs of four characters, spaces evened out."""
    one, other = _pieces(first), _pieces(second)
    if not one or not other:
        return float(plain(first).split() == plain(second).split())
    return len(one & other) / len(one | other)


def distinct(texts: Iterable[str], *, known: Sequence[str] = ()) -> tuple[list[str], int]:
    """The texts without blank ones and without those near to an earlier or a known one, and how many were dropped."""
    kept: list[str] = []
    dropped = 0
    for text in texts:
        if text.strip() and not any(likeness(text, other) >= NEAR for other in (*known, *kept)):
            kept.append(text.strip())
        else:
            dropped += 1
    return kept, dropped


def _pieces(text: str) -> frozenset[str]:
    even = " ".join(tokens(text))
    return frozenset(even[at : at + _PIECE] for at in range(len(even) - _PIECE + 1))
