"""One's own care in a real browser, by keyboard alone, on a desk and on a phone: choices, limits, a check-in."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from annotation.domain.choices import Role
from annotation.models import CheckIn, Membership, OptOut, Project, User, WorkDay
from builders import make_member, make_open_item, make_picture, make_project

pytestmark = pytest.mark.django_db(transaction=True)

SIZES = {"desk": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}


@pytest.fixture
def project() -> Project:
    return make_project("garden", name="Garden posts")


@pytest.fixture
def wren(project: Project) -> Membership:
    return make_member(project, pseudonym="wren")


@pytest.fixture(params=SIZES)
def page(request: Any, browser: Browser, live_server: Any) -> Iterator[Page]:
    """A page of each size, signed in by `open_as`; nothing goes wrong on it, and it is never wider than the screen."""
    context = browser.new_context(viewport=SIZES[request.param], locale="en-GB", base_url=live_server.url)
    context.set_default_timeout(30_000)
    fresh = context.new_page()
    faults: list[str] = []
    fresh.on("console", lambda said: faults.extend([said.text] * (said.type == "error")))
    fresh.on("pageerror", lambda error: faults.append(str(error)))
    yield fresh
    width = fresh.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert (faults, width) == ([], SIZES[request.param]["width"])


def open_as(page: Page, member: Membership, path: str, origin: str) -> None:
    client = Client()
    client.force_login(member.user)
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": key, "url": origin}])
    page.goto(path)


def press_tab_until(page: Page, name: str) -> None:
    """Walk through the page by Tab until the field or button with this name has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        here = "e => [e.ariaLabel, e.labels?.[0]?.innerText, e.innerText].some(text => text?.trim() === name)"
        if page.evaluate(f"name => ({here})(document.activeElement)", name):
            return
    raise AssertionError(f"{name} cannot be reached by Tab")


def test_opting_out_and_own_limits_by_keyboard(page, wren, live_server):
    open_as(page, wren, "/p/garden/care/", live_server.url)
    press_tab_until(page, "2 Sexist")
    page.keyboard.press("Space")
    press_tab_until(page, "Groups, one per line")
    page.keyboard.type("bakers")
    press_tab_until(page, "Minutes per day")
    page.keyboard.type("90")
    press_tab_until(page, "Save")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved. It applies from now on.")).to_be_visible()
    expect(page.get_by_label("2 Sexist")).to_be_checked()
    assert {(row.category_id is not None, row.target_group) for row in OptOut.objects.all()} == {
        (True, ""), (False, "bakers"),
    }  # fmt: skip
    wren.refresh_from_db()
    assert wren.minutes_a_day == 90


def test_a_closed_text_opens_by_its_key_and_pictures_are_as_chosen(page, project, wren, live_server):
    make_open_item(project, "A gate stands open.", picture=make_picture(project))
    User.objects.filter(pk=wren.user_id).update(fold_text=True, sepia=True, picture_size="small", blur_strength="blank")
    open_as(page, wren, "/p/garden/label/", live_server.url)
    text = page.get_by_text("A gate stands open.")
    picture = page.locator("#picture img").first
    expect(text).to_be_hidden()
    page.keyboard.press("t")
    expect(text).to_be_visible()
    page.keyboard.press("t")
    expect(text).to_be_hidden()
    shown = picture.evaluate("e => getComputedStyle(e).filter")
    assert shown == "grayscale(1) sepia(1) opacity(0)"
    assert picture.bounding_box()["width"] <= 240
    page.keyboard.down("Space")
    original = page.locator("#picture img.original")
    expect(original).to_be_visible()
    assert original.evaluate("e => getComputedStyle(e).filter") == "grayscale(1) sepia(1)"
    page.keyboard.up("Space")
    page.keyboard.press("z")
    assert page.locator("#picture").bounding_box()["width"] >= 390


def test_every_next_text_is_closed_also_after_one_was_opened(page, project, wren, live_server):
    for number in range(3):
        make_open_item(project, f"Gate {number} stands open.", priority=9 - number)
    User.objects.filter(pk=wren.user_id).update(fold_text=True)
    open_as(page, wren, "/p/garden/label/", live_server.url)
    for number in range(3):
        text = page.get_by_text(f"Gate {number} stands open.")
        expect(text).to_have_count(1)
        expect(text).to_be_hidden()
        page.keyboard.press("t")
        expect(text).to_be_visible()
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        expect(text).to_have_count(0)


def test_the_question_after_work_is_answered_by_keyboard_and_never_asked_twice(page, wren, live_server):
    WorkDay.objects.create(member=wren, day=timezone.localdate(), labels=1)
    open_as(page, wren, "/p/garden/pause/", live_server.url)
    expect(page.get_by_role("link", name="Back to work")).to_be_focused()
    press_tab_until(page, "Hard")
    page.keyboard.press("Enter")
    page.wait_for_url("**/check-in/")
    expect(page.get_by_role("button", name="Hard", exact=True)).to_have_attribute("aria-pressed", "true")
    assert CheckIn.objects.get().mood == 2
    page.goto("/p/garden/pause/")
    expect(page.get_by_role("button", name="Hard", exact=True)).to_have_count(0)


def test_an_admin_sets_caps_by_keyboard(page, project, live_server):
    admin = make_member(project, Role.ADMIN)
    open_as(page, admin, "/p/garden/care/settings/", live_server.url)
    press_tab_until(page, "Severe posts per day at most")
    page.keyboard.type("25")
    press_tab_until(page, "Save settings")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Settings saved.")).to_be_visible()
    project.refresh_from_db()
    assert project.severe_a_day == 25


@pytest.mark.parametrize("page", ["desk"], indirect=True)
@pytest.mark.parametrize(("use", "pressed", "shown"), [("alt", "Alt+1", "Alt+S"), ("off", None, None)])
def test_letters_and_digits_act_with_alt_or_not_at_all(page, project, wren, live_server, use, pressed, shown):
    """WCAG 2.1.4: a word that a computer hears, or a brush against the keyboard, presses nothing."""
    make_open_item(project, "A gate stands open.", picture=make_picture(project))
    User.objects.filter(pk=wren.user_id).update(keys=use)
    open_as(page, wren, "/p/garden/label/", live_server.url)
    skip, here = page.get_by_role("button", name="Skip").first, page.url
    assert skip.get_attribute("aria-keyshortcuts") == (shown and shown.replace("S", "s"))
    for key in "01uqsrgpt?":
        page.keyboard.press(key)
    expect(page.locator("#bench input:checked, dialog[open], :popover-open")).to_have_count(0)
    assert page.url == here
    caps = [
        cap for cap in page.locator("kbd:visible").all_text_contents() if len(cap.strip()) == 1 and cap.strip() != "⌫"
    ]
    assert caps == []
    if pressed:
        page.keyboard.press(pressed)
        expect(page.locator("#bench input:checked")).to_have_count(1)
        begins_an_accent = {"type": "keyDown", "modifiers": 1, "key": "Dead", "code": "KeyU"}  # on a Mac
        page.context.new_cdp_session(page).send("Input.dispatchKeyEvent", begins_an_accent)
        expect(page.locator("#bench input[value=not_sure]")).to_be_checked(timeout=5_000)
    else:
        page.locator(".key").first.click()
    page.get_by_role("button", name="Note").first.click()
    page.locator("#id_note").press_sequentially("10 suns")  # a field takes every key
    expect(page.locator("#id_note")).to_have_value("10 suns")
