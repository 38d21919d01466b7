"""Pages that other packages bring, under our content security policy."""

import pytest
from django.urls import reverse

import builders
from annotation.domain.choices import Role

PASSWORD = "a long enough passphrase"

pytestmark = pytest.mark.django_db(transaction=True)


def stopped(request):
    """Whether the request was refused or broke; one that the next page made needless is no fault."""
    return request.failure != "net::ERR_ABORTED"


@pytest.fixture
def page(context):
    """A page that fails the test at the end if the browser refused something or a script broke."""
    complaints = []
    fresh = context.new_page()
    fresh.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    fresh.on("pageerror", lambda error: complaints.append(str(error)))
    fresh.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}") if stopped(request) else None)
    fresh.on("response", lambda got: complaints.append(f"{got.status}: {got.url}") if got.status >= 400 else None)
    yield fresh
    assert complaints == []


def sign_in(page, live_server, name):
    page.goto(f"{live_server.url}/accounts/login/")
    page.fill("[name=login]", name)
    page.fill("[name=password]", PASSWORD)
    page.click("main form button[type=submit]")
    page.wait_for_url(f"{live_server.url}/")


def test_signing_in_and_every_account_page_stay_within_the_policy(page, live_server):
    builders.make_user("wren", PASSWORD, email="wren@example.org")
    sign_in(page, live_server, "wren")
    page.goto(live_server.url + reverse("mfa_activate_totp"))
    page.fill("[name=password]", PASSWORD)
    page.click("main button[type=submit]")
    page.wait_for_url(f"**{reverse('mfa_activate_totp')}*")
    picture = page.locator("main img").first
    assert picture.evaluate("image => image.complete && image.naturalWidth > 0")
    for name in (
        "mfa_index",
        "mfa_add_webauthn",
        "account_change_password",
        "account_email",
        "socialaccount_connections",
        "account_logout",
    ):
        page.goto(live_server.url + reverse(name))
        assert page.locator("main").count() == 1, name


def test_site_administration_stays_within_the_policy(page, live_server):
    builders.make_user("chief", PASSWORD, is_staff=True, is_superuser=True)
    project = builders.make_project()
    builders.make_item(project)
    member = builders.make_member(project, Role.ANNOTATOR)
    sign_in(page, live_server, "chief")
    for place in (
        reverse("admin:index"),
        reverse("admin:annotation_user_changelist"),
        reverse("admin:annotation_user_add"),
        reverse("admin:annotation_user_change", args=[member.user_id]),
        reverse("admin:annotation_item_changelist") + "?q=a",
        reverse("admin:annotation_event_changelist"),
    ):
        page.goto(live_server.url + place)
        assert "Interplay" in page.content()


def test_the_demo_logins_stand_on_the_login_page(page, live_server, settings):
    settings.DEMO = True
    settings.DEMO_LOGINS.parent.mkdir(parents=True, exist_ok=True)
    settings.DEMO_LOGINS.write_text('[{"role": "annotator", "username": "wren", "password": "sample"}]')
    page.goto(f"{live_server.url}/accounts/login/")
    assert page.locator(".demo-logins code").all_inner_texts() == ["wren", "sample"]
