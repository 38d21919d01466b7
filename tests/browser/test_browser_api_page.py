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


def test_the_api_page_draws_answers_and_refusals_and_calls_an_operation(
    page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    page = page_of(make_member(make_project("garden", name="Posts about gardens"), Role.ADMIN))
    page.goto(f"{live_server.url}/api/v1/")
    expect(page.locator(".opblock")).to_have_count(len(operations()))
    page.locator("#operations-projects-projects_list").click()
    operation = page.locator("#operations-projects-projects_list")
    expect(operation).to_contain_text("List the projects of the caller.")
    expect(operation).to_contain_text("Too many requests. Nothing was stored.")
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text("Posts about gardens")
