"""Whether a text gives a model orders, by the weight of its words: for orders that no rule names (threats PI1)."""

import re
import tomllib
from collections.abc import Iterator
from math import log
from pathlib import Path

from vocabulary.late_patterns import late
from vocabulary.word_weights import WordWeights

_HERE = Path(__file__).parent
IDEAS = {
    name: late("|".join(words), re.MULTILINE)
    for name, words in tomllib.loads((_HERE / "orders.toml").read_text(encoding="utf-8")).items()
}
"""What a post that gives orders speaks of: the machine, its output, its guidance and so on."""
_WEIGHTS = WordWeights(_HERE / "weights" / "orders.tsv", IDEAS)
_LEAST_SCORE, _WINDOW = 0.2, 160  # a longer text is weighed by its sentences, so many characters of them at a time
_MORE_WINDOWS = 0.6  # a page has more sentences, of which one may look like an order by chance
_SENTENCE = re.compile(r"[^.!?。！？\n]*[.!?。！？\n]+|[^.!?。！？\n]+")


def weighs_as_order(text: str) -> bool:
    """Whether one of the pieces of the text weighs more than others do."""
    windows = [*_windows(text)]
    least = _LEAST_SCORE + _MORE_WINDOWS * log(len(windows))
    return any(_WEIGHTS.score(window) > least for window in windows)


def _windows(text: str) -> Iterator[str]:
    """Yield the text in pieces of whole sentences."""
    window = ""
    for sentence in _SENTENCE.findall(text):
        if window and len(window) + len(sentence) > _WINDOW:
            yield window
            window = ""
        window += sentence
    yield window
