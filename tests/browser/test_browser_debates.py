"""A reviewer in Chromium: starts ARCADE on a disputed post, sees turns arrive, cancels, judges again, compares two."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Membership
from builders import make_labelled_item, make_member, make_picture, make_project
from moderation.debates import start as debate_start
from runs.execution import runner
from runs.execution import worker as worker_process
from runs.models import Run
from wire.server import WireServer, say
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)

CUE = {
    "id": "c1",
    "cue_type": "Metaphor",
    "target_group": "new neighbours",
    "claim": "“weeds” stands for them",
    "hate_type": 5,
    "justification": "nothing else is pulled out",
}


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    with models_at_a_server(settings, ("gatekeeper", "prosecutor", "defender", "judge"), delay=0.7) as server:
        settings.MODEL_ALLOWED = ["openai:other"]
        yield server


@pytest.fixture
def item() -> Item:
    project = make_project("garden", name="Garden posts")
    people = [make_member(project) for _ in range(3)]
    made = make_labelled_item(
        project,
        people,
        [1, 2, 0],
        text="Weeds in the white roses again.",
        external_id="post-1",
        picture=make_picture(project),
    )
    close_item(made)
    return made


def debate(wire: WireServer) -> None:
    """What is said in a deep dive of one round."""
    wire.queue(say('{"cues": []}'), model="gatekeeper")
    wire.queue(say(json.dumps({"cues": [CUE]})), model="prosecutor")
    wire.queue(say('{"rebuttals": []}'), model="defender")
    wire.queue(say('{"reason": "“weeds” means the neighbours: hateful", "category": 5}'), model="judge")


def test_a_reviewer_holds_watches_cancels_judges_again_and_compares(
    wire: WireServer, worker: None, item: Item, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    page = page_of(make_member(item.project, Role.REVIEWER))
    debate(wire)
    panel = f"{live_server.url}/p/garden/items/{item.public_id}/debates/"
    page.goto(panel)
    page.get_by_label("Rounds").fill("1")
    page.get_by_role("button", name="Start", exact=True).click()  # it opens the run
    expect(page.get_by_text("No open cue in either part").first).to_be_visible()

    first = page.locator("details.is-round").first
    expect(first).to_be_visible()
    expect(first).not_to_have_attribute("open", re.compile(".*"))  # folded: debates repeat what hurts
    first.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("No rebuttal was given.")).to_be_visible()
    expect(page.get_by_text("“weeds” means the neighbours: hateful", exact=True)).to_be_visible()
    expect(page.get_by_text("No rebuttal was given.")).to_be_visible()  # it stays open while the rest arrives
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.set_viewport_size({"width": 1440, "height": 900})

    # Another judge: one call, a run of its own.
    wire.queue(say('{"reason": "a garden: not hateful", "category": 0}'), model="other")
    page.get_by_label("Judge", exact=True).select_option("openai:other")
    page.get_by_role("button", name="Get another verdict").click()
    expect(page.get_by_text("only the judge was asked again")).to_be_visible()
    expect(page.get_by_text("a garden: not hateful", exact=True)).to_be_visible()
    assert Run.objects.latest("id").calls == 1

    page.get_by_text("Compare with another run").click()
    page.get_by_role("link", name="Compare with ARCADE").first.click()
    expect(page.get_by_text("They differ.", exact=True)).to_be_visible()

    # One that takes long is cancelled; what was answered stays.
    wire.delay(3)
    debate(wire)
    page.goto(panel)
    page.get_by_label("Run again even if an identical run exists").check()
    page.get_by_label("Rounds").fill("1")
    page.get_by_role("button", name="Start", exact=True).click()
    cancel = page.get_by_role("button", name="Cancel")
    cancel.focus()
    for _ in range(2):
        with page.expect_response("**/progress/"):
            pass
    expect(cancel).to_be_focused()  # although the part around it was brought up to date meanwhile
    page.keyboard.press("Enter")
    expect(page.locator("#run").get_by_text("cancelled", exact=True)).to_be_visible()
    wire.delay(0)  # what is under way ends now
    item.refresh_from_db()
    assert (item.stage, item.category) == ("disputed", None)


def test_a_debate_is_started_followed_judged_again_and_cancelled_without_leaving_the_post(
    wire: WireServer, worker: None, item: Item, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    page = page_of(make_member(item.project, Role.REVIEWER))
    debate(wire)
    wire.delay(2)  # each part lasts longer than the page waits until it looks again
    desk = f"{live_server.url}/p/garden/desk/{item.public_id}/"
    page.goto(desk)
    page.keyboard.press("1")
    page.locator("#id_rationale").fill("Half a sen")
    beside = page.locator("#help")
    beside.get_by_role("link", name="Start a method").click()
    beside.get_by_label("Rounds").fill("1")
    beside.get_by_role("button", name="Start", exact=True).click()
    run = beside.locator("#run")
    expect(run.locator(".steps [aria-current]")).to_be_visible()
    expect(run.get_by_text("The judge is thinking")).to_be_visible()
    wire.delay(0)
    expect(run.locator(".steps .is-done").first).to_have_text("Gate")
    expect(run.get_by_text("“weeds” means the neighbours: hateful", exact=True)).to_be_visible()
    expect(page.locator(".tabs [aria-current]")).to_have_text(re.compile(r"Debates\s*1"))

    wire.queue(say('{"reason": "a garden: not hateful", "category": 0}'), model="other")
    run.get_by_label("Judge", exact=True).select_option("openai:other")
    run.get_by_role("button", name="Get another verdict").press("Enter")
    expect(run.get_by_text("a garden: not hateful", exact=True)).to_be_visible()
    rows = beside.locator(".runs-of-post li")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("NotHate")  # the list is brought up to date with the run
    assert page.evaluate("document.activeElement.closest('#help') !== null")  # and the keyboard stays where it was
    rows.last.get_by_role("link").press("Enter")
    expect(run.get_by_text("“weeds” means the neighbours: hateful", exact=True)).to_be_visible()

    wire.delay(3)
    debate(wire)
    page.locator(".tabs").get_by_role("link", name="Debates").click()
    beside.get_by_role("link", name="Start a method").click()
    beside.get_by_label("Run again even if an identical run exists").check()
    beside.get_by_role("button", name="Start", exact=True).click()
    beside.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The run is cancelled. What was answered stays.")).to_be_visible()
    wire.delay(0)
    assert page.url == desk and page.locator("#id_rationale").input_value() == "Half a sen"
    expect(page.locator("[name=category][value='1']")).to_be_checked()

    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page.set_viewport_size({"width": 1280, "height": 800})
    last = page.locator(".tabs a").last.bounding_box()
    assert last is not None and last["x"] + last["width"] <= 1280


def ended_and_waiting(item: Item) -> Run:
    """Two debates of the post: one that has ended, and one that waits; it is returned."""
    for _ in range(2):
        wish = debate_start.DebateRequest("arcade", {"rounds": 1}, again=True)
        debate_start.start_runs(item.project, Item.objects.all(), wish, ring=False)
        runner.claim_and_perform(Run.objects.earliest("id").pk, worker_process.planned_model)
    return Run.objects.latest("id")


def test_of_two_tabs_that_are_pressed_one_after_the_other_the_last_one_is_shown(
    context: BrowserContext, item: Item, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    context.add_cookies(page_of(make_member(item.project, Role.REVIEWER)).context.cookies())
    page = context.new_page()  # of its own: the browser writes down that the first request was given up
    page.goto(f"{live_server.url}/p/garden/desk/{item.public_id}/")
    held: list[Route] = []
    page.route("**/evidence/", lambda route: held.append(route))
    tabs = page.locator(".work .tabs a")
    with page.expect_request("**/evidence/"):
        tabs.filter(has_text="Evidence").click()
    tabs.filter(has_text="History").click()
    expect(page.locator("#help .timeline")).to_be_visible()
    for route in held:
        route.continue_()
    page.wait_for_timeout(1500)
    expect(page.locator("#help .timeline")).to_be_visible()
    expect(page.locator(".work .tabs [aria-current]")).to_have_text("History")


@pytest.mark.parametrize("late", ["progress", "cancel"])
def test_an_answer_that_comes_after_another_tab_was_opened_changes_nothing_there(
    late: str, item: Item, page_of: Callable[[Membership], Page], live_server: Any, settings: Any
) -> None:
    settings.MODEL_BINDINGS, settings.MODEL_ALLOWED = {}, ["keyword:cues-1"]
    page = page_of(make_member(item.project, Role.REVIEWER))
    page.goto(f"{live_server.url}/p/garden/desk/{item.public_id}/")
    beside = page.locator("#help")
    beside.get_by_role("link", name="Start a method").click()
    beside.get_by_role("button", name="Start", exact=True).click()
    expect(beside.locator("#run")).to_be_visible()
    held: list[Route] = []
    page.route(f"**/{late}/", lambda route: held.append(route))
    with page.expect_request(f"**/{late}/"):
        if late == "cancel":
            beside.get_by_role("button", name="Cancel").click()
    page.locator(".work .tabs a").filter(has_text="History").click()
    expect(beside.locator(".timeline")).to_be_visible()
    for route in held:
        with page.expect_response(f"**/{late}/"):
            route.continue_()
    if late == "cancel":  # what was done is told all the same
        expect(page.locator("#messages")).to_contain_text("The run is cancelled. What was answered stays.")
    page.wait_for_timeout(300)
    expect(beside.locator(".timeline")).to_be_visible()
    expect(page.locator(".work .tabs [aria-current]")).to_have_text("History")


def test_the_keyboard_stays_in_the_list_of_runs_while_one_of_them_is_brought_up_to_date(
    wire: WireServer, item: Item, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    wire.delay(0)
    debate(wire)
    waiting = ended_and_waiting(item)
    page = page_of(make_member(item.project, Role.REVIEWER))
    page.goto(f"{live_server.url}/p/garden/debates/{waiting.public_id}/")
    ended = page.locator(".runs-of-post li a").last
    ended.focus()
    for _ in range(2):
        with page.expect_response("**/progress/"):
            pass
    expect(ended).to_be_focused()
    Run.objects.filter(pk=waiting.pk).update(state="cancelled", reason="user")
    expect(page.locator(".runs-of-post li").first).to_contain_text("cancelled")
    expect(ended).to_be_focused()


def test_a_run_that_somebody_starts_meanwhile_is_listed_beside_the_one_that_is_watched(
    item: Item, page_of: Callable[[Membership], Page], live_server: Any, settings: Any
) -> None:
    settings.MODEL_BINDINGS, settings.MODEL_ALLOWED = {}, ["keyword:cues-1"]
    wish = debate_start.DebateRequest("arcade", {}, again=True)
    debate_start.start_runs(item.project, Item.objects.all(), wish, ring=False)
    page = page_of(make_member(item.project, Role.REVIEWER))
    page.goto(f"{live_server.url}/p/garden/debates/{Run.objects.get().public_id}/")
    expect(page.locator("#run")).to_be_visible()
    expect(page.locator(".runs-of-post")).to_be_hidden()
    page.evaluate("document.getElementById('given').remove()")  # of what comes along, one part has no place here
    debate_start.start_runs(item.project, Item.objects.all(), replace(wish, method="predict"), ring=False)
    expect(page.locator(".runs-of-post li")).to_have_count(2)
    expect(page.locator(".runs-of-post")).to_be_visible()


def test_without_scripts_the_desk_leads_to_the_pages_of_runs(
    browser: Any, page_of: Callable[[Membership], Page], item: Item, wire: WireServer, live_server: Any
) -> None:
    cookies = page_of(make_member(item.project, Role.REVIEWER)).context.cookies()
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto(f"{live_server.url}/p/garden/desk/{item.public_id}/")
    page.get_by_role("link", name="Start a method").click()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("heading", name="ARCADE, a courtroom")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("link", name="To the desk").click()
    expect(page.locator("#help .run-head")).to_contain_text("cancelled")
    context.close()
