"""How likely one of two words is to come next, from the log-probabilities in the OpenAI protocol's form."""

import json
from math import exp
from typing import Any

from providers.messages import ProviderError


def said_next(held: Any, among: tuple[str, str], text: str, model: str) -> str:
    """`{"probability": p}` of the first word against the second, over all spellings among the likeliest tokens.

    Where neither is among them, the text as it was answered. Raises ProviderError `bad_request` where the server
    gives no log-probabilities.
    """
    rows = held.get("content") if isinstance(held, dict) else None
    first = rows[0] if isinstance(rows, list) and rows and isinstance(rows[0], dict) else {}
    likely = first.get("top_logprobs")
    if not isinstance(likely, list) or not likely:
        raise ProviderError(f"{model} gives no log-probabilities: take another estimator.", code="bad_request")
    chances = [0.0, 0.0]
    for row in likely:
        said = str(row.get("token", "")).strip(" \n\t\"'*.▁Ġ").lower() if isinstance(row, dict) else ""
        logprob = row.get("logprob") if isinstance(row, dict) else None
        if said in among and isinstance(logprob, int | float) and logprob <= 0:
            chances[among.index(said)] += exp(logprob)
    if not sum(chances):
        return text
    return json.dumps({"probability": chances[0] / sum(chances)})
