"""Hints of the training come one at a time, go when what they name was done, and name no keys where there are none."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.domain.choices import Stage
from annotation.models import KnownAnswer, Membership, Project
from builders import category, make_item, make_member, make_picture, make_project

pytestmark = pytest.mark.django_db(transaction=True)


def training(project: Project) -> None:
    for number in range(3):
        item = make_item(project, text=f"Weeds {number}.", stage=Stage.KNOWN, picture=make_picture(project))
        KnownAnswer.objects.create(item=item, category=category(project, 1), training=True)


def test_each_hint_goes_when_its_key_was_pressed_and_nothing_moves(
    page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    project = make_project("garden", training_required=True)
    training(project)
    page = page_of(make_member(project, consent_version=0))
    page.goto(f"{live_server.url}/p/garden/consent/")
    page.get_by_label("I have read this and agree").check()
    page.get_by_role("button", name="Start").click()
    hint = page.locator("#hints li:visible")
    expect(hint).to_have_text("Hold Space to see the picture.", use_inner_text=True)
    place = page.locator("#picture").bounding_box()
    page.keyboard.down(" ")
    expect(hint).to_have_text("Press the key of the category that fits the whole post.", use_inner_text=True)
    page.keyboard.up(" ")
    page.keyboard.press("1")
    expect(hint).to_have_text("Enter sends your answer.", use_inner_text=True)
    assert page.locator("#picture").bounding_box() == place
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Next post")).to_be_visible()
    page.keyboard.press("Enter")
    expect(hint).to_have_text("Unsure what counts? G opens the guidelines.", use_inner_text=True)
    page.keyboard.press("g")
    expect(page.locator("#drawer")).to_be_visible()
    expect(hint).to_have_count(0)


def test_a_phone_is_told_of_no_keys(page_of: Callable[[Membership], Page], live_server: Any, browser: Browser) -> None:
    project = make_project("garden", training_required=True)
    training(project)
    member = make_member(project)
    cookies = page_of(member).context.cookies()
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto(f"{live_server.url}/p/garden/training/")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#hints li:visible")).to_contain_text("Touch “Hold to reveal”")
    assert "Space" not in page.locator("#hints").inner_text() and page.locator("#hints kbd:visible").count() == 0
    context.close()
