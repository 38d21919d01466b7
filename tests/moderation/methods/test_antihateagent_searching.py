"""Search servers that misbehave: a named fault within the stated time, and a run that ends with a verdict."""

import json
import time
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.models import Item, Project
from annotation.pages.display_names import name_of
from antihateagent_web import (
    JSON,
    POST,
    TELLING,
    Investigator,
    article,
    investigate,
    keys,
    perform,
    prompt_of,
    results,
)
from builders import make_item, make_member
from markup import compact
from moderation.debates import start
from moderation.debates.run_json import run_as_json
from moderation.methods import local_documents
from moderation.models import Evidence
from providers import wiring_web
from providers.search import steps
from replayed_runs import replay_run
from runs.models import Run
from wire.pages import Answer, PageServer, dripping, endless, page

pytestmark = pytest.mark.django_db(transaction=True)

SILENT = {"results": [], "unresponsive_engines": [["google", "access denied"]]}
MISBEHAVIOUR: dict[str, tuple[Answer, str, str]] = {
    "429 with a long pause": (page("", JSON, 429, Retry_After="600"), "busy", "asks for a pause of 600 s"),
    "429 with a short pause": (page("", JSON, 429, Retry_After="0"), "busy", "answered 429"),
    "500": (page("<h1>oops</h1>", status=500), "server_error", "answered 500"),
    "HTML": (page("<html><p>Please log in</p></html>"), "not_results", "a page of HTML"),
    "HTML that says JSON": (page("<!doctype html>", JSON), "not_results", "not JSON"),
    "a list": (page("[1, 2]", JSON), "not_results", "no search result"),
    "no results in it": (page('{"error": "later"}', JSON), "not_results", "no search result"),
    "deeply nested": (page('{"results":' + "[" * 100_000, JSON), "not_results", "not JSON"),
    "an empty body": (page("", JSON), "empty", "an empty body"),
    "a slow drip": (dripping(40), "timeout", "no whole answer within"),
    "a huge reply": (endless, "too_large", "longer than"),
    "no source answers": (page(json.dumps(SILENT), JSON), "no_source", "google: access denied"),
    "a redirect": (page("", status=302, Location="/login"), "unreachable", "redirect"),
    "a key that is not accepted": (page("", status=403), "turned_away", "allow the format json"),
    "a query that is not accepted": (page("", status=400), "bad_request", "answered 400"),
}


def test_a_search_server_that_misbehaves_is_named_in_time_and_the_run_has_a_verdict(
    net: Any, project: Project, settings: Any
) -> None:
    for case, (answer, code, said) in MISBEHAVIOUR.items():
        settings.SEARCH_SECONDS = 1 if code == "timeout" else 30
        net.engine.pages["/search"] = answer
        wiring_web._breaker.cache_clear()
        began = time.monotonic()
        agent = Investigator()
        run = investigate(make_item(project, POST, external_id=case), agent)
        assert time.monotonic() - began < 25, case  # the three run together
        assert (run.state, run.waits) == ("succeeded", 0), case
        assert run.outcome is not None
        assert (run.outcome["no_search"], run.outcome["ungrounded"], run.outcome["rounds"]) == (True, True, 1), case
        (fault,) = run.outcome["faults"]
        assert (fault["of"], fault["code"], fault["times"]) == ("searxng:web", code, 3), case
        # Of queries sent together, one may wait for a place until the others run out of time.
        waited = code == "timeout" and "other calls had all the places" in fault["detail"]
        assert said in fault["detail"] or waited, case
        assert name_of(code) != code  # pages have words for it
        assert run.outcome["reason"].startswith("No search was possible, so no page was read. ")
        assert "No search was possible" in prompt_of(agent.asked_for("verdict")[0])
        assert replay_run(run) == run.outcome, case


def test_a_search_server_that_is_not_there_is_a_fault_too(net: Any, item: Item, settings: Any) -> None:
    with PageServer() as gone:
        settings.SEARXNG_URL = f"http://127.0.0.1:{gone.port}"
    run = investigate(item, Investigator())
    assert run.outcome is not None
    assert [fault["code"] for fault in run.outcome["faults"]] == ["unreachable"]


def test_the_fault_is_shown_with_the_run(net: Any, item: Item) -> None:
    net.engine.pages["/search"] = page("", status=500)
    run = investigate(item, Investigator(), language="ko")
    assert run.outcome is not None and run.outcome["reason"].startswith("검색할 수 없어")
    given = run_as_json(run, "post-1", run.turns.order_by("id"))
    assert given["faults"] == run.outcome["faults"] and given["faults"][0]["code"] == "server_error"
    assert given["no_search"] is True
    client, reviewer = Client(), make_member(item.project, Role.ADMIN).user
    assert reviewer is not None
    client.force_login(reviewer)
    shown = client.get(reverse("moderation:run", args=["garden", run.public_id]))
    text = compact(shown.content.decode())
    assert "No search was possible" in text and "error of the search server" in text and "answered 500" in text
    cards = client.get(reverse("moderation:evidence", args=["garden", item.public_id]))
    assert "No search was possible" in compact(cards.content.decode())


@pytest.fixture
def google(net: Any, settings: Any) -> PageServer:
    """Google's search as a server of ours; SearXNG is preferred."""
    settings.GOOGLE_SEARCH_KEY, settings.GOOGLE_SEARCH_ENGINE = "k", "e"
    settings.GOOGLE_SEARCH_URL = f"http://127.0.0.1:{net.engine.port}/google"
    settings.SEARCH_ENGINE = "searxng"
    server: PageServer = net.engine
    items = [{"link": "http://a.example/weeds", "title": "Weeds", "snippet": "what they are"}]
    server.pages |= {"/google": page(json.dumps({"items": items}), JSON), "/search": page("", status=500)}
    net.outer.pages["/weeds"] = article(TELLING)
    return server


def test_the_other_engine_is_asked_where_one_does_not_answer(google: PageServer, item: Item) -> None:
    run = investigate(item, Investigator())
    assert run.outcome is not None
    assert (run.outcome["hateful"], run.outcome["ungrounded"], run.outcome["no_search"]) == (True, False, False)
    assert [(fault["of"], fault["code"]) for fault in run.outcome["faults"]] == [("searxng:web", "server_error")]
    assert not run.outcome["reason"].startswith("No search")
    assert {key for key in keys(run) if key.startswith("search.")} == {
        *(f"search.1.{query}" for query in (1, 2, 3)),
        *(f"search.1.{query}.google" for query in (1, 2, 3)),
    }
    assert Evidence.objects.get().query
    assert replay_run(run) == run.outcome


def test_an_engine_that_failed_in_a_round_is_not_asked_in_the_next(google: PageServer, item: Item) -> None:
    google.pages["/google"] = page("{}", JSON)
    run = investigate(item, Investigator(), reformulations=1)
    assert run.outcome is not None and run.outcome["rounds"] == 2
    engines = [turn.value["engine"] for turn in run.turns.filter(key__startswith="search.2.")]
    assert engines == ["google:web"] * 3


def test_whoever_names_an_engine_gets_no_other(google: PageServer, item: Item) -> None:
    run = investigate(item, Investigator(), engine="searxng")
    assert run.outcome is not None and run.outcome["no_search"]
    assert not any("/google" in address for address in google.log)


def test_documents_are_searched_where_no_web_search_answers(net: Any, item: Item) -> None:
    net.engine.pages["/search"] = page("", status=500)
    admin = make_member(item.project, Role.ADMIN)
    local_documents.add_document(item.project, "words.txt", f"{TELLING} weeds meaning 1 2 3".encode(), admin)
    run = investigate(item, Investigator())
    assert run.outcome is not None
    assert (run.outcome["hateful"], run.outcome["no_search"]) == (True, False)
    assert run.turns.get(key="search.1.1.local").value["engine"] == "local:documents"


def test_documents_never_give_way_to_the_web(net: Any, item: Item) -> None:
    admin = make_member(item.project, Role.ADMIN)
    local_documents.add_document(item.project, "words.txt", b"nothing of that kind", admin)
    investigate(item, Investigator(), engine="local", reformulations=0)
    assert net.engine.log == []


def test_one_query_that_fails_is_named_and_the_rest_is_read(net: Any, item: Item) -> None:
    net.outer.pages["/weeds"] = article(TELLING)
    found = results("http://a.example/weeds")
    net.engine.pages["/search"] = lambda handler: (page("", status=400) if "+1" in handler.path else found)(handler)
    run = investigate(item, Investigator())
    assert run.outcome is not None
    assert (run.outcome["hateful"], run.outcome["no_search"]) == (True, False)
    assert [(fault["code"], fault["times"]) for fault in run.outcome["faults"]] == [("bad_request", 1)]


def test_an_engine_that_was_taken_from_the_settings_is_a_fault(net: Any, item: Item, settings: Any) -> None:
    start.start_runs(item.project, Item.objects.filter(pk=item.pk), start.DebateRequest("antihateagent"), ring=False)
    settings.SEARXNG_URL = ""
    run = perform(Run.objects.latest("id"), Investigator())
    assert run.outcome is not None
    assert [fault["code"] for fault in run.outcome["faults"]] == ["not_set_up"]


def test_a_search_that_finds_no_free_place_ends_in_time(net: Any, settings: Any) -> None:
    settings.SEARCH_SECONDS = 1
    gate = wiring_web._gate("searxng")
    with gate, gate, gate, gate:
        began = time.monotonic()
        answer = steps.search(wiring_web.search_engine("searxng:web"), "weeds", 5)
    assert answer["code"] == "timeout" and time.monotonic() - began < 25
