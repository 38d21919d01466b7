"""Invite, accept, agree, label and leave in a browser, at two sizes; the second step; taking data along; erasing."""

from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.domain.choices import OnWithdrawal, Role, SecondFactor
from annotation.models import Invitation, Label, Membership, Project, Seat, User
from builders import make_member, make_open_item, make_project, make_user

pytestmark = pytest.mark.django_db(transaction=True)

SIZES = {"desktop": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}
PASSWORD = "garden-gate-at-dusk"


@pytest.fixture
def project() -> Project:
    project = make_project("garden", name="Posts about gardens", on_withdrawal=OnWithdrawal.REMOVE)
    make_open_item(project, "A post about roses.")
    return project


@pytest.fixture
def admin(project: Project) -> Membership:
    return make_member(project, Role.ADMIN, user=make_user("lead"))


def person_at(browser: Browser, origin: str, size: str, user: User | None = None) -> BrowserContext:
    context = browser.new_context(viewport=SIZES[size], locale="en-GB", base_url=origin, is_mobile=size == "phone")  # type: ignore[arg-type]  # a viewport is such a mapping
    context.set_default_timeout(30_000)
    if user is not None:
        client = Client()
        client.force_login(user)
        key = client.cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": key, "url": origin}])
    return context


def fits(page: Page) -> bool:
    width: int = page.evaluate("document.documentElement.scrollWidth")
    return width <= page.viewport_size["width"] if page.viewport_size else False


@pytest.mark.parametrize("size", list(SIZES))
def test_invite_accept_consent_label_and_leave(
    project: Project, admin: Membership, browser: Browser, live_server: Any, size: str
) -> None:
    desk = person_at(browser, live_server.url, size, admin.user)
    page = desk.new_page()
    page.goto("/p/garden/people/")
    assert fits(page)
    page.get_by_label("Note for the admins").fill("for the Tuesday group")
    page.get_by_role("button", name="Create invitation link").click()
    link = page.get_by_label("Link of the invitation").input_value()
    assert fits(page)
    page.goto("/p/garden/people/")
    expect(page.get_by_label("Link of the invitation")).to_have_count(0)

    guest = person_at(browser, live_server.url, size)
    theirs = guest.new_page()
    faults: list[str] = []
    theirs.on("console", lambda said: faults.extend([said.text] * (said.type == "error")))
    theirs.goto(link)
    expect(theirs.get_by_text("Posts about gardens")).to_be_visible()
    assert fits(theirs)
    theirs.get_by_label("User name").fill("wren")
    theirs.get_by_label("Password", exact=True).fill(PASSWORD)
    theirs.get_by_label("Repeat the password").fill(PASSWORD)
    theirs.get_by_role("button", name="Make the account and join").click()
    expect(theirs.get_by_text("your labels no longer count")).to_be_visible()
    assert fits(theirs)
    theirs.get_by_label("I have read this and agree").check()
    theirs.get_by_role("button", name="Start").click()
    expect(theirs.get_by_text("A post about roses.")).to_be_visible()
    theirs.wait_for_load_state()  # a key pressed before the scripts are there is nobody's
    theirs.keyboard.press("1")
    theirs.keyboard.press("Enter")
    expect(theirs.get_by_text("A post about roses.")).to_have_count(0)
    assert Label.objects.get().annotator.user == User.objects.get(username="wren")

    theirs.goto("/p/garden/leave/")
    assert fits(theirs)
    theirs.get_by_role("button", name="Leave the project").click()
    expect(theirs.get_by_text("You have left Posts about gardens")).to_be_visible()
    assert not Seat.objects.filter(label__isnull=False).exists()
    assert faults == []

    page.goto("/p/garden/people/")
    expect(page.get_by_text("withdrew")).to_be_visible()
    expect(page.get_by_text("wren")).to_have_count(0)  # their name went with them
    page.get_by_role("link", name=Membership.objects.get(user__username="wren").pseudonym).first.click()
    expect(page.get_by_text("They chose to leave")).to_be_visible()
    assert fits(page)
    assert Invitation.objects.get().accepted_by == Membership.objects.get(user__username="wren")
    desk.close()
    guest.close()


@pytest.mark.parametrize("size", list(SIZES))
def test_who_needs_a_second_step_is_shown_the_way(
    project: Project, admin: Membership, browser: Browser, live_server: Any, size: str
) -> None:
    Project.objects.update(second_factor=SecondFactor.EVERYONE)
    member = make_member(project)
    context = person_at(browser, live_server.url, size, member.user)
    page = context.new_page()
    page.goto("/p/garden/label/")
    assert fits(page)
    page.get_by_role("link", name="Set it up").click()
    expect(page.get_by_role("heading", name="Two-step sign-in")).to_be_visible()
    Authenticator.objects.create(user=member.user, type="totp", data={})
    page.goto("/p/garden/label/")
    expect(page.get_by_text("A post about roses.")).to_be_visible()
    context.close()


@pytest.mark.parametrize("size", list(SIZES))
def test_somebody_takes_their_data_along_and_erases_the_account(
    project: Project, browser: Browser, live_server: Any, size: str
) -> None:
    user = make_user("wren", PASSWORD)
    make_member(project, user=user)
    context = person_at(browser, live_server.url, size, user)
    page = context.new_page()
    page.goto("/me/data/")
    assert fits(page)
    with page.expect_download() as taken:
        page.get_by_role("link", name="Download (JSON)").click()
    assert taken.value.suggested_filename == "interplay-my-data.json"
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Erase my account").click()
    expect(page.get_by_text("Your account is erased")).to_be_visible()
    assert not User.objects.filter(username="wren").exists()
    context.close()
