"""One person's whole way through a campaign, from the invitation to the farewell, and what the lead sees of it.

At a desk in English and on a phone in Korean: the words are those of the catalogues, so that a page that is not
translated is found by whoever looks for its buttons in the other language.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.domain.choices import OnWithdrawal, Role, Stage
from annotation.models import CheckIn, KnownAnswer, Label, Membership, Project, Seat, TrainingAttempt, User
from builders import category, make_item, make_member, make_open_item, make_picture, make_project, make_user

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "garden-gate-at-dusk"
WAYS = {
    "desk": ("en", "en-GB", {"width": 1440, "height": 900}),
    "phone": ("ko", "ko-KR", {"width": 390, "height": 844}),
}


@pytest.fixture
def project() -> Project:
    project = make_project(
        "garden",
        name="Garden posts",
        training_required=True,
        break_after_minutes=1,
        content_warning="Some posts may hurt.",
        on_withdrawal=OnWithdrawal.REMOVE,
    )
    for code, text in enumerate(("Zero.", "One.")):
        item = make_item(project, text, stage=Stage.KNOWN, picture=make_picture(project))
        KnownAnswer.objects.create(item=item, category=category(project, code), explanation="So it is.", training=True)
    for text in ("The first post.", "The second post."):
        make_open_item(project, text, picture=make_picture(project))
    return project


@pytest.fixture(params=WAYS)
def opened(request: Any, browser: Browser, live_server: Any) -> Iterator[Callable[..., Page]]:
    """Browsers of this way's size and language; no page is wider than its screen, and none reports an error."""
    language, locale, size = WAYS[request.param]
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def new(user: User | None = None) -> Page:
        context = browser.new_context(viewport=size, locale=locale, base_url=live_server.url)  # type: ignore[arg-type]  # a viewport is such a mapping
        context.set_default_timeout(30_000)
        contexts.append(context)
        if user is not None:
            client = Client()
            client.force_login(user)
            key = client.cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": key, "url": live_server.url}])
        page = context.new_page()
        page.on("console", lambda said: faults.extend([said.text] * (said.type == "error")))
        page.on("pageerror", lambda error: faults.append(str(error)))
        return page

    with translation.override(language):
        yield new
    for context in contexts:
        context.close()
    assert [fault for fault in faults if "404" not in fault] == []  # Chromium tells of a 404 by itself


def said(text: str) -> str:
    """The text in the language of this way, without its placeholders."""
    return translation.gettext(text)


def fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url


def right_key(page: Page) -> str:
    text = page.locator(".words blockquote").inner_text()
    return str(KnownAnswer.objects.get(item__text=text).category.code)


def test_somebody_is_invited_agrees_trains_labels_rests_looks_back_and_leaves(
    project: Project, opened: Callable[..., Page]
) -> None:
    lead = opened(make_member(project, Role.ADMIN, user=make_user("lead")).user)
    lead.goto("/p/garden/people/")
    lead.get_by_role("button", name=said("Create invitation link")).click()
    link = lead.get_by_label(said("Link of the invitation")).input_value()
    fits(lead)

    # Invited, and agreed
    page = opened()
    keys = page.keyboard
    page.goto(link)
    fits(page)
    page.get_by_label(said("User name")).fill("wren")
    page.get_by_label(said("Password"), exact=True).fill(PASSWORD)
    page.get_by_label(said("Repeat the password")).fill(PASSWORD)
    page.get_by_role("button", name=said("Make the account and join")).click()
    expect(page.get_by_text("Some posts may hurt.")).to_be_visible()
    fits(page)
    page.locator("input[name=agree]").check()
    page.get_by_role("button", name=said("Start")).click()
    wren = Membership.objects.get(user__username="wren")

    # The training comes first
    for _post in range(2):
        expect(page.locator("#answer")).to_be_visible()
        page.wait_for_load_state()  # a key pressed before the scripts are there is nobody's
        keys.press(right_key(page))
        keys.press("Enter")
        expect(page.locator("#told")).to_contain_text("So it is.")
        page.wait_for_load_state()
        fits(page)
        keys.press("Enter")
        expect(page.locator("#told")).to_have_count(0)
    expect(page.locator("#mark")).to_contain_text(said("Passed. You can label now."))
    page.wait_for_load_state()
    assert TrainingAttempt.objects.get().passed
    keys.press("Enter")

    # Labelling, and a break
    expect(page.locator(".words blockquote")).to_have_text(re.compile("post"))
    page.wait_for_load_state()
    fits(page)
    seat = page.locator("#answer").get_attribute("data-seat")
    keys.press("1")
    keys.press("Enter")
    expect(page.locator("#answer")).not_to_have_attribute("data-seat", str(seat))
    keys.press("p")
    page.wait_for_url("**/pause/")
    expect(page.get_by_role("link", name=said("Back to work"))).to_be_focused()
    fits(page)
    page.locator("form[action*='check-in'] button").first.click()
    page.wait_for_url("**/check-in/")
    fits(page)
    assert CheckIn.objects.filter(mood__isnull=False).count() == 1

    # Looking back
    page.goto("/p/garden/history/")
    expect(page.locator("main table, main .rows").first).to_be_visible()
    fits(page)
    page.goto("/p/garden/hours/mine/")
    fits(page)
    assert Label.objects.get().annotator == wren

    # What the lead sees
    for tab in ("batches", "people", "training/setup", "quality", "influence", "care/settings", "hours", "dashboard"):
        answer = lead.goto(f"/p/garden/{tab}/")
        assert answer is not None and answer.status == 200, tab
        fits(lead)
    lead.goto("/p/garden/people/")
    expect(lead.get_by_role("link", name="wren")).to_be_visible()
    check_ins = lead.goto("/p/garden/check-in/")
    assert check_ins is not None and check_ins.status == 404  # what somebody feels is nobody's but their own

    # Farewell
    page.goto("/p/garden/leave/")
    fits(page)
    page.get_by_role("button", name=said("Leave the project")).click()
    page.wait_for_url(re.compile(r"/$"))
    wren.refresh_from_db()
    assert not wren.active and not Seat.objects.filter(label__isnull=False, item__stage=Stage.LABELLING).exists()
    lead.reload()
    lead.goto("/p/garden/people/")
    expect(lead.get_by_text(said("withdrew"))).to_be_visible()
