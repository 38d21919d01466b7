"""An admin's batches in a real browser: asked before it is done, by keyboard, on a wide screen and on a phone."""

from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect

from annotation.domain.choices import BatchState, Role
from annotation.models import Batch, Item, Project, Skip
from builders import make_label, make_member, make_open_item, make_project

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    project = make_project("winter", name="Winter campaign", seats=3)
    people = [make_member(project, pseudonym=f"p-{letter}") for letter in "abcdef"]
    for name in ("hedges", "a batch with quite a long name that has to fit on a phone as well"):
        Batch.objects.create(project=project, name=name, state=BatchState.OPEN)
        for _ in range(4):
            make_open_item(project, batch=name)
    begun = make_open_item(project, batch="hedges")
    make_label(begun.seat_rows.first(), people[0], 0)
    left = make_open_item(project, batch="hedges", external_id="left-over")
    Skip.objects.bulk_create(Skip(item=left, annotator=person) for person in people)
    return project


def opened(project: Project, browser: Browser, origin: str, width: int) -> Page:
    context = browser.new_context(viewport={"width": width, "height": 900}, locale="en-GB", base_url=origin)
    context.set_default_timeout(30_000)
    client = Client()
    client.force_login(make_member(project, Role.ADMIN).user)
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": key, "url": origin}])
    return context.new_page()


@pytest.mark.parametrize("width", [1440, 390])
def test_an_admin_pauses_a_batch_limits_it_and_makes_teams(
    project: Project, browser: Browser, live_server: Any, width: int
) -> None:
    page = opened(project, browser, live_server.url, width)
    faults: list[str] = []
    page.on("console", lambda said: faults.extend([said.text] * (said.type == "error")))
    page.on("pageerror", lambda error: faults.append(str(error)))

    def fits() -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.goto("/p/winter/batches/")
    fits()
    expect(page.get_by_role("link", name="left-over")).to_be_visible()
    expect(page.get_by_text("Nobody is left for 1 item")).to_be_visible()
    page.get_by_role("link", name="Pause hedges").press("Enter")
    expect(page.get_by_role("heading", name="Pause this batch?")).to_be_in_viewport()
    assert Batch.objects.get(name="hedges").state == BatchState.OPEN
    page.get_by_role("button", name="Pause the batch").press("Enter")
    expect(page.get_by_text("“hedges” is paused.")).to_be_visible()
    assert set(Item.objects.filter(batch="hedges").values_list("queue", flat=True)) == {None}
    fits()

    page.get_by_label("only these people").check()
    for name in ("p-a", "p-b"):
        page.get_by_label(name).check()
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_text("Needs 1 more person to be finished.")).to_be_visible()

    page.goto("/p/winter/batches/teams/")
    page.get_by_label("hedges").check()
    page.get_by_role("button", name="Show who would get what").click()
    expect(page.get_by_role("cell", name="p-d, p-e, p-f")).to_be_visible()
    fits()
    page.get_by_role("button", name="Make these teams").click()
    expect(page.get_by_text("2 teams are made.")).to_be_visible()
    expect(page.get_by_role("link", name="hedges team 2", exact=True)).to_be_visible()
    fits()
    page.context.close()
    assert faults == []
