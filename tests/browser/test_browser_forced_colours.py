"""Where the system chooses the colours: what is pressed, chosen or done is seen by more than bold letters."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Membership
from builders import make_member, make_open_item, make_picture, make_project
from question_builders import make_all_questions

pytestmark = pytest.mark.django_db(transaction=True)

GROUND = "each => getComputedStyle(each).backgroundColor"


def test_what_is_pressed_and_chosen_is_filled_and_the_bar_is_framed(
    page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    project = make_project("garden", daily_goal=4)
    make_all_questions(project)
    make_open_item(project, "One.", picture=make_picture(project))
    page = page_of(make_member(project))
    page.emulate_media(forced_colors="active")
    page.goto(f"{live_server.url}/p/garden/label/")
    page.keyboard.press("1")
    page.locator(".question label").first.click()
    for chosen, other in (
        (".key:has(:checked)", ".key:not(:has(:checked))"),
        (".question .is-toggle:has(:checked)", ".question .is-toggle:not(:has(:checked))"),
        (".stage-tools [aria-pressed=true]", ".stage-tools [aria-pressed=false]"),
    ):
        expect(page.locator(chosen).first).to_be_visible()
        grounds = [page.locator(each).first.evaluate(GROUND) for each in (chosen, other)]
        assert grounds[0] != grounds[1], chosen
    bar = page.get_by_role("progressbar").evaluate("bar => getComputedStyle(bar).borderTopStyle")
    assert bar == "solid"
