"""detoxify's classifier as a model that answers one question: how toxic is this text (CoARL, appendix E).

The package and its weights are an optional extra (`pip install 'interplay[detoxify]'`). The package fetches the weights
at first use, so a machine without a network needs them in place (TORCH_HOME). They are loaded once per process.
"""

import json
import threading
from collections.abc import Mapping
from functools import lru_cache
from time import monotonic
from typing import Any

from providers.messages import ProviderError, Reply, Request, Usage

try:
    from detoxify import Detoxify
except ImportError:  # the extra is not installed: asking says so in one sentence
    Detoxify = None

KINDS = ("original", "unbiased", "multilingual")
MISSING = "detoxify is not installed here: install the extra `detoxify`, or name another model for MODEL_TOXICITY."
_turn = threading.Lock()  # one text at a time: torch uses all cores for it


class DetoxifyModel:
    """The classifier as a model; nothing leaves the machine.

    Answers `{"toxicity": 0…1}` for `request.context["reply"]`, and as an estimator `{"probability": 0…1}` for
    `context["text"]`.
    """

    sees_pictures = False

    def __init__(self, kind: str = "unbiased") -> None:
        self.name = f"detoxify:{kind}"
        self._kind = kind

    def reply(self, request: Request) -> Reply:
        """Score the text, or the last message if no context names one; see `Model.reply`.

        Raises ProviderError `bad_request` if the extra or its weights are missing.
        """
        began = monotonic()
        estimates = request.role == "estimator"
        text = str(request.context.get("text" if estimates else "reply", request.messages[-1].text))
        with _turn:
            scores = _loaded(self._kind).predict(text)
        toxicity = min(1.0, max(0.0, float(scores["toxicity"])))
        answer = {"probability": toxicity} if estimates else {"reason": _named_parts(scores), "toxicity": toxicity}
        return Reply(json.dumps(answer), self.name, Usage(), monotonic() - began)


def _named_parts(scores: Mapping[str, Any]) -> str:
    """Return the parts above one tenth, largest first."""
    parts = sorted(((float(value), name) for name, value in scores.items() if name != "toxicity"), reverse=True)
    named = ", ".join(f"{name.replace('_', ' ')} {value:.2f}" for value, name in parts if value >= 0.1)
    return named or "no part of it above 0.1"


@lru_cache(maxsize=2)
def _loaded(kind: str) -> Any:
    if Detoxify is None:
        raise ProviderError(MISSING, code="bad_request")
    if kind not in KINDS:
        raise ProviderError(f"detoxify has no model {kind!r}; there are {', '.join(KINDS)}.", code="bad_request")
    try:
        return Detoxify(kind)
    except OSError as fault:
        raise ProviderError(f"detoxify could not load its weights: {fault}", code="bad_request") from fault
