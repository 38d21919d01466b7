"""The keyword baseline as an investigator: it searches for the post's words and cannot judge a page."""

import re
from collections.abc import Mapping
from typing import Any

from providers.keyword.model import OWN_WORDS, Cues, KeywordAnswer, worst_hit
from providers.messages import Request

CANNOT = f"{OWN_WORDS} It cannot judge pages, so it reads none."
_WORD = re.compile(r"[^\W\d_]{3,}")


def investigate(request: Request, own: Cues) -> dict[str, Any]:
    """Answer with the requested action: queries from the post's longest words, no page, and a verdict by open cues."""
    asked, text = str(request.context.get("ask", "")), str(request.context.get("text", ""))
    actions = {"queries": _queries, "urls": _urls, "select": _select, "read": _read, "weigh": _weigh}
    if asked in actions:
        return actions[asked](request, text)
    if request.context.get("claimed"):
        open_ = {"verdict": "OPEN", "confidence": 0.0, "rationale": f"{CANNOT} So the claim stays unchecked."}
        return _act("FinalJudgment", {"text": request.context.get("opening", "")} | open_)
    hit = worst_hit(text, own)
    found = (
        f"The text says {' with '.join(f'“{words}”' for words in hit.words)}." if hit else "It found none of its cues."
    )
    judgment = {
        "text": request.context.get("opening", ""),
        "verdict": "HATE" if hit else "NON-HATE",
        "confidence": 0.5,
        "rationale": f"{OWN_WORDS} {found} No page was read: it cannot judge pages.",
    }
    return _act("FinalJudgment", judgment)


def _queries(request: Request, text: str) -> dict[str, Any]:
    words = sorted(dict.fromkeys(_WORD.findall(text.casefold())), key=len, reverse=True)[:3]
    while len(words) < 3:
        words.append(f"post {len(words) + 1}")
    earlier = len(request.context.get("queries", ()))
    again = f" {earlier}" if earlier else ""
    return _act("SearchWeb", {"queries": [f'"{word}" meaning{again}' for word in words]})


def _urls(request: Request, text: str) -> dict[str, Any]:
    return _act("VisitPages", {"urls": ["https://example.org/"]})


def _select(request: Request, text: str) -> dict[str, Any]:
    return _act("SelectPages", {"pages": [], "other_queries_may_help": False})


def _read(request: Request, text: str) -> dict[str, Any]:
    return _act("ExtractEvidence", {"segments": []})


def _weigh(request: Request, text: str) -> dict[str, Any]:
    given = {"judgment": "OPEN", "confidence": 0.0, "effect": CANNOT, "sufficient": True}
    return _act("ReconfirmText", {"text": request.context.get("opening", ""), **given})


def _act(action: str, given: Mapping[str, Any]) -> dict[str, Any]:
    return {"thought": CANNOT, "action": action, "action_input": dict(given)}


INVESTIGATION: Mapping[str, KeywordAnswer] = {"investigator": investigate}
