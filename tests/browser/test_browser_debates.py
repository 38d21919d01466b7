"""A reviewer in Chromium: starts ARCADE on a disputed post, sees turns arrive, cancels, judges again, compares two."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Membership
from builders import make_labelled_item, make_member, make_picture, make_project
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
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("link", name="ARCADE", exact=True).click()
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
    page.get_by_role("button", name="Judge again").click()
    expect(page.get_by_text("only the judge was asked again")).to_be_visible()
    expect(page.get_by_text("a garden: not hateful", exact=True)).to_be_visible()
    assert Run.objects.latest("id").calls == 1

    page.get_by_role("link", name="Compare").first.click()
    expect(page.get_by_text("They differ.")).to_be_visible()

    # One that takes long is cancelled; what was answered stays.
    wire.delay(3)
    debate(wire)
    page.goto(panel)
    page.get_by_label("Ask again what was answered before").check()
    page.get_by_label("Rounds").fill("1")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("link", name="ARCADE", exact=True).first.click()
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
