"""The training room by keyboard alone, at both widths; and the same without JavaScript."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.domain.choices import Role, Stage
from annotation.models import Item, KnownAnswer, Membership, Project, TrainingAnswer, TrainingAttempt
from builders import category, make_item, make_member, make_open_item, make_picture, make_project

pytestmark = pytest.mark.django_db(transaction=True)

WIDTHS = [(1440, 900), (390, 844)]


@pytest.fixture
def project() -> Project:
    fields: dict[str, Any] = {"training_required": True, "content_warning": "Some posts may hurt."}
    project = make_project("garden", name="Garden posts", training_pass_percent=75, **fields)
    for code, text in enumerate(("Zero.", "One.", "Two.", "Three.")):
        item = make_item(project, text, stage=Stage.KNOWN, picture=make_picture(project), severity=1)
        why = f"Because it is {text}"
        KnownAnswer.objects.create(item=item, category=category(project, code), explanation=why, training=True)
    make_open_item(project, "The work itself.")
    return project


@pytest.fixture
def wren(project: Project) -> Membership:
    return make_member(project, pseudonym="wren")


@pytest.fixture
def open_as(browser: Browser, live_server: Any) -> Iterator[Callable[..., Page]]:
    """Open a page as a member at a width; nothing may be said in the console, nor asked of another site."""
    faults: list[str] = []
    contexts: list[BrowserContext] = []

    def opened(member: Membership, path: str, size: tuple[int, int], **options: Any) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, locale="en-GB", has_touch=size[0] < 500, **options
        )
        contexts.append(context)
        assert member.user is not None
        client = Client()
        client.force_login(member.user)
        key = client.cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": key, "url": live_server.url}])
        page = context.new_page()
        page.on("console", lambda said: said.type == "error" and faults.append(said.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith(live_server.url) else faults.append(asked.url))
        page.goto(live_server.url + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    # Chromium says of its own accord that an answer was refused with 422.
    assert [fault for fault in faults if "422" not in fault] == []


def key_of(page: Page) -> str:
    """The key of the right answer to the post on the page."""
    text = page.locator(".words blockquote").inner_text()
    return str(KnownAnswer.objects.get(item__text=text).category.code)


def nothing_is_cut_off(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def tab_to(page: Page, words: str) -> None:
    """Walk with Tab to the button or link with these words."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if words in (page.evaluate("document.activeElement.innerText") or ""):
            return
    raise AssertionError(f"Tab never came to {words!r}.")


@pytest.mark.parametrize("size", WIDTHS)
def test_somebody_passes_the_training_by_keyboard_alone_and_labels(
    size: tuple[int, int], wren: Membership, open_as: Callable[..., Page]
) -> None:
    page = open_as(wren, "/p/garden/training/", size)
    keys = page.keyboard
    expect(page.get_by_text("Some posts may hurt.")).to_be_visible()
    nothing_is_cut_off(page)
    tab_to(page, "Begin")
    keys.press("Enter")

    # the picture opens by Space, and only for as long as it is held
    expect(page.locator("#day")).to_have_text("Training, 1 of 4")
    assert "/picture/" not in page.content()
    page.wait_for_load_state()  # a key pressed before the scripts are there is nobody's
    keys.down("Space")
    expect(page.locator("#picture")).not_to_have_class("picture is-hidden is-grey")
    keys.up("Space")
    expect(page.locator("#picture.is-hidden")).to_be_visible()
    nothing_is_cut_off(page)

    for number in range(4):
        expect(page.locator("#day")).to_have_text(f"Training, {number + 1} of 4")
        page.wait_for_load_state()  # a key pressed before the scripts are there is nobody's
        right = key_of(page)
        place = page.locator("#picture").bounding_box()
        if number == 0:
            keys.press("Enter")  # nothing chosen: said in the page, nothing stored
            expect(page.locator("#wrong")).to_contain_text("Choose a category")
        if number == 1:
            keys.press("u")
        elif number == 2:
            keys.press("s")
        else:
            keys.press(right)
        if number != 2:
            keys.press("Enter")
        told = page.locator("#told")
        expect(told).to_contain_text("Because it is")
        expect(told).to_contain_text(
            {1: "“Not sure” is a valid answer", 2: "Skipped."}.get(number, "That is the known answer.")
        )
        expect(told).to_be_in_viewport()
        page.wait_for_load_state()
        nothing_is_cut_off(page)
        assert number == 0 or page.locator("#picture").bounding_box() == place
        keys.press("Enter")
        expect(told).to_have_count(0)

    # 2 right of 3 answered is no pass at 75 %; the second attempt is
    expect(page.locator("#mark")).to_contain_text("2 right of 3 answered: 67 %")
    expect(page.get_by_role("button", name="Try again")).to_be_focused()
    keys.press("Enter")
    for number in range(4):
        expect(page.locator("#day")).to_have_text(f"Training, {number + 1} of 4")
        page.wait_for_load_state()  # a key pressed before the scripts are there is nobody's
        assert page.locator("input[name=category]:checked").count() == 0
        keys.press(key_of(page))
        keys.press("Enter")
        expect(page.locator("#told")).to_contain_text("That is the known answer.")
        page.wait_for_load_state()
        keys.press("Enter")
    expect(page.locator("#mark")).to_contain_text("Passed. You can label now.")
    page.wait_for_load_state()
    nothing_is_cut_off(page)
    keys.press("Enter")
    expect(page.locator(".words blockquote")).to_have_text("The work itself.")
    assert list(TrainingAttempt.objects.values_list("correct", "answered", "total", "passed")) == [
        (2, 3, 4, False),
        (4, 4, 4, True),
    ]


def test_the_training_works_without_javascript(wren: Membership, open_as: Callable[..., Page]) -> None:
    page = open_as(wren, "/p/garden/training/", WIDTHS[1], java_script_enabled=False)
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="Reveal the picture").click()
    expect(page.locator("#picture.is-hidden")).to_have_count(0)
    page.get_by_label("Not sure").check(force=True)
    page.get_by_role("button", name="Answer").click()
    expect(page.locator("#told")).to_contain_text("“Not sure” is a valid answer")
    page.get_by_role("button", name="Next post").click()
    expect(page.locator("#day")).to_have_text("Training, 2 of 4")
    page.wait_for_load_state()  # a key pressed before the scripts are there is nobody's
    assert TrainingAnswer.objects.get().not_sure


@pytest.mark.parametrize("size", WIDTHS)
def test_an_admin_declares_an_answer_and_sees_the_results(
    size: tuple[int, int], project: Project, open_as: Callable[..., Page]
) -> None:
    item = make_item(project, "To be declared.")
    page = open_as(make_member(project, Role.ADMIN), f"/p/garden/items/{item.public_id}/", size)
    page.get_by_role("link", name="Known answer").click()
    page.get_by_label("Known category").select_option("2")
    page.get_by_role("textbox", name="Explanation").fill("The sign says it.")
    page.get_by_label("check: mixed in").check()
    page.get_by_role("button", name="Save as known answer").click()
    expect(page.get_by_text("Known answer saved.")).to_be_visible()
    page.get_by_role("link", name="Training and checks").click()
    expect(page.locator("#known")).to_contain_text("4 for training, 1 checks, 0 set aside")
    nothing_is_cut_off(page)
    assert Item.objects.get(pk=item.pk).stage == Stage.KNOWN
