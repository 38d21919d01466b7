"""The built-in keyword model as an estimator: how hateful a text is by the severity of its worst open cue."""

from collections.abc import Mapping

from providers.keyword.model import Cues, KeywordAnswer, worst_hit
from providers.messages import Request

_BY_SEVERITY = {1: 0.6, 2: 0.8, 3: 0.95}
_NO_CUE = 0.05


def estimate(request: Request, own: Cues) -> dict[str, float]:
    """Return `{"probability": …}` for `context["text"]`: one of four fixed numbers."""
    hit = worst_hit(str(request.context.get("text", "")), own)
    return {"probability": _NO_CUE if hit is None else _BY_SEVERITY.get(hit.severity, _BY_SEVERITY[1])}


ESTIMATES: Mapping[str, KeywordAnswer] = {"estimator": estimate}
