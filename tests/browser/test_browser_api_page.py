"""The page of the API in a browser: it draws the description, and calls an operation as whoever is signed in."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.domain.choices import Role
from annotation.models import Membership
from api_schema import operations
from builders import make_member, make_project

pytestmark = pytest.mark.django_db(transaction=True)


def drawn(page: Page) -> int:
    """Return how many operations the page draws on the way to its end; of many it holds those on the screen alone."""
    expect(page.locator(".opblock").first).to_be_visible()
    seen: set[str] = set()
    while True:
        seen |= set(page.locator(".opblock").evaluate_all("blocks => blocks.map(block => block.id)"))
        at = page.evaluate("[scrollY + innerHeight, document.documentElement.scrollHeight]")
        if at[0] >= at[1] - 1:
            page.evaluate("scrollTo(0, 0)")
            return len(seen)
        page.mouse.wheel(0, 400)
        page.wait_for_timeout(30)


def test_the_api_page_draws_answers_and_refusals_and_calls_an_operation(
    page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    page = page_of(make_member(make_project("garden", name="Posts about gardens"), Role.ADMIN))
    page.goto(f"{live_server.url}/api/v1/")
    assert drawn(page) == len(operations())
    page.locator("#operations-projects-projects_list").click()
    operation = page.locator("#operations-projects-projects_list")
    expect(operation).to_contain_text("List the projects of the caller.")
    expect(operation).to_contain_text("Too many requests. Nothing was stored.")
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text("Posts about gardens")
