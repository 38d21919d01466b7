"""A Chromium for the tests in this folder; without one they are skipped with a word."""

import os
from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

# Playwright's loop runs in the test's own thread, which also asks the database for what it expects.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")


expect.set_options(timeout=30_000)


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
        pytest.skip("no Chromium found (set CHROMIUM=path)")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(chromium.FLAGS))
        yield running
        running.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh person at the browser, 1440 × 900, whose pages may take 30 s on a busy machine."""
    fresh = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
    fresh.set_default_timeout(30_000)
    yield fresh
    fresh.close()
