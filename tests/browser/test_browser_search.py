"""Finding items, changing many of them, and a project's end: on a desk and on a phone, without a script too."""

import os
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect

import builders
from annotation.consensus.close import close_item
from annotation.domain.choices import Role, Stage
from annotation.models import Batch, Item, Project, SavedSearch, User

PASSWORD = "a long enough passphrase"
WIDTHS = {"desk": 1440, "phone": 390}

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    project = builders.make_project("garden", name="The garden")
    for name in ("pilot", "first", "second"):
        Batch.objects.create(project=project, name=name)
    trio = [builders.make_member(project, pseudonym=name) for name in ("ada", "bea", "cyd")]
    for number, codes in enumerate([(1, 1, 1), (0, 1, 0), (0, 1, 2), (0, 0, None), (2, 2, 2)] * 3):
        item = builders.make_labelled_item(
            project,
            trio,
            codes,
            text=f"Weeds in the white roses, number {number}",
            batch="pilot",
            target_group="Gardeners",
        )
        close_item(item)
    for number in range(6):
        builders.make_item(project, f"Whose hedge is it, {number}", batch="first")
    return project


@pytest.fixture
def admin(project: Project) -> User:
    user = builders.make_user("heron", PASSWORD)
    builders.make_member(project, Role.ADMIN, Role.REVIEWER, user=user, pseudonym="Heron")
    return user


def signed_in(
    browser: Browser, live_server, user: User, width: int, *, scripts: bool = True, scheme: str = "light"
) -> Page:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        base_url=live_server.url,
        locale="en-GB",
        java_script_enabled=scripts,
        color_scheme=scheme,
    )
    context.set_default_timeout(30_000)
    client = Client()
    client.force_login(user)
    context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": client.cookies["sessionid"].value, "url": live_server.url}]
    )
    return context.new_page()


def fits(page: Page) -> None:
    """Nothing makes the page wider than the screen."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def seen(page: Page, name: str) -> None:
    """Keep a picture of the page where somebody wants to look (SHOTS names a folder)."""
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


@pytest.mark.parametrize("width", WIDTHS.values(), ids=list(WIDTHS))
def test_filters_are_folded_become_chips_and_go_away_one_by_one(browser, live_server, project, admin, width):
    page = signed_in(browser, live_server, admin, width)
    page.goto("/p/garden/items/")
    seen(page, f"items-{width}")
    fits(page)
    boxes = page.get_by_role("group", name="Stage", exact=True)
    expect(boxes).to_be_hidden()
    page.locator(".find details.fold > summary").click()
    boxes.get_by_label("gold", exact=True).check()
    boxes.get_by_label("disputed", exact=True).check()
    page.get_by_role("group", name="Labelled by").get_by_label("ada").check()
    seen(page, f"filters-{width}")
    fits(page)
    page.get_by_role("button", name="Find").last.click()
    expect(page.get_by_text("15 items")).to_be_visible()
    chips = page.get_by_role("list", name="Active filters").get_by_role("link")
    expect(chips).to_have_count(3)
    chips.filter(has_text="stage: disputed").click()
    expect(page.get_by_text("9 items")).to_be_visible()
    expect(chips).to_have_count(2)

    page.get_by_text("Save this search").click()
    page.get_by_label("Name").fill("Gold of Ada")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="Gold of Ada")).to_have_attribute("aria-current", "true")
    seen(page, f"found-{width}")
    fits(page)
    assert SavedSearch.objects.get().query == "annotator=ada&order=oldest&stage=gold"
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert len(Path(download.value.path()).read_text().splitlines()) == 10
    page.goto("/p/garden/items/searches/")
    seen(page, f"searches-{width}")
    fits(page)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
@pytest.mark.parametrize("width", WIDTHS.values(), ids=list(WIDTHS))
def test_many_items_change_after_a_page_that_says_what_will(browser, live_server, project, admin, width, scripts):
    page = signed_in(browser, live_server, admin, width, scripts=scripts)
    page.goto("/p/garden/items/?stage=gold")
    page.get_by_label("Change several").select_option("withdraw")
    page.get_by_role("button", name="All 9 found").click()
    expect(page.get_by_role("heading", name="Take out: 9 items")).to_be_visible()
    page.get_by_role("button", name="Change 9 items").click()
    expect(page.locator(".wrong").first).to_be_visible()
    page.get_by_label("Reason").fill("The source asked us to.")
    seen(page, f"confirm-{width}")
    fits(page)
    page.get_by_role("button", name="Change 9 items").click()
    expect(page.get_by_text("changed", exact=True)).to_be_visible()
    seen(page, f"changed-{width}")
    assert Item.objects.filter(stage=Stage.EXCLUDED).count() == 9

    page.goto("/p/garden/items/?batch=first")
    page.get_by_role("checkbox", name="Choose").first.check()
    page.get_by_label("Change several").select_option("batch")
    page.get_by_role("button", name="The chosen ones").click()
    page.get_by_label("Batch").fill("second")
    page.get_by_role("button", name="Change 1 item").click()
    expect(page.get_by_text("changed", exact=True)).to_be_visible()
    assert Item.objects.filter(batch="second").count() == 1


@pytest.mark.parametrize("width", WIDTHS.values(), ids=list(WIDTHS))
def test_a_project_is_copied_archived_deleted_and_kept(browser, live_server, project, admin, width):
    page = signed_in(browser, live_server, admin, width, scheme="dark")
    page.goto("/p/garden/life/")
    seen(page, f"life-{width}")
    fits(page)
    page.get_by_role("link", name="Copy", exact=True).click()
    page.get_by_label("Name").fill("A second garden")
    page.get_by_label("Address").fill("garden-2")
    seen(page, f"clone-{width}")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("Copy created")).to_be_visible()

    page.goto("/p/garden/life/")
    page.get_by_role("button", name="Archive the project").click()
    expect(page.get_by_text("This project is archived.")).to_be_visible()
    page.get_by_role("button", name="Work in it again").click()
    page.get_by_role("link", name="See what would be lost").click()
    page.get_by_label("The project’s name").fill("The garden")
    page.get_by_label("Your password").fill("not mine")
    page.get_by_role("button", name="Delete in seven days").click()
    expect(page.get_by_text("That is not your password.")).to_be_visible()
    seen(page, f"delete-{width}")
    fits(page)
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Delete in seven days").click()
    expect(page.get_by_text("This project will be deleted on")).to_be_visible()
    page.goto("/p/garden/items/")
    seen(page, f"closing-{width}")
    fits(page)
    page.get_by_role("link", name="Cancel the deletion").click()
    page.get_by_role("button", name="Cancel the deletion").click()
    expect(page.get_by_text("Deletion cancelled.")).to_be_visible()
    project.refresh_from_db()
    assert project.delete_after is None


@pytest.mark.parametrize("width", (390, 320))
def test_long_words_in_filters_make_no_page_wider_than_the_screen(browser, live_server, project, admin, width):
    page = signed_in(browser, live_server, admin, width)
    for key in ("q", "text", "picture_text", "id", "batch", "target_group", "stage", "n" * 300):
        for value in ("x" * 40, "가" * 900, "x" * 1001, "https://" + "a-" * 450, "W." * 400):
            page.goto(f"/p/garden/items/?{key}={value}")
            fits(page)
    page.context.close()
