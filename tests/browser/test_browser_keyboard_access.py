"""Without a mouse, wide and on a phone: fetch a release, revoke an invitation, sign in by two steps, mend an import."""

import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect

from annotation.domain.choices import Role
from annotation.models import Invitation, Item, Membership
from annotation.releases import publication
from annotation.releases.build import release
from builders import make_member, make_open_item, make_project, make_user
from keyboard import enter, tab_to, write
from release_builders import make_gold

pytestmark = pytest.mark.django_db(transaction=True)

WIDTHS = [1440, 390]
PASSWORD = "garden-gate-at-dusk"


@pytest.mark.parametrize("width", WIDTHS)
def test_somebody_asks_for_a_release_accepts_its_terms_and_fetches_it(
    width: int, context: BrowserContext, live_server: Any, tmp_path: Path
) -> None:
    project = make_project("garden")
    lead = make_member(project, Role.ADMIN)
    make_gold(project, [make_member(project) for _ in range(3)])
    shown = publication.publish(release(project, lead), lead)
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{live_server.url}/data/{shown.key}/")
    enter(page, "Ask for access")
    write(page, "Your name", "Ada")
    write(page, "E-mail address", "ada@example.org")
    write(page, "Affiliation", "A school")
    write(page, "What you want it for", "A course")
    enter(page, "Ask")
    expect(page.get_by_text("It waits for an answer.")).to_be_visible()
    publication.decide(shown.release, shown.requests.get(), lead, approved=True)
    page.reload()
    enter(page, "I accept the terms")
    tab_to(page, "Download all")
    with page.expect_download() as fetched:
        page.keyboard.press("Enter")
    assert "labels.csv" in {Path(name).name for name in zipfile.ZipFile(fetched.value.path()).namelist()}


@pytest.mark.parametrize("width", WIDTHS)
def test_an_invitation_is_made_and_revoked(width: int, context: BrowserContext, live_server: Any) -> None:
    admin = make_member(make_project("garden"), Role.ADMIN)
    page = signed_in(context, admin, width, f"{live_server.url}/p/garden/people/")
    write(page, "Note for the admins", "for the Tuesday group")
    enter(page, "Create invitation link")
    link = page.get_by_label("Link of the invitation").input_value()
    enter(page, "Revoke")
    assert Invitation.objects.get().revoked_at is not None
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_have_text("This invitation is not open")


@pytest.mark.parametrize("width", WIDTHS)
def test_the_second_step_is_switched_on_and_asked_for(width: int, context: BrowserContext, live_server: Any) -> None:
    make_open_item(project := make_project("garden"), "A post about roses.")
    user = make_member(project, user=make_user("wren", PASSWORD)).user
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 844})
    sign_in(page, live_server.url)
    page.goto(f"{live_server.url}/accounts/2fa/")
    enter(page, "Switch on")
    hand_in(page, "Password", PASSWORD)
    secret = page.get_by_label("Secret").input_value()
    hand_in(page, "code", code_of(secret))
    assert Authenticator.objects.filter(user=user, type="totp").exists()
    cache.clear()  # the same half minute goes on, and its code is spent
    context.clear_cookies()
    sign_in(page, live_server.url)
    hand_in(page, "Code", "000000" if code_of(secret) != "000000" else "111111")
    expect(page.get_by_text("That code is not right")).to_be_visible()
    hand_in(page, "Code", code_of(secret))
    expect(page.get_by_role("heading", name="My projects")).to_be_visible()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_column_that_stops_an_import_is_named_and_used(
    width: int, context: BrowserContext, live_server: Any, tmp_path: Path
) -> None:
    file = tmp_path / "posts.csv"
    file.write_text("id,text,opinion\na,They should all go home.,Racist\nb,The bus was late.,Sexist\n")
    admin = make_member(make_project("garden"), Role.ADMIN)
    page = signed_in(context, admin, width, f"{live_server.url}/p/garden/import/")
    tab_to(page, "File")
    page.locator(":focus").set_input_files(file)
    enter(page, "Check the file")
    expect(page.get_by_role("alert")).to_be_focused()
    enter(page, "It is the label opinion")
    enter(page, "Import 2 rows")
    expect(page.get_by_role("heading", name="2 items are imported")).to_be_visible()
    assert dict(Item.objects.values_list("external_id", "intended__code")) == {"a": 1, "b": 2}


def signed_in(context: BrowserContext, member: Membership, width: int, address: str) -> Page:
    """Open a page of ours as a member. Refusals are errors to the browser, so its console is not read here."""
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": address}])
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(address)
    return page


def sign_in(page: Page, origin: str) -> None:
    """Sign in by what stands on the page."""
    page.goto(f"{origin}/accounts/login/")
    write(page, "User name", "wren")
    write(page, "Password", PASSWORD)
    enter(page, "Sign in")


def hand_in(page: Page, name: str, secret: str) -> None:
    """Write into the one field of a page, and press Enter."""
    write(page, name, secret)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def code_of(secret: str) -> str:
    """Return what an app shows now, early enough in its half minute to be handed in."""
    if (late := time.time() % 30) > 24:
        time.sleep(30.1 - late)
    return str(auth.format_hotp_value(auth.hotp_value(secret, next(auth.yield_hotp_counters_from_time()))))
