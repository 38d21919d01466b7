"""Which windows of a long page are read: those that share most with the post, wherever on the page they stand.

The score is Lucene's BM25 over the windows of the page alone, with k1 = 1.5 and b = 0.75, as `bm25s` computes it. A
word that all windows have counts for next to nothing. Words are those of the local index: scripts without spaces are
compared by pairs of characters.
"""

import logging
from collections.abc import Sequence

import bm25s

from moderation.domain.antihateagent.page_windows import WINDOW, Window, windows
from moderation.domain.antihateagent.search_index import index_words

logging.getLogger("bm25s").setLevel(logging.WARNING)  # without this it logs every index that is built
_LONGEST = 20_000  # characters of what the page is compared with


def relevant_windows(text: str, most: int, about: str, size: int = WINDOW) -> list[Window]:
    """Return the windows that are nearest to a text, best first; of equal ones the first of the page."""
    all_windows = windows(text, len(text), size)
    scores = window_scores([window.text for window in all_windows], about[:_LONGEST])
    best_first = sorted(range(len(all_windows)), key=lambda place: (-scores[place], place))
    return [all_windows[place] for place in best_first[:most]]


def window_scores(texts: Sequence[str], about: str) -> list[float]:
    """Return the BM25 score of each text for a query; 0 where they share no word."""
    words = [index_words(text) for text in texts]
    known = {word for row in words for word in row}
    query = [word for word in dict.fromkeys(index_words(about)) if word in known]
    if not query:
        return [0.0] * len(texts)
    index = bm25s.BM25(k1=1.5, b=0.75, method="lucene")
    index.index(words, show_progress=False)
    return [float(score) for score in index.get_scores(query)]
