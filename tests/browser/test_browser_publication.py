"""A release in Chromium: made and published by an admin, asked for by a stranger, granted, fetched in two pieces."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from annotation.domain.choices import Role
from annotation.models import AccessRequest, Membership, ReleaseTerms
from annotation.releases import publication
from builders import make_member, make_project
from release_builders import make_gold

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def admin() -> Membership:
    project = make_project("garden", name="Garden posts", licence="CC BY 4.0")
    trio = [make_member(project) for _ in range(3)]
    for number in range(6):
        make_gold(project, trio, text=f"Post {number}: the roses bloom {'again ' * number}", external_id=f"w-{number}")
    ReleaseTerms.objects.create(project=project, terms="For research only.", access_days=3)
    return make_member(project, Role.ADMIN, pseudonym="Kestrel")


def test_a_stranger_asks_is_granted_access_accepts_the_terms_and_resumes_a_download_until_it_expires(
    admin: Membership,
    page_of: Callable[[Membership], Page],
    context: BrowserContext,
    live_server: Any,
    worker: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = page_of(admin)
    ours.goto(f"{live_server.url}/p/garden/releases/")
    ours.get_by_label("Train, dev and test").fill("60/20/20")
    ours.get_by_role("button", name="Release").first.click()
    expect(ours.get_by_role("heading", name="Garden posts 1")).to_be_visible()
    ours.get_by_role("button", name="Publish the page").click()
    address = ours.get_by_role("link", name="The public page").get_attribute("href")

    theirs = context.new_page()
    theirs.goto(f"{live_server.url}{address}")
    expect(theirs.get_by_text("@dataset{")).to_be_visible()
    theirs.get_by_role("link", name="Ask for access").click()
    with monkeypatch.context() as crowded:
        crowded.setattr(publication, "MOST_WAITING", 0)
        for label in ("Your name", "Affiliation", "What you want it for"):
            theirs.get_by_label(label).fill("x")
        theirs.get_by_label("E-mail address").fill("ada@example.org")
        theirs.get_by_role("button", name="Ask", exact=True).click()
        expect(theirs.get_by_role("alert")).to_contain_text("Too many requests wait")
        expect(theirs.get_by_label("Affiliation")).to_have_value("x")
    theirs.get_by_label("Your name").fill("Ada")
    theirs.get_by_label("E-mail address").fill("ada@example.org")
    theirs.get_by_label("Affiliation").fill("\u2060")
    theirs.get_by_label("What you want it for").fill("To study disagreement.")
    theirs.get_by_role("button", name="Ask", exact=True).click()
    expect(theirs.get_by_label("Affiliation")).to_be_focused()  # what is wrong is where the keyboard is
    expect(theirs.get_by_label("What you want it for")).to_have_value("To study disagreement.")
    theirs.get_by_label("Affiliation").fill("A lab")
    theirs.keyboard.press("Enter")
    expect(theirs.get_by_text("It waits for an answer.")).to_be_visible()

    ours.reload()
    expect(ours.get_by_text("To study disagreement.")).to_be_visible()
    ours.get_by_role("button", name="Approve").click()
    expect(ours.get_by_text("the terms are not accepted yet")).to_be_visible()

    theirs.reload()
    expect(theirs.get_by_text("For research only.")).to_be_visible()
    theirs.get_by_role("button", name="I accept the terms").click()
    with theirs.expect_download() as coming:
        theirs.get_by_role("link", name="Download all (ZIP)").click()
    whole = coming.value.path().read_bytes()
    assert hashlib.sha256(whole).hexdigest() in theirs.content()
    link = f"{live_server.url}{theirs.get_by_role('link', name='Download all (ZIP)').get_attribute('href')}"
    half = len(whole) // 2
    rest = context.request.get(link, headers={"Range": f"bytes={half}-"})
    assert (rest.status, rest.body()) == (206, whole[half:])

    AccessRequest.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    assert context.request.get(link).status == 404
    theirs.reload()
    expect(theirs.get_by_text("The link has expired.")).to_be_visible()
    ours.reload()
    expect(ours.get_by_text("approve again to renew it")).to_be_visible()
