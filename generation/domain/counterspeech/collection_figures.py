"""Figures over a collection of replies: novelty, diversity, repetition rate and post-editing.

Novelty and diversity are those of Wang and Wan (2018), which Tekiroğlu et al. (2020) use: one minus the largest Jaccard
index of the sets of words. The repetition rate is that of Bertoldi et al. (2013) as their script computes it. The
post-edit rate is HTER without shifts (Snover et al. 2006): edits of words over the words of the edited text.
Words are those of `generation.domain.tokens`, so Chinese and Korean texts count in pairs of letters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from generation.domain.tokens import tokens

WINDOW = 1000
"""The number of words in one sample of the repetition rate."""
_LONGEST = 4


class WordStore:
    """The sets of words of many texts in their order, looked up by their words."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        sets = [frozenset(tokens(text)) for text in texts]
        self._sizes = np.array([len(words) for words in sets], dtype=np.int64)
        places: dict[str, list[int]] = defaultdict(list)
        for place, words in enumerate(sets):
            for word in words:
                places[word].append(place)
        self._places = {word: np.array(found, dtype=np.int64) for word, found in places.items()}

    def nearest(self, text: str, *, but: int | None = None, before: int | None = None) -> float | None:
        """Return the largest Jaccard index of a text with one of the store.

        `but` is the place of a text that is left out, and with `before` only the texts in front of that place count.
        Returns None if no text is left.
        """
        words = frozenset(tokens(text))
        found = [self._places[word] for word in words if word in self._places]
        shared = np.bincount(np.concatenate(found) if found else [], minlength=len(self._sizes))
        together = len(words) + self._sizes - shared
        indices = np.where(together > 0, shared / np.maximum(together, 1), 1.0)  # two empty sets are alike
        counted = indices[:before] if but is None else np.delete(indices, but)[:before]
        return float(counted.max()) if len(counted) else None


def novelty(text: str, store: WordStore, before: int | None = None) -> float | None:
    """Return 1 minus the largest Jaccard index with a text of the store, 0 for a copy.

    With `before` only the texts in front of that place count. Returns None if there is none.
    """
    nearest = store.nearest(text, before=before)
    return None if nearest is None else 1 - nearest


def diversity(texts: Sequence[str]) -> float | None:
    """Return the mean of 1 minus each text's largest Jaccard index with another one.

    Returns None for fewer than two texts.
    """
    if len(texts) < 2:
        return None
    store = WordStore(texts)
    nearest = [store.nearest(text, but=place) or 0.0 for place, text in enumerate(texts)]
    return 1 - sum(nearest) / len(nearest)


def repetition_rate(texts: Iterable[str], window: int = WINDOW) -> float | None:
    """Return the geometric mean, over n = 1 to 4, of the share of distinct n-grams that occur more than once.

    The words of all texts stand one behind the other. They are cut into samples of `window` words, and the counts of
    all samples are added before they are divided. A shorter rest counts only where there is no whole sample. Returns
    None for fewer than four words.
    """
    words = [word for text in texts for word in tokens(text)]
    samples = [words[start : start + window] for start in range(0, len(words) - window + 1, window)] or [words]
    product = 1.0
    for length in range(1, _LONGEST + 1):
        counts = [Counter(zip(*(sample[at:] for at in range(length)), strict=False)) for sample in samples]
        distinct = sum(len(grams) for grams in counts)
        if not distinct:
            return None
        product *= sum(count > 1 for grams in counts for count in grams.values()) / distinct
    return float(product ** (1 / _LONGEST))


def post_edit_rate(model_text: str, text: str) -> float | None:
    """Return the edits of words that lead from the model's text to the person's, over the words of the person's.

    0 is no edit; above 1 more was changed than stands there. Returns None if the person's text has no word.
    """
    old, new = tokens(model_text), tokens(text)
    return edits(old, new) / len(new) if new else None


def edits(old: Sequence[str], new: Sequence[str]) -> int:
    """Return the fewest insertions, deletions and substitutions that turn one sequence into the other."""
    start = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), None)
    if start is None:
        return abs(len(old) - len(new))
    old, new = old[start:], new[start:]  # equal beginnings cost nothing
    row = list(range(len(new) + 1))
    for number, word in enumerate(old, start=1):
        before, row[0] = row[0], number
        for place, other in enumerate(new, start=1):
            change = before + (word != other)
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, change)
    return row[-1]
