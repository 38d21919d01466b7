"""BERTScore, an optional extra: its package fetches model weights at first use, so it stands where the network is."""

from collections.abc import Sequence

from providers.messages import ProviderError

try:
    from bert_score import score as _score
except ImportError:  # the extra is not installed: asking says so in one sentence
    _score = None

MISSING = "BERTScore is not installed here: install the package bert-score, and its weights where there is no network."


def is_installed() -> bool:
    """Whether it can be asked."""
    return _score is not None


def f1(references: Sequence[Sequence[str]], replies: Sequence[str], language: str = "en") -> list[float]:
    """F1 of each reply against the best of its references. Raises ProviderError where it is not installed."""
    if _score is None:
        raise ProviderError(MISSING, code="bad_request")
    _precision, _recall, found = _score(list(replies), [list(each) for each in references], lang=language)
    return [float(value) for value in found]
