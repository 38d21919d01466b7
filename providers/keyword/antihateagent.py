"""The keyword baseline as an investigator: it searches for the post's words and cannot judge a page."""

import re
from collections.abc import Mapping
from typing import Any

from providers.keyword.model import OWN_WORDS, Cues, KeywordAnswer, worst_hit
from providers.messages import Request

CANNOT = f"{OWN_WORDS} It cannot judge pages, so it reads none."
_WORD = re.compile(r"[^\W\d_]{3,}")
_COMMON = frozenset({
    "about", "after", "again", "against", "already", "also", "always", "because", "before", "being", "could", "does",
    "doing", "every", "everybody", "everyone", "everything", "from", "have", "having", "here", "just", "like", "more",
    "much", "never", "nobody", "nothing", "only", "other", "over", "really", "same", "should", "some", "somebody",
    "someone", "something", "still", "such", "than", "that", "their", "them", "then", "there", "these", "they", "thing",
    "things", "this", "those", "very", "want", "wants", "were", "what", "when", "where", "which", "while", "will",
    "with", "would", "your", "yours",
})  # fmt: skip
"""Words that mean nothing by themselves."""
_ROUNDS = ("meaning", "slang", "said of people", "origin")
"""What is asked of the words: something else each time, since the same query would bring the same pages."""


def investigate(request: Request, own: Cues) -> dict[str, Any]:
    """Answer with the requested action: queries from the post's longest telling words, no page, a verdict by cues."""
    action, text = str(request.context.get("ask", "")), str(request.context.get("text", ""))
    actions = {"queries": _queries, "urls": _urls, "select": _select, "read": _read, "weigh": _weigh}
    if action in actions:
        return actions[action](request, text)
    if request.context.get("claimed"):
        open_ = {"verdict": "OPEN", "confidence": 0.0, "rationale": f"{CANNOT} So the claim stays unchecked."}
        return _act("FinalJudgment", {"text": request.context.get("opening", "")} | open_)
    hit = worst_hit(text, own)
    finding = (
        f"The text says {' with '.join(f'“{words}”' for words in hit.words)}." if hit else "It found none of its cues."
    )
    judgment = {
        "text": request.context.get("opening", ""),
        "verdict": "HATE" if hit else "NON-HATE",
        "confidence": 0.5,
        "rationale": f"{OWN_WORDS} {finding} No page was read: it cannot judge pages.",
    }
    return _act("FinalJudgment", judgment)


def _queries(request: Request, text: str) -> dict[str, Any]:
    words = [word for word in dict.fromkeys(_WORD.findall(text.casefold())) if word not in _COMMON]
    words = sorted(words, key=len, reverse=True)[:3]
    while len(words) < 3:
        words.append(f"post {len(words) + 1}")
    again, place = divmod(len(request.context.get("queries", ())) // 3, len(_ROUNDS))
    addition = f"{_ROUNDS[place]} {again + 1}" if again else _ROUNDS[place]
    return _act("SearchWeb", {"queries": [f'"{word}" {addition}' for word in words]})


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
