"""Pages that were open when somebody signed in in another tab: they send all the same, or say who is signed in now."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect

from annotation.models import Label, Membership, Project
from builders import make_member, make_open_item, make_project, make_user

pytestmark = pytest.mark.django_db(transaction=True)

Opens = Callable[[Membership], Page]
PASSWORD = "garden-gate-at-dusk"


@pytest.fixture
def project() -> Project:
    project = make_project("garden", name="Garden posts")
    for text in ("One.", "Two."):
        make_open_item(project, text)
    return project


def sign_in_elsewhere(context: BrowserContext, member: Membership, url: str) -> None:
    """Give the browser what another tab of it has after a sign-in: a new session, and a new secret of its forms."""
    client = Client()
    assert member.user is not None
    client.force_login(member.user)
    session = settings.SESSION_COOKIE_NAME
    made = {session: client.cookies[session].value, settings.CSRF_COOKIE_NAME: "n" * 32}
    context.add_cookies([{"name": name, "value": value, "url": url} for name, value in made.items()])


def test_an_answer_goes_again_with_a_new_token_by_itself(project: Project, page_of: Opens, live_server: Any) -> None:
    member = make_member(project)
    page = page_of(member)
    page.goto(f"{live_server.url}/p/garden/label/")
    sign_in_elsewhere(page.context, member, live_server.url)
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    expect(page.locator("#stored")).to_contain_text("Labelled NotHate.")
    assert Label.objects.get().annotator == member
    page.goto(f"{live_server.url}/me/")  # an ordinary form
    sign_in_elsewhere(page.context, member, live_server.url)
    page.context.add_cookies([{"name": settings.CSRF_COOKIE_NAME, "value": "m" * 32, "url": live_server.url}])
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()


def test_a_page_of_another_person_sends_nothing_and_leads_on(
    project: Project, page_of: Opens, live_server: Any
) -> None:
    page = page_of(make_member(project))
    page.goto(f"{live_server.url}/p/garden/label/")
    page.keyboard.press("0")
    sign_in_elsewhere(page.context, make_member(project), live_server.url)
    page.keyboard.press("Enter")
    notice = page.locator("#messages .notice")
    expect(notice).to_contain_text("Somebody else is signed in here now.")
    assert page.locator("[name=category]:checked").get_attribute("value") == "0"
    assert not Label.objects.exists()
    notice.get_by_role("link", name="Load the page again").click()
    expect(page.locator("[name=category]:checked")).to_have_count(0)


def test_the_second_sign_in_page_leads_to_the_page_that_was_wanted(
    project: Project, context: BrowserContext, live_server: Any
) -> None:
    member = make_member(project, user=make_user("wren", PASSWORD))
    page = context.new_page()
    page.goto(f"{live_server.url}/p/garden/guidelines/")
    sign_in_elsewhere(context, member, live_server.url)
    page.fill("[name=login]", "wren")
    page.fill("[name=password]", PASSWORD)
    page.click("main form button[type=submit]")
    expect(page).to_have_url(f"{live_server.url}/p/garden/guidelines/")
