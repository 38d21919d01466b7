"""Posts that are hard to show: right to left, very long, pictures much taller or wider than the window."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Membership, Project
from builders import make_labelled_item, make_member, make_open_item, make_picture, make_project

pytestmark = pytest.mark.django_db(transaction=True)

Opens = Callable[[Membership], Page]
TALL, WIDE = (300, 4000), (4000, 300)
ARABIC = "حديقة جميلة (weeds) عادت مرة أخرى! 12:30 " * 3
LONG = "A remark about the garden. " * 740
SIZES = "figure => [figure.scrollWidth > figure.clientWidth, figure.scrollHeight > figure.clientHeight]"
PAGE = "[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def reviewer(project: Project) -> Membership:
    return make_member(project, Role.REVIEWER)


def disputed(project: Project, text: str, size: tuple[int, int] | None = None) -> Item:
    picture = make_picture(project, size) if size else None
    trio = [make_member(project) for _ in range(3)]
    item = make_labelled_item(project, trio, (0, 1, 2), text=text, picture=picture)
    close_item(item)
    return item


@pytest.mark.parametrize(("size", "scrolls"), [(TALL, [False, True]), (WIDE, [True, False])])
def test_a_tall_or_wide_picture_is_scrolled_at_the_desk(
    project: Project,
    reviewer: Membership,
    page_of: Opens,
    live_server: LiveServer,
    size: tuple[int, int],
    scrolls: object,
) -> None:
    item, page = disputed(project, "A garden.", size), page_of(reviewer)
    page.goto(f"{live_server.url}/p/garden/desk/{item.public_id}/")
    figure = page.locator("[data-picture]")
    page.keyboard.press("z")  # nothing while it is blurred
    assert "is-zoomed" not in (figure.get_attribute("class") or "")
    page.keyboard.press("Space")
    page.keyboard.press("z")
    expect(page.get_by_role("button", name="Zoom")).to_have_attribute("aria-pressed", "true")
    assert figure.evaluate(SIZES) == scrolls
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Zoom")).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="Hide").click()
    expect(page.get_by_role("button", name="Zoom")).to_be_hidden()


@pytest.mark.parametrize("width", [1440, 390])
def test_the_item_page_shows_a_tall_picture_whole_within_the_window(
    project: Project, reviewer: Membership, page_of: Opens, live_server: LiveServer, width: int
) -> None:
    item, page = disputed(project, "A garden.", TALL), page_of(reviewer)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{live_server.url}/p/garden/items/{item.public_id}/")
    page.get_by_role("link", name="Show").click()
    expect(page.get_by_role("button", name="Hide")).to_be_visible()
    assert page.locator("[data-picture]").evaluate("figure => figure.offsetHeight") <= 720
    assert page.evaluate(PAGE)[0] <= 0


def test_an_annotator_scrolls_a_zoomed_tall_picture(project: Project, page_of: Opens, live_server: LiveServer) -> None:
    make_open_item(project, "A garden.", picture=make_picture(project, TALL))
    page = page_of(make_member(project))
    page.goto(f"{live_server.url}/p/garden/label/")
    page.keyboard.press("b")
    page.keyboard.press("z")
    assert page.locator("#picture").evaluate(SIZES) == [False, True]
    page.keyboard.press("Escape")
    assert page.evaluate(PAGE)[0] <= 0


def test_a_long_post_scrolls_with_its_column_alone_and_the_desk_is_as_high_as_the_window(
    project: Project, reviewer: Membership, page_of: Opens, live_server: LiveServer
) -> None:
    item, page = disputed(project, LONG), page_of(reviewer)
    page.goto(f"{live_server.url}/p/garden/desk/{item.public_id}/")
    assert page.evaluate(PAGE) == [0, 0]
    assert page.locator(".post-text").evaluate("text => text.scrollHeight - text.clientHeight") <= 0
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/p/garden/items/{item.public_id}/")
    assert page.evaluate(PAGE)[0] <= 0


@pytest.mark.parametrize("address", ["desk", "items"])
def test_arabic_begins_at_the_right_and_says_its_script(
    project: Project, reviewer: Membership, page_of: Opens, live_server: LiveServer, address: str
) -> None:
    item, page = disputed(project, ARABIC), page_of(reviewer)
    page.goto(f"{live_server.url}/p/garden/{address}/{item.public_id}/")
    text = page.locator(".post-text > bdi")
    assert text.evaluate("bdi => [getComputedStyle(bdi).direction, getComputedStyle(bdi).display]") == ["rtl", "block"]
    expect(page.locator(".post-text")).to_have_attribute("lang", "und-Arab")
    expect(page.get_by_text("In Arabic script")).to_be_visible()
