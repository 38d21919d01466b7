"""A Chromium for the tests in this folder; without one they are skipped with a word."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

import chromium
from absent import skip_or_fail
from annotation.models import Membership
from worker_threads import worker_thread

# Playwright's loop runs in the test's own thread, which also asks the database for what it expects.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")


expect.set_options(timeout=30_000)


@pytest.hookimpl(tryfirst=True)  # other marks depend on these
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")
            # Chromium drops a key now and then on a busy machine; what fails twice is a fault.
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of the process."""
    path = chromium.find()
    if path is None:
        skip_or_fail("no Chromium found (set CHROMIUM=path)")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(chromium.FLAGS))
        yield running
        running.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh person at the browser, 1440 × 900, whose pages may take 30 s on a busy machine."""
    fresh = _context(browser)
    yield fresh
    fresh.close()


@pytest.fixture(autouse=True)
def _links_lead_to_the_running_server(request: pytest.FixtureRequest, settings: Any) -> None:
    """Links that are handed over begin with SITE_URL."""
    if "live_server" in request.fixturenames:
        settings.SITE_URL = request.getfixturevalue("live_server").url


@pytest.fixture
def page_of(browser: Browser, live_server: Any) -> Iterator[Callable[[Membership], Page]]:
    """A browser of their own for each member, signed in; whatever one reports as an error fails the test."""
    faults: list[str] = []
    with ExitStack() as closing:

        def opened(member: Membership) -> Page:
            assert member.user is not None
            client = Client()
            client.force_login(member.user)
            name = site_settings.SESSION_COOKIE_NAME
            context = _context(browser)
            closing.callback(context.close)
            context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
            page = context.new_page()
            page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
            page.on("pageerror", lambda error: faults.append(str(error)))
            return page

        yield opened
    assert faults == []


@pytest.fixture
def worker() -> Iterator[None]:
    """A worker in a thread of this process."""
    with worker_thread():
        yield


def _context(browser: Browser) -> BrowserContext:
    fresh = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
    fresh.set_default_timeout(30_000)
    return fresh
