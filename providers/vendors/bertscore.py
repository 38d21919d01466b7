"""BERTScore, an optional extra (`pip install 'interplay[bertscore]'`): compares reply and reference by meaning.

The package fetches its model's weights at first use, so a machine without a network needs them in place (HF_HOME).
"""

from collections.abc import Sequence

from providers.messages import ProviderError

try:
    from bert_score import score as _score
except ImportError:  # the extra is not installed: asking says so in one sentence
    _score = None

MISSING = "BERTScore is not installed here: install the extra `bertscore`; BS stays empty until then."
NO_WEIGHTS = "BERTScore's model is not on this machine and could not be fetched: put its weights in place (HF_HOME)."


def f1(references: Sequence[Sequence[str]], replies: Sequence[str], language: str) -> list[float]:
    """Return the F1 of each reply against the best of its references, in order.

    Raises ProviderError `bad_request` if the extra or its weights are missing.
    """
    if _score is None:
        raise ProviderError(MISSING, code="bad_request")
    if not replies:
        return []
    try:
        _precision, _recall, scores = _score(list(replies), [list(group) for group in references], lang=language)
    except OSError as fault:  # what the package raises where it finds no weights
        raise ProviderError(NO_WEIGHTS, code="bad_request") from fault
    return [float(value) for value in scores]
