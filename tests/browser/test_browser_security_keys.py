"""A security key in a real browser: Chromium's own virtual one, under our content security policy."""

import pytest
from allauth.mfa.models import Authenticator
from django.urls import reverse
from playwright.sync_api import expect

import builders

PASSWORD = "a long enough passphrase"
KEY = {
    "protocol": "ctap2",
    "transport": "usb",
    "hasResidentKey": False,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def page(context):
    """A page with a key in the machine; what the browser refuses or a script breaks fails the test."""
    complaints = []
    fresh = context.new_page()
    fresh.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    fresh.on("pageerror", lambda error: complaints.append(str(error)))
    yield fresh
    assert complaints == []


@pytest.fixture
def key(context, page):
    chromium = context.new_cdp_session(page)
    chromium.send("WebAuthn.enable")
    chromium.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})


def sign_in(page, live_server):
    page.goto(f"{live_server.url}/accounts/login/")
    page.fill("[name=login]", "wren")
    page.fill("[name=password]", PASSWORD)
    page.click("main form button[type=submit]")
    page.wait_for_url(lambda url: "login" not in url)


def add_key(page, live_server):
    page.goto(live_server.url + reverse("mfa_add_webauthn"))
    page.fill("[name=password]", PASSWORD)
    page.click("main button[type=submit]")
    page.wait_for_url(f"**{reverse('mfa_add_webauthn')}*")
    page.fill("[name=name]", "On my ring")
    page.click("#mfa_webauthn_add")
    page.wait_for_url(f"**{reverse('mfa_view_recovery_codes')}*")


def test_a_key_is_added_and_signs_in_and_one_for_another_address_is_refused(page, key, live_server, settings):
    builders.make_user("wren", PASSWORD)
    sign_in(page, live_server)
    page.goto(live_server.url + reverse("mfa_index"))
    assert page.get_by_role("link", name="Add").is_visible()
    add_key(page, live_server)
    assert Authenticator.objects.filter(type="webauthn").count() == 1
    page.context.clear_cookies()

    sign_in(page, live_server)
    page.wait_for_url(f"**{reverse('mfa_authenticate')}*")
    expect(page.locator("#mfa_webauthn_authenticate")).to_be_focused()
    settings.SITE_URL = "http://localhost:1"  # the page that used the key is then one of somebody else's
    page.click("#mfa_webauthn_authenticate")
    page.get_by_text("The key was refused.").wait_for()
    settings.SITE_URL = live_server.url
    page.click("#mfa_webauthn_authenticate")
    page.wait_for_url(f"{live_server.url}/")
    assert Authenticator.objects.get(type="webauthn").last_used_at is not None


def test_a_key_that_is_not_there_gets_a_sentence(page, live_server):
    builders.make_user("wren", PASSWORD)
    sign_in(page, live_server)
    page.goto(live_server.url + reverse("mfa_add_webauthn"))
    page.fill("[name=password]", PASSWORD)
    page.click("main button[type=submit]")
    page.wait_for_url(f"**{reverse('mfa_add_webauthn')}*")
    page.evaluate(
        "() => { navigator.credentials.create = () => Promise.reject(new DOMException('no', 'NotAllowedError')) }"
    )
    page.click("#mfa_webauthn_add")
    page.get_by_text("The key was not used.").wait_for()
