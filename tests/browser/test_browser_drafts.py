"""What was typed for a post stays with that post, as it was left; working time counts while somebody works."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Label, Membership, Project
from builders import make_label, make_member, make_open_item, make_picture, make_project

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/p/garden/label/"


@pytest.fixture
def project() -> Project:
    """Two posts that the next label closes."""
    project = make_project("garden", seats=2)
    other = make_member(project)
    for place, text in enumerate(("One.", "Two.")):
        item = make_open_item(project, text, picture=make_picture(project), priority=9 - place)
        make_label(item.seat_rows.get(number=1), other, 0)
    return project


def shows(page: Page, text: str) -> None:
    expect(page.locator(".words blockquote")).to_have_text(text)


def test_an_undo_keeps_what_was_typed_for_the_post_that_it_leaves(
    project: Project, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    page = page_of(make_member(project))
    page.goto(live_server.url + PAGE)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    shows(page, "Two.")
    page.keyboard.press("n")
    page.keyboard.type("half a thought")
    page.keyboard.press("Escape")
    page.keyboard.press("Backspace")
    shows(page, "One.")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    shows(page, "Two.")
    expect(page.locator("#id_note")).to_have_value("half a thought")
    newest = Label.objects.order_by("-pk").first()
    assert newest is not None and newest.category is not None and newest.category.code == 2


def test_what_was_taken_out_of_an_answer_stays_out_after_a_reload(
    project: Project, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    page = page_of(make_member(project))
    page.goto(live_server.url + PAGE)
    page.keyboard.press("1")
    page.keyboard.press("q")
    page.keyboard.press("n")
    page.keyboard.type("Wrong.")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    shows(page, "Two.")
    page.keyboard.press("Backspace")  # the answer stands on the page again
    shows(page, "One.")
    expect(page.locator("[name=low_quality]")).to_be_checked()
    page.keyboard.press("q")
    page.keyboard.press("n")
    page.locator("#id_note").fill("")
    page.reload()
    expect(page.locator("input[name=category][value='1']")).to_be_checked()
    expect(page.locator("[name=low_quality]")).not_to_be_checked()
    expect(page.locator("#id_note")).to_have_value("")


def test_a_change_that_the_connection_lost_is_there_when_its_page_is_opened_again(
    project: Project, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    Project.objects.update(seats=3)
    item = make_open_item(project, "Three.", priority=10, seats=3)
    member = make_member(project)
    label = make_label(item.seat_rows.get(number=1), member, 1)
    page = page_of(member)
    address = f"{live_server.url}{PAGE}own/{label.public_id}/"
    page.goto(address)
    page.keyboard.press("2")
    page.keyboard.press("n")
    page.keyboard.type("looked at and left")
    page.goto(address)
    expect(page.locator("#id_note")).to_have_value("")  # it was never sent
    page.keyboard.press("2")
    page.keyboard.press("n")
    page.keyboard.type("half a thought")
    page.keyboard.press("Escape")
    page.route(address, lambda route: route.abort("internetdisconnected"))
    with page.expect_event("requestfailed"):
        page.keyboard.press("Enter")
    page.unroute(address)
    page.goto(address)
    expect(page.locator("#id_note")).to_have_value("half a thought")
    expect(page.locator("input[name=category][value='2']")).to_be_checked()
    page.keyboard.press("Enter")
    page.wait_for_url(live_server.url + PAGE)
    newest = Label.objects.filter(annotator=member).latest("revision")
    assert (newest.category.code if newest.category else None, newest.note) == (2, "half a thought")


def test_a_picture_that_is_no_longer_open_to_somebody_says_so(
    project: Project, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    page = page_of(make_member(project))
    page.goto(live_server.url + PAGE)
    shows(page, "One.")
    page.route("**/look/", lambda route: route.fulfill(status=302, headers={"Location": "/accounts/login/"}))
    page.keyboard.down("Space")
    expect(page.get_by_text("This page is no longer open to you.")).to_be_visible()


def test_a_long_look_at_one_post_counts_as_work_while_there_are_signs_of_it(
    project: Project, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    page = page_of(make_member(project))
    page.clock.install()
    page.goto(live_server.url + PAGE)
    shows(page, "One.")
    with page.expect_response("**/renew/"):
        page.keyboard.press("n")
        page.keyboard.type("A long note")
        page.clock.fast_forward(119_000)  # two minutes at most count between two acts
