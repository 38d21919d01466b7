"""A reviewer's ways by keyboard alone: back to a slip, aside, a reason used before; and a page that does not move."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

import builders
from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Adjudication, Item, Project
from moderation.models import SetAside
from runs.control import start
from runs.domain.states import RunState
from runs.models import Run

PASSWORD = "a long enough passphrase"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    project = builders.make_project("garden")
    user = builders.make_user("heron", PASSWORD)
    builders.make_member(project, Role.REVIEWER, user=user, pseudonym="Heron")
    builders.make_member(project, Role.REVIEWER, pseudonym="Wren")
    return project


def disputed(project: Project, text: str) -> Item:
    item = builders.make_labelled_item(project, [builders.make_member(project) for _ in range(3)], (0, 1, 2), text=text)
    close_item(item)
    return item


def at_the_queue(browser, live_server, width: int, height: int):
    """Return a signed-in page of this size at the queue."""
    page = browser.new_context(viewport={"width": width, "height": height}).new_page()
    page.goto(f"{live_server.url}/accounts/login/")
    page.fill("[name=login]", "heron")
    page.fill("[name=password]", PASSWORD)
    page.click("main form button[type=submit]")
    page.wait_for_url(f"{live_server.url}/")
    page.goto(live_server.url + reverse("moderation:desk", args=["garden"]))
    return page


def arrived(page, text: str) -> None:
    expect(page.locator(".post-text")).to_have_text(text)
    page.wait_for_load_state("load")


def decide(page, key: str, reason: str) -> None:
    page.keyboard.press(key)
    page.keyboard.press("r")
    page.keyboard.type(reason)
    page.keyboard.press("Control+Enter")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_a_slip_a_parked_post_and_a_used_reason_by_keyboard_alone(browser, live_server, project, width, height):
    slip, parked, assigned, last = (disputed(project, text) for text in ("One", "Two", "Three", "Four"))
    page = at_the_queue(browser, live_server, width, height)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.keyboard.press("j")
    arrived(page, "One")
    decide(page, "1", "It is satire.")
    arrived(page, "Two")
    page.keyboard.press("u")
    arrived(page, "One")
    expect(page.locator("#id_rationale")).to_have_value("It is satire.")
    page.keyboard.press("2")
    page.keyboard.press("Control+Enter")
    arrived(page, "Two")

    page.keyboard.press("p")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("Ask the lead.")
    page.keyboard.press("Control+Enter")
    arrived(page, "Three")
    page.keyboard.press("p")
    page.keyboard.press("Tab")
    page.keyboard.type("Wren")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+Enter")
    arrived(page, "Four")

    page.keyboard.press("m")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="More")).to_be_focused()
    page.keyboard.press("n")
    expect(page.get_by_role("link", name="Scores")).to_be_focused()
    page.keyboard.press("0")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_label("Rationale")).to_be_focused()
    expect(page.locator("#id_rationale[aria-invalid=true]")).to_have_attribute(
        "placeholder", re.compile("Give the reason")
    )
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.keyboard.type("sat")
    expect(page.locator("#reasons-list [data-reason]")).to_have_text(["It is satire."])
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("Enter")
    expect(page.locator("#id_rationale")).to_have_value("It is satire.")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/desk/")
    expect(page.locator("#today")).to_contain_text("You are through for today")
    expect(page.locator(".queue .is-waiting")).to_have_count(2)
    codes = Adjudication.objects.filter(item__in=(slip, last)).order_by("pk").values_list("category__code", flat=True)
    assert list(codes) == [1, 2, 0]
    rows = SetAside.objects.order_by("pk")
    assert [(row.item, str(row.reviewer or ""), row.note) for row in rows] == [
        (parked, "", "Ask the lead."), (assigned, "Wren", ""),
    ]  # fmt: skip
    assert complaints == []


def test_a_debate_that_ends_keeps_its_place_the_open_panels_and_the_focus(browser, live_server, project):
    item = disputed(project, "A long post. " * 120)
    for number in range(4):
        ran(item, number, RunState.SUCCEEDED)
    run = ran(item, 9, RunState.RUNNING)
    page = at_the_queue(browser, live_server, 1440, 900)
    page.goto(live_server.url + reverse("moderation:desk-item", args=["garden", item.public_id]))
    folded = page.locator("details", has=page.locator("#run")).locator("summary").first
    folded.click()
    prompts = page.locator("#run > details > summary", has_text="Full prompts and replies")
    prompts.focus()
    page.keyboard.press("Enter")
    scrolled = "document.querySelector('.work').scrollTop"
    page.evaluate(f"{scrolled} = 120")
    before = page.evaluate(scrolled)
    place = page.locator("#run").bounding_box()
    expect(page.locator(".queue [aria-current]")).to_contain_text("a model is at work")
    Run.objects.filter(pk=run.pk).update(
        state=RunState.SUCCEEDED,
        outcome={"hateful": True, "category": 1, "reason": "It is."},
        finished_at=timezone.now(),
    )
    expect(page.locator("#run[hx-get]")).to_have_count(0)
    expect(page.locator("body > [aria-live=polite]")).to_have_text(re.compile("^ARCADE.*: succeeded$"))  # once
    expect(page.locator(".queue [aria-current]")).to_contain_text("5 runs")
    expect(page.locator(".queue")).not_to_contain_text("a model is at work")
    assert page.evaluate(scrolled) == before
    assert abs(page.locator("#run").bounding_box()["y"] - place["y"]) <= 1
    expect(page.locator("#run > details[open] > summary", has_text="Full prompts and replies")).to_be_focused()
    parts = "[...document.querySelectorAll('.runs-of-post, .post-text')]"
    assert page.evaluate(f"{parts}.every((part) => part.scrollHeight <= part.clientHeight + 1)")  # no scroller in one


def ran(item: Item, repeat: int, state: RunState) -> Run:
    """Return a run about the item in this state."""
    models = {"judge": "keyword:cues-1"}
    run = start.build_run(start.RunRequest("arcade", item.project.public_id, item.public_id, models, repeat=repeat))
    run.state = state
    if state is RunState.SUCCEEDED:
        run.outcome, run.finished_at = {"hateful": True, "category": 1, "reason": "It is."}, timezone.now()
    run.save()
    return run
