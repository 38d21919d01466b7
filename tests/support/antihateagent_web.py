"""Fakes for ANTI-HATE-AGENT tests: a local web, and a scripted investigator that answers by the kind of question."""

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from annotation.models import Item
from moderation.debates import start
from providers import tokens
from providers.messages import Reply, Request
from runs.execution import runner
from runs.models import Run
from wire.pages import OUTER, Answer, PageServer, Web, page

Say = Callable[[Request], Any]
JSON = "application/json"
POST = "Weeds in the white roses again."
TELLING = "On several boards people call newcomers weeds, and gardeners say how to get rid of them."


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


def investigate(item: Item, model: Any, *, limits: Mapping[str, int] | None = None, **options: Any) -> Run:
    """Start the agent on the item with these options and perform the run with this model."""
    wish = start.DebateRequest("antihateagent", options, limits=limits or {})
    assert start.start_runs(item.project, Item.objects.filter(pk=item.pk), wish, ring=False) == 1
    return perform(Run.objects.latest("id"), model)


def starting_aside(item: Item, **options: Any) -> Run:
    """Store a run as an evaluation starts it, which may have any options."""
    plan = {"investigator": "scripted:a", "describer": "scripted:a"}
    if options.get("retrieval", "search") == "search":
        plan["searcher"] = "searxng:web"
    run = Run(
        method="antihateagent",
        project=item.project.public_id,
        subject=item.public_id,
        model_plan=plan,
        options=start.checked_options("antihateagent", options),
        call_limit=100,
        token_limit=1_000_000,
        seconds_limit=600,
    )
    run.save()
    run.refresh_from_db()
    return run


def perform(run: Run, model: Any) -> Run:
    """Perform a run with this model."""
    runner.claim_and_perform(run.pk, lambda role, name: model)
    run.refresh_from_db()
    return run


def keys(run: Run) -> list[str]:
    """Return the keys of the run's turns in the order in which they were saved."""
    return list(run.turns.order_by("id").values_list("key", flat=True))


def prompt_of(request: Request) -> str:
    """Return all words of a request."""
    return "\n".join(message.text for message in request.messages)
