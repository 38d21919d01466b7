"""Whether a text gives a model orders, by the weight of its words: for orders that no rule names (threats PI1)."""

from math import log
from pathlib import Path

from vocabulary.word_weights import WordWeights, ideas_in, pieces

_HERE = Path(__file__).parent
IDEAS = ideas_in(_HERE / "orders.toml")
"""What a post that gives orders speaks of: the machine, its output, its guidance and so on."""
_WEIGHTS = WordWeights(_HERE / "weights" / "orders.tsv", IDEAS)
_LEAST_SCORE = 0.2
_MORE_WINDOWS = 0.6  # a page has more sentences, of which one may look like an order by chance


def weighs_as_order(text: str) -> bool:
    """Whether one of the pieces of the text weighs more than others do."""
    windows = [*pieces(text)]
    least = _LEAST_SCORE + _MORE_WINDOWS * log(len(windows))
    return any(_WEIGHTS.score(window) > least for window in windows)
