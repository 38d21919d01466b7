"""The probability that a model says one of two words next, from log-probabilities in the OpenAI protocol's form."""

import json
from math import exp
from typing import Any

from providers.messages import ProviderError


def word_probability(logprobs: Any, among: tuple[str, str], text: str, model: str) -> str:
    """Return `{"probability": p}`: the first word against the second, over all spellings among the likeliest tokens.

    Returns `text` unchanged if neither word is among them.
    Raises ProviderError `bad_request` if the server gives no log-probabilities.
    """
    rows = logprobs.get("content") if isinstance(logprobs, dict) else None
    first = rows[0] if isinstance(rows, list) and rows and isinstance(rows[0], dict) else {}
    likely = first.get("top_logprobs")
    if not isinstance(likely, list) or not likely:
        raise ProviderError(f"{model} gives no log-probabilities: take another estimator.", code="bad_request")
    probabilities = [0.0, 0.0]
    for row in likely:
        word = str(row.get("token", "")).strip(" \n\t\"'*.▁Ġ").lower() if isinstance(row, dict) else ""
        logprob = row.get("logprob") if isinstance(row, dict) else None
        if word in among and isinstance(logprob, int | float) and logprob <= 0:
            probabilities[among.index(word)] += exp(logprob)
    if not sum(probabilities):
        return text
    return json.dumps({"probability": probabilities[0] / sum(probabilities)})
