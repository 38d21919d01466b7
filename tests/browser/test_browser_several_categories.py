"""Several categories for a post in a real browser: by keyboard alone at two widths, and without scripts."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.domain.choices import PriorDisplay
from annotation.models import Category, Item, Label, Membership, Project
from annotation.projects.create import create_project
from annotation.projects.templates import template
from builders import make_member, make_open_item, make_picture

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/p/petals/label/"
NEXT_IS_THERE = """seat => document.readyState === "complete" && document.getElementById("main")
    && document.getElementById("answer")?.dataset.seat !== seat"""


@pytest.fixture
def project() -> Project:
    """A project with the nine categories of K-MHaS and three posts with pictures."""
    project = create_project("petals", name="Petals", design=template("k-mhas"))
    Project.objects.update(is_open=True)
    for place, text in enumerate(("One.", "Two.", "Three.")):
        make_open_item(project, text, picture=make_picture(project), priority=3 - place)
    return project


@pytest.fixture
def wren(project: Project) -> Membership:
    return make_member(project, pseudonym="wren")


def ticked(page: Page) -> list[str]:
    values: list[str] = page.locator("input[name=categories]:checked").evaluate_all("all => all.map(box => box.value)")
    return values


def next_post(page: Page) -> None:
    seat = page.locator("#answer").get_attribute("data-seat")
    page.keyboard.press("Enter")
    page.wait_for_function(NEXT_IS_THERE, arg=seat)


def codes_of(text: str) -> tuple[int, ...]:
    return Label.objects.filter(item__text=text).select_related("category").latest("revision").codes


@pytest.mark.parametrize("width", [1440, 390])
def test_keys_tick_categories_and_enter_sends_them(
    project: Project, wren: Membership, page_of: Callable[[Membership], Page], live_server: Any, width: int
) -> None:
    page = page_of(wren)
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(live_server.url + PAGE)
    keys = page.keyboard
    expect(page.locator("#together")).to_contain_text("Choose one or more.")

    for key in ("1", "3", "5", "3"):  # the second press of 3 takes its tick away
        keys.press(key)
    assert ticked(page) == ["1", "5"]
    expect(page.locator("#definition")).to_contain_text("Physical")
    keys.down("Space")  # still shows the picture, and changes no tick
    expect(page.locator("#picture img.original")).to_be_visible()
    keys.up("Space")
    assert ticked(page) == ["1", "5"]
    next_post(page)
    assert codes_of("One.") == (1, 5)

    keys.press("2")
    keys.press("u")
    assert ticked(page) == []
    assert page.locator("input[value=not_sure]").is_checked()
    keys.press("2")
    assert ticked(page) == ["2"]
    assert not page.locator("input[value=not_sure]").is_checked()
    keys.press("7")
    page.reload()
    assert ticked(page) == ["2", "7"]  # what was ticked survives
    next_post(page)
    assert codes_of("Two.") == (2, 7)

    keys.press("Backspace")
    expect(page.get_by_role("button", name="Save the change")).to_be_visible()
    assert ticked(page) == ["2", "7"]
    keys.press("4")
    next_post(page)
    assert codes_of("Two.") == (2, 4, 7)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_harmless_category_beside_others_is_refused_and_every_tick_stays(
    project: Project, wren: Membership, context: BrowserContext, live_server: Any
) -> None:
    assert wren.user is not None
    client = Client()
    client.force_login(wren.user)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
    page = context.new_page()
    page.goto(live_server.url + PAGE)
    for key in ("2", "7", "8", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#wrong")).to_contain_text("Politics, Religion, NotHateSpeech cannot be chosen together")
    assert ticked(page) == ["2", "7", "8"]
    page.keyboard.press("8")
    next_post(page)
    assert codes_of("One.") == (2, 7)


def test_a_first_answer_keeps_its_set_when_the_priors_open(
    project: Project, wren: Membership, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    Project.objects.update(prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
    item = Item.objects.get(text="One.")
    item.priors.create(modality="text", category=Category.objects.get(code=8), explanation="About petals.", model="m")
    page = page_of(wren)
    page.goto(live_server.url + PAGE)
    for key in ("0", "4"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.get_by_text("You said:")).to_be_visible()
    assert ticked(page) == ["0", "4"]
    page.keyboard.press("0")
    next_post(page)
    label = Label.objects.get()
    assert label.first_answer["categories"] == [0, 4]
    assert label.codes == (4,)


def test_without_scripts_boxes_and_a_button_do_the_same(
    project: Project, wren: Membership, browser: Browser, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    signed_in = page_of(wren)
    plain = browser.new_context(java_script_enabled=False)
    plain.add_cookies(signed_in.context.cookies(live_server.url))
    page = plain.new_page()
    page.goto(live_server.url + PAGE)
    for code in ("3", "6"):
        page.check(f"input[name=categories][value='{code}']", force=True)
    page.click("[data-submit]")
    expect(page.locator(".words blockquote")).to_have_text("Two.")
    assert codes_of("One.") == (3, 6)
    plain.close()
