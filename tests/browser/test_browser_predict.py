"""A reviewer in Chromium: PREDICT held on a post, read from the perspectives to the judge, and two runs compared."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Membership
from builders import make_labelled_item, make_member, make_project
from predict_models import HATE, OTHER, UNSURE, add_examples, script
from runs.models import Run
from wire.server import WireServer
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def wire(settings: Any, tmp_path: Path) -> Iterator[WireServer]:
    settings.MODEL_EMBEDDING, settings.EXAMPLES_FOLDER = "", tmp_path / "examples"
    with models_at_a_server(settings, ("perspective", "debater", "debate_judge", "describer"), delay=0.8) as server:
        yield server


@pytest.fixture
def item() -> Item:
    project = make_project("garden", name="Garden posts")
    people = [make_member(project) for _ in range(3)]
    post = {"text": "Weeds in the white roses again.", "external_id": "post-1"}
    made = make_labelled_item(project, people, [1, 2, 0], **post)
    close_item(made)
    rows = [("Weeds in the roses, as ever.", True), ("The bus is late.", False), ("Roses and weeds.", False)]
    add_examples(project, "k-haters", *rows)
    return made


def start(page: Page) -> None:
    """Start PREDICT from the item's page by keyboard, and open its run."""
    page.get_by_label("Method").select_option("predict")
    page.get_by_label("Run again even if an identical run exists").check()
    page.get_by_role("button", name="Start", exact=True).press("Enter")  # it opens the run


def round_named(page: Page, title: str) -> Locator:
    """The part of the debate under this heading."""
    return page.locator("#run details.is-round").filter(has=page.get_by_role("heading", name=title, exact=True))


def test_a_debate_of_perspectives_is_held_read_and_compared(
    wire: WireServer, worker: None, item: Item, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    page = page_of(make_member(item.project, Role.REVIEWER))
    panel = f"{live_server.url}/p/garden/items/{item.public_id}/debates/"
    script(wire, HATE, OTHER, HATE, UNSURE, OTHER, second="agree")
    page.goto(panel)
    start(page)

    run = page.locator("#run")
    expect(run.get_by_text("5 of 5 have answered")).to_be_visible()
    tally = run.locator(".tally")
    expect(tally).to_contain_text("2 hate, 2 not hate")
    views = round_named(page, "Perspectives")
    expect(views).not_to_have_attribute("open", re.compile(".*"))  # folded: debates repeat what hurts
    views.locator("summary").first.press("Enter")
    camps = views.locator(".camp")
    for number, said in enumerate(
        (("Hate", "K-HATERS", "KOLD"), ("Non-hate", "K-MHaS", "UnSmile"), ("Abstained", "KODOLI"))
    ):
        for words in said:
            expect(camps.nth(number)).to_contain_text(words)
    card = camps.nth(0).locator(".perspective").first
    expect(card).to_contain_text("R1")  # its reason
    card.locator("summary").press("Enter")
    expect(card.get_by_role("listitem")).to_have_count(3)
    expect(card.get_by_role("listitem").first).to_contain_text("Weeds in the roses, as ever.")  # the nearest first
    expect(card.get_by_role("listitem").first).to_contain_text("cosine")
    reading = card.locator("summary")
    expect(reading).to_be_focused()

    expect(run.get_by_text("succeeded", exact=True).first).to_be_visible()
    expect(reading).to_be_focused()  # although the rest arrived meanwhile
    expect(card.get_by_role("listitem").first).to_be_visible()
    first, second = round_named(page, "Round 1"), round_named(page, "Round 2")  # opened with the first
    expect(first.locator(".say")).to_have_text(
        [re.compile("Non-hate.*N1", re.DOTALL), re.compile("Hate.*H1", re.DOTALL)]
    )
    expect(second.locator(".say").first).to_contain_text("agrees: stance changed")
    expect(second.locator(".say").last).to_contain_text("rebuts")
    expect(second).to_contain_text("the non-hate side concedes")
    expect(tally).to_have_text(
        re.compile(r"votes\s*2 hate, 2 not hate\s*(1 undecided\s*)?majority\s*Tie\s*judge\s*Hate", re.DOTALL)
    )
    for width, scheme in ((390, "dark"), (1440, "light")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert page.evaluate("document.documentElement.scrollWidth") == width

    # A second run, of another opinion; both stand beside each other.
    script(wire, OTHER, OTHER, OTHER, OTHER, OTHER, label="Non-hate")
    page.goto(panel)
    start(page)
    expect(run.locator(".verdict-line")).to_contain_text("Not hateful")
    page.get_by_text("Compare with another run").click()
    page.get_by_role("link", name="Compare with PREDICT").first.click()
    expect(page.get_by_text("They differ.", exact=True)).to_be_visible()
    beyond = "each => each.getBoundingClientRect().right > each.closest('.sheet').getBoundingClientRect().right"
    assert page.locator(".camp").count() > 4  # opened with the first; each stays on its own run's sheet
    assert not page.evaluate(f"[...document.querySelectorAll('.camp, .say, .tally')].some({beyond})")
    expect(page.locator(".tally")).to_have_text(
        [
            re.compile("0 hate, 5 not hate.*Non-hate.*Non-hate", re.DOTALL),
            re.compile("2 hate, 2 not hate.*Tie.*Hate", re.DOTALL),
        ]
    )
    assert [each.calls for each in Run.objects.all()] == [10, 10]
    item.refresh_from_db()
    assert (item.stage, item.category) == ("disputed", None)
