"""A search engine, a web, a project and a post for the tests of AntiHateAgent."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from annotation.models import Item, Project
from antihateagent_web import POST, a_web, results
from builders import make_item, make_project
from providers import wiring_web
from wire.pages import PageServer


@pytest.fixture
def net(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """A search engine and a web; `engine.pages["/search"]` and `outer.pages` are the test's to fill."""
    with PageServer() as engine, PageServer() as outer, PageServer() as inner:
        settings.SEARXNG_URL, settings.MODEL_BACKOFF = f"http://127.0.0.1:{engine.port}", 0
        settings.MODEL_ALLOWED = ["scripted:*"]
        wiring_web._breaker.cache_clear()
        web = a_web(outer, inner)
        fetcher = web.fetcher(seconds=2.0)
        monkeypatch.setattr(wiring_web, "_fetcher", lambda agent: fetcher)
        engine.pages["/search"] = results()
        yield SimpleNamespace(engine=engine, outer=outer, inner=inner, web=web)
        assert inner.log == []


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def item(project: Project) -> Item:
    return make_item(project, POST, external_id="post-1")
