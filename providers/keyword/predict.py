"""What the built-in baseline says where perspectives debate: open cues of its own list, and nothing more.

All five perspectives are the same list to it: it knows no criteria, and says so.
"""

from collections.abc import Mapping
from typing import Any

from providers.keyword.model import OWN_WORDS, Cues, Hit, KeywordAnswer, worst_hit
from providers.messages import Request

_NOT_SEEN = " It did not see the picture."


def view(request: Request, own: Cues) -> dict[str, Any]:
    """Answer with a perspective's label by the list alone."""
    hit = _hit(request, own)
    finding = f"It found {_quoted(hit)}." if hit else "It found none of its cues."
    label = request.context.get("hateful_label" if hit else "other_label", "")
    return {"reason": _own(request, f"It does not know these rules. {finding}"), "label": label}


def speech(request: Request, own: Cues) -> dict[str, Any]:
    """Answer as a debater: say what the list shows; in the second round the side without support agrees."""
    hit = _hit(request, own)
    finding = f"The text says {_quoted(hit)}." if hit else "The text holds none of its cues."
    answer = {"argument": _own(request, finding)}
    side, _, number = str(request.context.get("speech", "")).partition(".")
    if number == "2":
        answer["position"] = "rebut" if (side == "hate") is (hit is not None) else "agree"
    return answer


def judgement(request: Request, own: Cues) -> dict[str, Any]:
    """Answer as the judge: hateful where an open cue stands in the text."""
    hit = _hit(request, own)
    finding = f"It found {_quoted(hit)}." if hit else "It found none of its cues."
    return {"reason": _own(request, finding), "label": "Hate" if hit else "Non-hate"}


PREDICT: Mapping[str, KeywordAnswer] = {
    "perspective": view,
    "debater": speech,
    "debate_judge": judgement,
}


def _hit(request: Request, own: Cues) -> Hit | None:
    return worst_hit(str(request.context.get("text", "")), own)


def _own(request: Request, finding: str) -> str:
    return f"{OWN_WORDS} {finding}{_NOT_SEEN if request.context.get('has_picture') else ''}"


def _quoted(hit: Hit) -> str:
    return " with ".join(f"“{words}”" for words in hit.words)
