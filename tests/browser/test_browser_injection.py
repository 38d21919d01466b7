"""Admins in Chromium: terms, a pool, a plan, a batch that models write, and its review by keyboard alone."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.test import Client
from PIL import Image
from playwright.sync_api import BrowserContext, Page, expect

from annotation.domain.choices import Role
from annotation.models import Item, Membership
from builders import make_member, make_project
from generation.models import InjectionBatch, InjectionConsent, PoolPicture, Sample
from injection_models import GROUP, Writers, writers_on_the_wire
from wire.server import WireServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def wire(settings: Any) -> Iterator[tuple[WireServer, Writers]]:
    with writers_on_the_wire(settings) as both:
        yield both


@pytest.fixture
def admin(context: BrowserContext, live_server: Any) -> Membership:
    """An admin who has signed in at the browser."""
    member = make_member(make_project("garden", name="Garden posts"), Role.ADMIN, pseudonym="heron")
    client = Client()
    assert member.user is not None
    client.force_login(member.user)
    name = site_settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
    return member


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    opened = context.new_page()
    faults: list[str] = []
    opened.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: faults.append(str(error)))
    yield opened
    refused = "Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)"
    assert faults == [refused] * 2  # the two forms that the test sends half filled


def drawn(colour: str) -> dict[str, Any]:
    content = BytesIO()
    Image.new("RGB", (320, 240), colour).save(content, "PNG")
    return {"name": f"{colour}.png", "mimeType": "image/png", "buffer": content.getvalue()}


def into(page: Page, label: str, text: str) -> None:
    """Go to a field and type, as somebody does without a mouse."""
    page.get_by_label(label, exact=True).focus()
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


def test_from_the_terms_to_reviewed_samples_by_keyboard(
    wire: tuple[WireServer, Writers], worker: None, admin: Membership, page: Page, live_server: Any
) -> None:
    press = page.keyboard.press
    wire[1].texts = [
        "The poster was torn down before the rain could do it.",
        "Whoever drew this has never carried our shopping up the stairs.",
        "We kept the sheet for the museum of things nobody says any more.",
        "Grandfather laughed and hung it beside his medals.",
    ]
    page.goto(f"{live_server.url}/p/garden/injection/")
    page.get_by_label("I have read these terms").focus()
    press("Space")
    press("Enter")
    expect(page.get_by_role("heading", name="Plan of samples")).to_be_visible()
    assert InjectionConsent.objects.get().member == admin

    # A pool with two pictures that are hateful alone.
    page.goto(f"{live_server.url}/p/garden/injection/pools/")
    into(page, "Name", "street")
    into(page, "Target group", GROUP)
    into(page, "Licence", "CC0-1.0")
    press("Enter")
    expect(page.get_by_role("heading", name="street")).to_be_visible()
    page.get_by_label("Files").set_input_files([drawn("red"), drawn("green")])
    page.get_by_label("Each of them alone is").select_option("1")
    page.get_by_role("button", name="Upload").press("Enter")
    expect(page.get_by_text("2 pictures were added.")).to_be_visible()
    assert PoolPicture.objects.filter(category__code=1).count() == 2

    # A plan of one entry, and the batch.
    page.get_by_role("link", name="Plan", exact=True).press("Enter")
    page.get_by_label("Pattern", exact=True).select_option("010")
    page.get_by_label("Strategy", exact=True).select_option("contextual_inversion")
    page.get_by_label("Picture pool", exact=True).select_option("street")
    into(page, "Number of samples", "4")
    press("Enter")  # the group is missing
    expect(page.get_by_text("has a hateful part, so target_group names whom it is about")).to_be_in_viewport()
    into(page, "Target group", GROUP)
    press("Enter")
    expect(page.locator("#plan tbody tr")).to_have_count(1)
    page.get_by_role("button", name="Write samples").press("Enter")
    expect(page.get_by_role("heading", name="Batch 1 of samples")).to_be_visible()
    expect(page.get_by_text("4 of 4 samples")).to_be_visible()
    expect(page.locator("#injection-progress .chip")).to_have_text("done")

    # Review: one accepted, one passed by and rejected with a usual reason, one with words of one's own.
    press("r")
    expect(page.get_by_text("The poster was torn down")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})  # on a phone too it is said first what is to be judged
    tops = [page.locator(each).bounding_box() for each in (".picture", ".bits", "#decision-on-sample")]
    assert [box["y"] for box in tops if box] == sorted(box["y"] for box in tops if box) and all(tops)
    page.set_viewport_size({"width": 1440, "height": 900})
    shown = page.locator(".picture img")
    blurred = shown.get_attribute("src")
    assert blurred is not None and blurred.endswith("/blurred/")
    press("Space")
    expect(shown).not_to_have_attribute("src", blurred)
    press("a")
    expect(page.get_by_text("Accepted: it is an item now.")).to_be_visible()
    press("j")
    expect(page.get_by_text("We kept the sheet")).to_be_visible()
    press("2")
    expect(page.get_by_text("Rejected: it stays in the log with your reason.")).to_be_visible()
    expect(page.get_by_text("Grandfather laughed")).to_be_visible()
    press("a")
    expect(page.get_by_text("Whoever drew this")).to_be_visible()  # the one that was passed by, at the end
    press("x")
    expect(page.get_by_text("Say why it is rejected")).to_be_visible()
    press("r")
    page.keyboard.type("Too close to a joke.")
    press("Escape")
    press("x")
    expect(page.get_by_text("No sample waits")).to_be_visible()

    assert list(Sample.objects.order_by("order").values_list("state", "reason")) == [
        ("accepted", ""),
        ("rejected", "Too close to a joke."),
        ("rejected", "The text does not belong to the picture"),
        ("accepted", ""),
    ]
    assert Item.objects.filter(batch=InjectionBatch.objects.get().item_batch, intended__code=0).count() == 2
    page.get_by_role("link", name="Report").press("Enter")
    expect(page.get_by_role("row", name="Contextual inversion")).to_contain_text("not labelled yet")
