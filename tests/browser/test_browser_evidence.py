"""Reviewers in Chromium: the agent sent out and watched, a card struck, a term learned, approved, and cited."""

import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.consensus.close import close_item
from annotation.domain.choices import GlossaryStatus, Role
from annotation.models import GlossaryEntry, GlossaryUse, Item, Membership
from antihateagent_web import Investigator, a_web, article, quote, results
from builders import make_labelled_item, make_member, make_picture, make_project
from moderation.models import Evidence
from providers import wiring_web
from providers.messages import Reply, Request
from runs.execution import worker as run_worker
from runs.models import Run
from wire.pages import PageServer

pytestmark = pytest.mark.django_db(transaction=True)


class Unhurried(Investigator):
    """Answers slowly enough to be watched."""

    def reply(self, request: Request) -> Reply:
        time.sleep(0.6)
        return super().reply(request)


@pytest.fixture
def net(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[PageServer]:
    with PageServer() as engine, PageServer() as outer, PageServer() as inner:
        settings.SEARXNG_URL, settings.MODEL_BACKOFF = f"http://127.0.0.1:{engine.port}", 0
        settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
        # The agent is scripted; the courtroom is the built-in baseline, which says when it goes by the glossary.
        families = dict.fromkeys(("MODEL_TEXT", "MODEL_VISION"), "keyword:cues-1")
        agents = dict.fromkeys(("MODEL_INVESTIGATOR", "MODEL_DESCRIBER"), "openai:agent")
        settings.MODEL_BINDINGS = families | agents
        fetcher = a_web(outer, inner).fetcher(seconds=5.0)
        monkeypatch.setattr(wiring_web, "_fetcher", lambda agent: fetcher)
        agent = Unhurried(read=quote("call newcomers weeds", "nothing but plants"))
        planned = run_worker.planned_model
        monkeypatch.setattr(
            run_worker, "planned_model", lambda role, name: agent if name == "openai:agent" else planned(role, name)
        )
        engine.pages["/search"] = results(
            "http://boards.example/one", "http://club.example/two", "http://gone.example/three"
        )
        outer.pages["/one"] = article(
            "On several boards people call newcomers weeds, and gardeners say how to get rid of them.",
            "Words of boards",
        )
        outer.pages["/two"] = article("In the club, weeds are plants and nothing but plants, they say.", "A club")
        yield outer


@pytest.fixture
def item() -> Item:
    project = make_project("garden", name="Garden posts")
    people = [make_member(project) for _ in range(3)]
    post = {"text": "Weeds in the white roses again.", "external_id": "post-1", "picture": make_picture(project)}
    made = make_labelled_item(project, people, [1, 2, 0], **post)
    close_item(made)
    return made


def test_evidence_is_found_struck_and_judged_again_and_a_term_learned_from_it_is_cited_in_the_next_debate(
    net: PageServer, worker: None, item: Item, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    project = item.project
    project.glossary_for_models = True
    project.save()
    page = page_of(make_member(project, Role.REVIEWER))
    page.goto(f"{live_server.url}/p/garden/items/{item.public_id}/")
    page.get_by_role("link", name="Evidence", exact=True).click()
    expect(page.get_by_text("Nobody has looked for evidence")).to_be_visible()
    page.get_by_label("New queries, at most").fill("1")
    page.get_by_role("button", name="Start the agent").click()

    expect(page.locator("#run").get_by_text("weeds meaning 1").first).to_be_visible()  # its steps arrive
    expect(page.get_by_text("gone.example").first).to_be_visible()
    expect(page.get_by_text("not readable")).to_be_visible()
    expect(page.get_by_text("confidence 0.90")).to_be_visible()
    page.locator("#run").get_by_role("link", name="Evidence 1", exact=True).click()

    card = page.locator("#card-1")
    expect(card).to_be_visible()
    expect(card).not_to_have_attribute("open", re.compile(".*"))  # folded: what it quotes may hurt
    card.locator("summary").first.click()
    expect(card.get_by_text("call newcomers weeds", exact=True)).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.set_viewport_size({"width": 1440, "height": 900})

    card.get_by_text("Strike this card").click()
    card.get_by_label("Why it is no evidence").fill("A board about real gardens.")
    card.get_by_role("button", name="Strike", exact=True).click()
    expect(page.get_by_text("Card 1 is struck")).to_be_visible()
    searched = list(net.log)
    page.get_by_role("button", name="Judge again over the rest").click()
    expect(page.get_by_text("All judgments")).to_be_visible()
    expect(page.get_by_text("It cited evidence that does not exist (1)")).to_be_visible()
    assert net.log == searched
    assert Run.objects.latest("id").calls == 1
    assert Evidence.objects.get(number=1).struck_because == "A board about real gardens."
    item.refresh_from_db()
    assert (item.stage, item.category) == ("disputed", None)

    # What was learned is proposed to the glossary.
    second = page.locator("#card-2")
    second.locator("summary").first.click()
    second.get_by_role("link", name="Add a term to the glossary from this card").click()
    page.get_by_label("Term").fill("weed")
    page.get_by_label("Meaning").fill("A newcomer, on some boards")
    page.get_by_label("Who is meant").fill("newcomers")
    page.get_by_role("button", name="Propose").click()
    expect(page.get_by_text("“weed” is in the glossary.")).to_be_visible()
    expect(page.get_by_text("Somebody else approves what you proposed.")).to_be_visible()
    entry = GlossaryEntry.objects.get()
    assert entry.sources.get().reference == Evidence.objects.get(number=2).public_id
    assert entry.status == GlossaryStatus.PROPOSED

    # Until somebody else approves it, no debate is told of it.
    people = [make_member(project) for _ in range(3)]
    other = make_labelled_item(project, people, [1, 2, 0], text="Pull the w33ds!", external_id="post-2")
    close_item(other)
    assert argued(page, live_server, other) == ("Not hateful", False)

    second_reviewer = page_of(make_member(project, Role.REVIEWER))
    second_reviewer.goto(f"{live_server.url}/p/garden/glossary/")
    second_reviewer.get_by_role("link", name="weed", exact=True).click()
    second_reviewer.get_by_role("button", name="Approve").click()
    expect(second_reviewer.get_by_text("approved", exact=True).first).to_be_visible()

    assert argued(page, live_server, other) == ("Hateful", True)
    run = Run.objects.latest("id")
    assert GlossaryUse.objects.get(run=run.public_id).entry == entry
    assert run.outcome is not None and "(G1)" in run.outcome["reason"]
    page.get_by_role("link", name="weed", exact=True).click()  # the run's page leads to what it was given
    expect(page.get_by_text("A newcomer, on some boards").first).to_be_visible()


def argued(page: Page, live_server: Any, item: Item) -> tuple[str, bool]:
    """Start ARCADE on the item's page and wait for its end: what it says, and whether it cites G1."""
    page.goto(f"{live_server.url}/p/garden/items/{item.public_id}/debates/")
    expect(page.get_by_label("With the glossary")).to_be_checked()  # as the project wishes
    page.get_by_label("Run again even if an identical run exists").check()
    page.get_by_role("button", name="Start", exact=True).click()
    said = page.locator("#run")
    expect(said.get_by_text("succeeded", exact=True).first).to_be_visible()
    verdict = said.locator(".verdict-line strong").inner_text().strip()
    return verdict, "G1" in (said.text_content() or "")
