"""Fakes for ANTI-HATE-AGENT tests: a local web, and a scripted investigator that answers by the kind of question."""

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from providers import tokens
from providers.messages import Reply, Request
from wire.pages import OUTER, Answer, PageServer, Web, page

Say = Callable[[Request], Any]
JSON = "application/json"


def act(action: str, **fields: Any) -> dict[str, Any]:
    """Return an action in the form that the investigator answers."""
    return {"thought": "as the test says", "action": action, "action_input": fields}


def queries(request: Request) -> Any:
    """Answer with three queries that were not made before."""
    earlier = len(request.context["queries"])
    return act("SearchWeb", queries=[f"weeds meaning {earlier + n}" for n in range(1, 4)])


def select_all(request: Request) -> Any:
    """Answer with the first three results, or none if there are none."""
    return act("SelectPages", pages=list(range(1, min(3, request.context["hits"]) + 1)), other_queries_may_help=True)


def quote(*quotes: str, stance: str = "supports", relevance: int = 3) -> Say:
    """Answer with those of the passages that the shown text contains.

    A passage that begins with an exclamation mark is claimed even if the text does not contain it.
    """

    def say(request: Request) -> Any:
        window = request.messages[-1].text
        claimed = [passage.lstrip("!") for passage in quotes if passage in window or passage.startswith("!")]
        segments = [
            {"quote": passage, "stance": stance, "relevance": relevance, "bearing": "explains “weeds”"}
            for passage in claimed
        ]
        return act("ExtractEvidence", segments=segments)

    return say


def weigh(request: Request) -> Any:
    """Answer that the evidence is sufficient as soon as there is any."""
    has_evidence = bool(request.context["evidence"])
    return act(
        "ReconfirmText",
        text=request.context["opening"],
        judgment="HATE" if has_evidence else "OPEN",
        confidence=0.8 if has_evidence else 0.2,
        effect="the page explains the word" if has_evidence else "nothing new",
        sufficient=has_evidence,
    )


def verdict(request: Request) -> Any:
    """Answer HATE if there is any evidence, else NON-HATE."""
    has_evidence = bool(request.context["evidence"])
    return act(
        "FinalJudgment",
        text=request.context["opening"],
        verdict="HATE" if has_evidence else "NON-HATE",
        confidence=0.9 if has_evidence else 0.4,
        rationale="“Weeds” stands for newcomers [1]. Hateful." if has_evidence else "Nothing was found. Not hateful.",
    )


SENSIBLE: Mapping[str, Say] = {
    "queries": queries,
    "select": select_all,
    "read": quote("call newcomers weeds"),
    "weigh": weigh,
    "verdict": verdict,
}


class Investigator:
    """A model that answers by `context["ask"]`; `asked` holds the requests in order."""

    sees_pictures = True
    name = "scripted:investigator"

    def __init__(self, **answers: Say) -> None:
        self._answers = {**SENSIBLE, **answers}
        self.asked: list[Request] = []
        self._lock = threading.Lock()

    def reply(self, request: Request) -> Reply:
        """Return the answer to the kind of question that is asked."""
        with self._lock:
            self.asked.append(request)
        kind = request.context.get("ask")
        if kind is None:
            answer: Any = {"words": "", "description": "A garden with a sign that reads out with them."}
        else:
            answer = self._answers[kind](request)
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return Reply(text, self.name, tokens.estimated_usage(request, text))

    def asked_for(self, kind: str) -> list[Request]:
        """Return the requests of this kind."""
        return [request for request in self.asked if request.context.get("ask") == kind]


def results(*urls: str) -> Answer:
    """Return a SearXNG answer with these pages."""
    rows = [{"url": url, "title": f"About {url}", "content": f"What {url} says"} for url in urls]
    return page(json.dumps({"results": rows}), JSON)


def article(text: str, title: str = "On weeds") -> Answer:
    """Return a page with this text."""
    return page(f"<html><head><title>{title}</title></head><body><article><p>{text}</p></article></body></html>")


def a_web(outer: PageServer, inner: PageServer) -> Web:
    """Return a web in which every name leads to the outer server."""
    return Web(outer, inner, {"*": [OUTER]})
