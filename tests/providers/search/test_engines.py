"""Search engines over their wire formats, against a server of our own."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from providers import wiring_web
from providers.bindings import NotConfigured
from providers.http.bounds import Bounds
from providers.messages import BadRequest, ProviderBusy, ProviderPaused
from providers.search import steps
from providers.search.engines import Google, SearchHit, Searx
from wire.pages import PageServer, page

BOUNDS = Bounds(connect=1, read=1, wall=1.5)
JSON = "application/json; charset=utf-8"


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer() as server:
        yield server


def google(server: PageServer) -> Google:
    return Google("sk-CANARY-7", "engine-1", f"http://127.0.0.1:{server.port}/customsearch/v1", BOUNDS)


def searx(server: PageServer) -> Searx:
    return Searx(f"http://127.0.0.1:{server.port}/", BOUNDS)


def says(status: int, body: Any, **headers: str) -> Any:
    return page(body if isinstance(body, str) else json.dumps(body), JSON, status, **headers)


def asked(server: PageServer) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit("http://" + server.log[-1]).query).items()}


def test_google_is_asked_in_its_own_words(server: PageServer) -> None:
    items = [
        {"title": "Weeds", "link": "https://a.example/weeds", "snippet": "What\n the word  means", "kind": "x"},
        {"title": "Again", "link": "https://a.example/weeds", "snippet": "the same page"},
        {"title": "Inner", "link": "http://127.0.0.1/secret", "snippet": "never"},
        {"title": "Script", "link": "javascript:alert(1)", "snippet": "never"},
        "broken",
    ]
    server.pages["/customsearch/v1"] = says(200, {"kind": "customsearch#search", "items": items})
    hits = google(server).search('"weeds" site:forum.example', 8)
    assert hits == [SearchHit("https://a.example/weeds", "Weeds", "What the word means")]
    wanted = {"key": "sk-CANARY-7", "cx": "engine-1", "q": '"weeds" site:forum.example', "num": "8"}
    assert asked(server) == wanted


def test_searxng_is_asked_for_json(server: PageServer) -> None:
    rows = [{"url": f"https://a.example/{n}", "title": f"T{n}", "content": "c", "engine": "x"} for n in range(30)]
    server.pages["/search"] = says(200, {"query": "x", "results": rows, "answers": []})
    hits = searx(server).search("weeds -lawn", 5)
    assert [hit.title for hit in hits] == ["T0", "T1", "T2", "T3", "T4"]
    assert asked(server) == {"q": "weeds -lawn", "format": "json", "safesearch": "0"}


def test_nothing_found_is_an_answer(server: PageServer) -> None:
    server.pages |= {"/customsearch/v1": says(200, {"searchInformation": {}}), "/search": says(200, {"results": []})}
    assert google(server).search("x", 5) == searx(server).search("x", 5) == []


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (429, {"error": {"status": "RESOURCE_EXHAUSTED", "message": "quota"}}, ProviderBusy, "429 RESOURCE_EXHAUSTED"),
        (403, {"error": {"status": "PERMISSION_DENIED", "message": "bad key sk-CANARY-7"}}, ProviderPaused, "[key]"),
        (400, {"error": {"status": "INVALID_ARGUMENT", "message": "no such cx"}}, BadRequest, "no such cx"),
        (503, "<html>", ProviderBusy, "503"),
        (200, "<html>", ProviderBusy, "not JSON"),
        (200, "[1]", ProviderBusy, "no search result"),
        (302, "", ProviderBusy, "redirect"),
    ],
)
def test_faults_of_google_are_told_apart(
    server: PageServer, status: int, body: Any, kind: type[Exception], said: str
) -> None:
    server.pages["/customsearch/v1"] = says(status, body)
    with pytest.raises(kind) as caught:
        google(server).search("x", 5)
    assert type(caught.value) is kind
    assert said in str(caught.value)
    assert "CANARY" not in str(caught.value)


def test_a_searxng_that_gives_no_json_says_what_to_change(server: PageServer) -> None:
    server.pages["/search"] = says(403, "Forbidden")
    with pytest.raises(ProviderPaused, match="allow the format json"):
        searx(server).search("x", 5)


def test_a_name_server_that_is_silent_or_knows_no_such_host_is_a_fault() -> None:
    def silent(host: str, port: int, seconds: float) -> list[str]:
        raise TimeoutError

    def ignorant(host: str, port: int, seconds: float) -> list[str]:
        raise OSError("NXDOMAIN")

    for resolve, code in ((silent, "timeout"), (ignorant, "unreachable")):
        engine = Searx("http://search.example", BOUNDS, resolve=resolve)
        assert steps.search(engine, "x", 5)["code"] == code
    assert steps.search(Searx("http://[nowhere", BOUNDS), "x", 5)["code"] == "not_set_up"
    assert steps.search(Searx("ftp://search.example", BOUNDS, resolve=lambda *_: []), "x", 5)["code"] == "not_set_up"


def test_which_engines_there_are_is_a_matter_of_settings(settings: Any) -> None:
    assert wiring_web.configured_engines() == ["local"]
    settings.SEARXNG_URL = "http://127.0.0.1:8888"
    assert wiring_web.configured_engines() == ["searxng", "local"]
    settings.GOOGLE_SEARCH_KEY, settings.GOOGLE_SEARCH_ENGINE = "k", "e"
    assert wiring_web.configured_engines() == ["google", "searxng", "local"]
    settings.SEARCH_ENGINE = "local"
    assert wiring_web.configured_engines()[0] == "local"


def test_an_engine_that_is_not_set_up_is_named() -> None:
    with pytest.raises(NotConfigured, match="google"):
        wiring_web.search_engine("google:web")


def test_a_search_is_tried_again_and_becomes_json(server: PageServer, settings: Any) -> None:
    settings.SEARXNG_URL, settings.MODEL_BACKOFF = f"http://127.0.0.1:{server.port}", 0
    found = says(200, {"results": [{"url": "https://a.example/", "title": "A", "content": "c"}]})

    def busy_first(handler: Any) -> None:
        (found if len(server.log) > 1 else says(503, ""))(handler)

    server.pages["/search"] = busy_first
    answer = steps.search(wiring_web.search_engine("searxng:web"), "weeds", 5)
    hits = [{"url": "https://a.example/", "title": "A", "snippet": "c"}]
    assert answer == {"hits": hits, "engine": "searxng:web", "code": "", "fault": ""}
    assert len(server.log) == 2
