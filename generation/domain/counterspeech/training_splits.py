"""Splits of posts for training: no post, and no near-duplicate of it, stands in two splits.

A post is drawn into train, validation or test by a hash of its text, so a later export draws it alike. Near-duplicates
(`generation.domain.near_duplicates`) are one group, directly or through others. A group follows its post whose hash is
lowest, so a post that has no near-duplicate stands where the other files of the dataset have it.

A release may have parts of its own. Its posts stay in them, and a group that reaches into several parts stands in the
one that is held out furthest: test before validation before train. So nothing near a test post is learnt from.
"""

import hashlib
from collections.abc import Iterable, Sequence

from annotation.domain.union_find import Chains
from generation.domain.near_duplicates import near_pairs
from generation.domain.tokens import plain

SPLITS = ("train", "validation", "test")
_BOUNDS = (("train", 70), ("validation", 80), ("test", 100))  # about 70, 10 and 20 of a hundred, as in the paper


def split_of(post: str) -> str:
    """Return the split of a post by itself: train, validation or test."""
    number = int(_hash(post)[:8], 16) % 100
    return next(name for name, bound in _BOUNDS if number < bound)


def splits_of(posts: Sequence[str], stated: Iterable[tuple[str, str]] = ()) -> list[str]:
    """Return the split of each post, in order; near-duplicates stand in the same one.

    `stated`: posts with the splits that a release gave them. A post may come more than once.
    """
    given = _furthest((plain(post), split) for post, split in stated)
    distinct = list(dict.fromkeys(plain(post) for post in posts))
    split_by_text: dict[str, str] = {}
    for group in _groups(distinct):
        texts = [distinct[place] for place in group]
        parts = [given[text] for text in texts if text in given]
        split = max(parts, key=SPLITS.index) if parts else split_of(min(texts, key=_hash))
        split_by_text |= dict.fromkeys(texts, split)
    return [split_by_text[plain(post)] for post in posts]


def _furthest(stated: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the split of each post; one that stands in several is in the one that is held out furthest."""
    split_by_post: dict[str, str] = {}
    for post, split in stated:
        split_by_post[post] = max(split, split_by_post.get(post, split), key=SPLITS.index)
    return split_by_post


def leaks(posts: Sequence[str], splits: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of posts that are equal or near-duplicates and stand in different splits."""
    split_by_text: dict[str, str] = {}
    pairs: list[tuple[str, str]] = []
    for post, split in zip(posts, splits, strict=True):
        if split_by_text.setdefault(plain(post), split) != split:
            pairs.append((post, post))
    distinct = list(split_by_text)
    near = ((distinct[first], distinct[second]) for first, second in near_pairs(distinct))
    return pairs + [pair for pair in near if split_by_text[pair[0]] != split_by_text[pair[1]]]


def _groups(posts: Sequence[str]) -> list[list[int]]:
    chains = Chains(len(posts))
    for first, second in near_pairs(posts):
        chains.join(first, second)
    return chains.groups()


def _hash(post: str) -> str:
    return hashlib.sha256(plain(post).encode()).hexdigest()
