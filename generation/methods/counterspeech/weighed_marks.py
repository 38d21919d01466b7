"""Marks of a draft by the weight of its words: calls to hunt somebody, threats and names that no rule lists (PI11).

The rules decide first (`generation.domain.counterspeech.safety_flags`). The tables are made from texts of our own by
`bench/data/word_weights.py`. A mark by weight is a guess, and whoever shows it says so.
"""

from collections.abc import Collection
from math import log
from pathlib import Path

from annotation.domain.folding.chinese import SIMPLIFIED
from generation.domain.counterspeech.safety_flags import BY_WEIGHT, Flag, FlaggedWords
from generation.domain.tokens import plain
from vocabulary.word_weights import WordWeights, features, ideas_in, pieces

_HERE = Path(__file__).parent
_IDEAS = ideas_in(_HERE / "mark_ideas.toml")
TABLES = {kind: _HERE / "weights" / f"{kind}.tsv" for kind in (Flag.HUNTS, Flag.THREATENS, Flag.CALLS_NAMES)}
_WEIGHTS = {kind: WordWeights(table, _IDEAS) for kind, table in TABLES.items()}
_LEAST_SCORE = 1.3  # chosen on sets that the weights had not learnt from
_MORE_PIECES = 0.6  # a long draft has more sentences, of which one may look like it by chance


def weighed(text: str) -> set[str]:
    """Return what of a draft is weighed: its words and ideas, Chinese in simplified characters."""
    return features(plain(text).translate(SIMPLIFIED), _IDEAS)


def by_weight(text: str, raised: Collection[Flag] = ()) -> list[FlaggedWords]:
    """Return the marks by weight, each with the sentences that raised it; none of a kind that rules have `raised`."""
    seen = [(piece.strip(), found) for piece in pieces(text) if (found := weighed(piece))]
    marks = []
    for kind in (kind for kind in TABLES if seen and kind not in raised):
        score, words = max((_WEIGHTS[kind].score_by_length(found), piece) for piece, found in seen)
        if score > _LEAST_SCORE + _MORE_PIECES * log(len(seen)):
            marks.append(FlaggedWords(kind, words, BY_WEIGHT))
    return marks
