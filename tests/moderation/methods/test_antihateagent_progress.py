"""What a person sees while the agent works: a line a step at the terminal, the steps under way on page and API."""

import io
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.models import Item
from antihateagent_web import POST, TELLING, Investigator, act, article, perform, results
from builders import make_member
from markup import compact
from moderation.debates import start
from moderation.debates.run_json import run_as_json
from providers import wiring
from runs.models import Run
from wire.server import WireServer, say

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    with WireServer() as server:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = server.openai_url, "sk-CANARY-1"
        settings.MODEL_BINDINGS = {f"MODEL_{role}": "openai:all" for role in ("TEXT", "VISION")}
        settings.MODEL_ALLOWED = ["openai:*"]
        for cache in (wiring._connection, wiring._breaker, wiring._gate):
            cache.cache_clear()
        yield server


class Terminal(io.StringIO):
    """What a command writes; `searching` is set as soon as it says that something is searched for."""

    def __init__(self) -> None:
        super().__init__()
        self.searching = threading.Event()

    def write(self, text: str) -> int:
        if "searches" in text:
            self.searching.set()
        return super().write(text)

    def said(self) -> list[str]:
        return [line for line in self.getvalue().splitlines() if "  step " in line]


def test_each_step_is_a_line_that_says_what_it_is_about_and_how_many_are_left(
    net: Any, wire: WireServer, item: Item
) -> None:
    net.outer.pages["/weeds"] = article(TELLING)
    terminal, out = Terminal(), io.StringIO()
    told_in_time: list[bool] = []

    def search(handler: Any) -> None:
        told_in_time.append(terminal.searching.wait(10))  # said while the search server is silent
        results("http://a.example/weeds")(handler)

    net.engine.pages["/search"] = search
    quoted = {"quote": "call newcomers weeds", "stance": "supports", "relevance": 3, "bearing": "explains it"}
    weighed = {"judgment": "HATE", "confidence": 0.8, "effect": "explains", "sufficient": True}
    verdict = {"text": POST, "verdict": "HATE", "confidence": 0.9, "rationale": "It is explained [1]."}
    answers = [
        act("SearchWeb", queries=["weeds meaning", "weeds slang", "weeds garden"]),
        act("SelectPages", pages=[1], other_queries_may_help=True),
        act("ExtractEvidence", segments=[quoted]),
        act("ReconfirmText", text=POST, **weighed),
        act("FinalJudgment", **verdict),
    ]
    wire.queue(*[say(json.dumps(answer)) for answer in answers])
    call_command("run", "antihateagent", "garden", "--wait", "--json", stdout=out, stderr=terminal)
    (row,) = json.loads(out.getvalue())
    assert (row["state"], row["hateful"], row["steps"]) == ("succeeded", True, [])
    told = [line.partition(": ")[2] for line in terminal.said()]
    assert told[0] == "writes queries round 1"
    assert sorted(told[1:4]) == ["searches weeds garden", "searches weeds meaning", "searches weeds slang"]
    assert told[4:] == [
        "chooses among the results round 1",
        "fetches a page http://a.example/weeds",
        "reads a page http://a.example/weeds, part 1 of 1",
        "weighs a page http://a.example/weeds",
        "judges",
    ]
    assert terminal.said()[0].startswith("post-1  step 1, 79 left: ")
    assert terminal.said()[-1].startswith("post-1  step 9, 71 left: ")
    assert told_in_time == [True] * 3


def test_page_and_api_show_the_steps_under_way(net: Any, item: Item) -> None:
    reviewer = make_member(item.project, Role.ADMIN).user
    assert reviewer is not None
    client = Client()
    client.force_login(reviewer)
    start.start_runs(item.project, Item.objects.filter(pk=item.pk), start.DebateRequest("antihateagent"), ring=False)
    run = Run.objects.latest("id")
    address = reverse("moderation:run", args=["garden", run.public_id])
    client.get(address)  # the templates are read before anything waits for them
    seen: dict[str, Any] = {}
    asked, told = threading.Event(), threading.Event()

    def search(handler: Any) -> None:
        asked.set()
        told.wait(15)
        results()(handler)

    net.engine.pages["/search"] = search

    def watch() -> None:
        try:
            asked.wait(10)
            watched = Run.objects.get(pk=run.pk)
            seen["json"] = run_as_json(watched, "post-1", list(watched.turns.order_by("id")))
            seen["page"] = client.get(address).content.decode()
        finally:
            told.set()
            connection.close()

    watcher = threading.Thread(target=watch)
    watcher.start()
    perform(run, Investigator())
    watcher.join()
    steps = [{"key": f"search.1.{n}", "what": "searches", "about": f"weeds meaning {n}"} for n in (1, 2, 3)]
    assert seen["json"]["steps"] == [step | {"done": 1, "left": 79} for step in steps]
    assert seen["json"]["waits"] is None
    text = compact(seen["page"])
    assert 'searches <bdi lang="en">weeds meaning 1</bdi>' in text
    assert "1 step taken" in text and "79 left at most" in text
