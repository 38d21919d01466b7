"""Similarity of replies to people's by meaning: optional libraries, each of which says what it lacks."""

from collections.abc import Sequence

import numpy as np

from generation.coarl.reward_parts import NoCritic
from generation.domain.counterspeech.reference_metrics import tfidf_cosine

try:
    from wordllama import WordLlama
except ImportError:  # the extra `embeddings` is not installed: asking for it says so
    WordLlama = None
try:
    from bert_score import score as _bert_score
except ImportError:  # the extra `bertscore` is not installed: asking for it says so
    _bert_score = None


def meaning(how: str, people: Sequence[Sequence[str]], replies: Sequence[str]) -> list[float]:
    """Return for each reply its highest cosine with a reference, by TF-IDF or by word vectors. Raises NoCritic."""
    if how == "tfidf":
        return [
            max(tfidf_cosine(known, reply) for known in group) for group, reply in zip(people, replies, strict=True)
        ]
    if WordLlama is None:
        raise NoCritic("Similarity by wordllama needs the extra `embeddings`.")
    model = WordLlama.load(disable_download=True)
    vectors = model.embed([*replies, *(known for group in people for known in group)], norm=True)
    own, theirs = vectors[: len(replies)], vectors[len(replies) :]
    cosines, start = [], 0
    for place, group in enumerate(people):
        cosines.append(float(np.max(theirs[start : start + len(group)] @ own[place])))
        start += len(group)
    return cosines


def bertscore(people: Sequence[Sequence[str]], replies: Sequence[str], language: str = "en") -> list[float]:
    """Return BERTScore's F1 of each reply against the best of its references. Raises NoCritic."""
    if _bert_score is None:
        raise NoCritic("BERTScore needs the extra `bertscore`.")
    try:
        _precision, _recall, scores = _bert_score(list(replies), [list(group) for group in people], lang=language)
    except OSError as fault:
        raise NoCritic("BERTScore's model is not on this machine and could not be fetched (HF_HOME).") from fault
    return [float(value) for value in scores]
