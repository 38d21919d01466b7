"""Similarity of a reply to human references: ROUGE, METEOR, TF-IDF cosine (CoARL, section 5.2 and Table 2).

Texts are tokenised by `generation.domain.tokens`, so Chinese and Korean are measured too. METEOR matches equal words
and equal stems. Its synonyms need a WordNet that no package contains; they are left out, which lowers METEOR a little.
The TF-IDF vectors are fitted on each pair, as in the paper's code; the paper itself names Sentence-BERT. `rouge-score`
and `nltk` are an optional extra, and only this module loads them, when it first needs them.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from generation.domain.tokens import tokens

_are_installed = find_spec("rouge_score") is not None and find_spec("nltk") is not None
missing = "" if _are_installed else "ROUGE and METEOR need the extra `references` (rouge-score, nltk)."


@dataclass(frozen=True)
class _Words:
    """The tokenizer for rouge-score."""

    def tokenize(self, text: str) -> list[str]:
        return tokens(text)


class _NoWordNet:
    """An empty WordNet for METEOR."""

    def synsets(self, word: str) -> list[Any]:
        return []


def reference_scores(reference: str, reply: str) -> Mapping[str, float]:
    """Return ROUGE-1, -2, -L (F), METEOR and TF-IDF cosine of a pair, each 0 to 1. Without the extra, only the last."""
    cosine = {"tfidf": tfidf_cosine(reference, reply)}
    if missing:
        return cosine
    from rouge_score.rouge_scorer import RougeScorer  # noqa: PLC0415 (takes seconds: nltk loads scikit-learn)

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], tokenizer=_Words())
    rouge = {name: float(score.fmeasure) for name, score in scorer.score(reference, reply).items()}
    return {**rouge, "meteor": meteor(reference, reply), **cosine}


def meteor(reference: str, reply: str) -> float:
    """Return METEOR with matches by word and by stem, 0 to 1."""
    if not tokens(reference) or not tokens(reply):
        return 0.0
    from nltk.stem.porter import PorterStemmer  # noqa: PLC0415 (as above)
    from nltk.translate.meteor_score import single_meteor_score  # noqa: PLC0415

    scored = single_meteor_score(tokens(reference), tokens(reply), stemmer=PorterStemmer(), wordnet=_NoWordNet())
    return float(scored)


def best(references: Sequence[str], reply: str) -> Mapping[str, float]:
    """Return for each measure the highest value over the references."""
    scored = [reference_scores(reference, reply) for reference in references]
    return {name: max(scores[name] for scores in scored) for name in scored[0]}


def tfidf_cosine(first: str, second: str) -> float:
    """Return the cosine of the texts' TF-IDF vectors, fitted on the two: tf · (ln((1 + n)/(1 + df)) + 1), 0 to 1."""
    bags = [Counter(tokens(first)), Counter(tokens(second))]
    document_counts = Counter(word for bag in bags for word in bag)

    def weight(bag: Counter[str], word: str) -> float:
        return bag[word] * (math.log(3 / (1 + document_counts[word])) + 1)

    lengths = [math.sqrt(sum(weight(bag, word) ** 2 for word in bag)) for bag in bags]
    if not all(lengths):
        return 0.0
    shared = sum(weight(bags[0], word) * weight(bags[1], word) for word in bags[0].keys() & bags[1].keys())
    return min(1.0, shared / (lengths[0] * lengths[1]))
