"""An investigation for tests: a web of our own, and an investigator who answers by what is asked."""

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from providers import tokens
from providers.messages import Reply, Request
from wire.pages import OUTER, Answer, PageServer, Web, page

Say = Callable[[Request], Any]
JSON = "application/json"


def act(action: str, **given: Any) -> dict[str, Any]:
    """An answer in the investigator's form."""
    return {"thought": "as the test says", "action": action, "action_input": given}


def queries(request: Request) -> Any:
    """Three queries that were not made before."""
    done = len(request.context["queries"])
    return act("SearchWeb", queries=[f"weeds meaning {done + n}" for n in range(1, 4)])


def select_all(request: Request) -> Any:
    """The first three results, or none."""
    return act("SelectPages", pages=list(range(1, min(3, request.context["hits"]) + 1)), other_queries_may_help=True)


def quote(*quotes: str, stance: str = "supports", relevance: int = 3) -> Say:
    """These passages, where the window holds them; `quotes` that it does not hold are claimed all the same if they
    begin with an exclamation mark."""

    def say(request: Request) -> Any:
        shown = request.messages[-1].text
        said = [each.lstrip("!") for each in quotes if each in shown or each.startswith("!")]
        segments = [
            {"quote": each, "stance": stance, "relevance": relevance, "bearing": "explains “weeds”"} for each in said
        ]
        return act("ExtractEvidence", segments=segments)

    return say


def weigh(request: Request) -> Any:
    """Enough as soon as there is evidence."""
    found = bool(request.context["evidence"])
    return act(
        "ReconfirmText",
        text=request.context["opening"],
        judgment="HATE" if found else "OPEN",
        confidence=0.8 if found else 0.2,
        effect="the page explains the word" if found else "nothing new",
        sufficient=found,
    )


def verdict(request: Request) -> Any:
    """HATE on the first evidence, else NON-HATE."""
    found = bool(request.context["evidence"])
    return act(
        "FinalJudgment",
        text=request.context["opening"],
        verdict="HATE" if found else "NON-HATE",
        confidence=0.9 if found else 0.4,
        rationale="“Weeds” stands for newcomers [1]. Hateful." if found else "Nothing was found. Not hateful.",
    )


SENSIBLE: Mapping[str, Say] = {
    "queries": queries,
    "select": select_all,
    "read": quote("call newcomers weeds"),
    "weigh": weigh,
    "verdict": verdict,
}


class Investigator:
    """Answers by `context["ask"]`; keeps what it was asked, in order."""

    sees_pictures = True
    name = "scripted:investigator"

    def __init__(self, **answers: Say) -> None:
        self._answers = {**SENSIBLE, **answers}
        self.asked: list[Request] = []
        self._lock = threading.Lock()

    def reply(self, request: Request) -> Reply:
        """The answer to what is asked."""
        with self._lock:
            self.asked.append(request)
        asked = request.context.get("ask")
        if asked is None:
            said: Any = {"words": "", "description": "A garden with a sign that reads out with them."}
        else:
            said = self._answers[asked](request)
        text = said if isinstance(said, str) else json.dumps(said)
        return Reply(text, self.name, tokens.estimated_usage(request, text))

    def asked_for(self, word: str) -> list[Request]:
        """What was asked of this kind."""
        return [request for request in self.asked if request.context.get("ask") == word]


def results(*urls: str) -> Answer:
    """A SearXNG answer with these pages."""
    rows = [{"url": url, "title": f"About {url}", "content": f"What {url} says"} for url in urls]
    return page(json.dumps({"results": rows}), JSON)


def article(text: str, title: str = "On weeds") -> Answer:
    """A page with this text."""
    return page(f"<html><head><title>{title}</title></head><body><article><p>{text}</p></article></body></html>")


def a_web(outer: PageServer, inner: PageServer) -> Web:
    """Every name of it is the outer server's."""
    return Web(outer, inner, {"*": [OUTER]})
