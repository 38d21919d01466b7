"""A reviewer in Chromium: sends the agent out, watches its steps, strikes a card, has the rest judged again."""

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from celery.contrib.testing.worker import start_worker
from django.conf import settings as site_settings
from django.test import Client
from investigating import Investigator, a_web, article, quote, results
from playwright.sync_api import BrowserContext, Page, expect
from wire.pages import PageServer

from annotation.consensus import close_item
from annotation.domain.words import GlossaryStatus, Role
from annotation.models import GlossaryEntry, Item
from builders import make_labelled_item, make_member, make_picture, make_project
from config.celery import app
from moderation.models import Evidence
from providers import wiring_web
from providers.messages import Reply, Request
from runs import working
from runs.models import Run

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
        settings.OPENAI_BASE_URL, settings.MODEL_BINDINGS = "http://127.0.0.1:9/v1", {"MODEL_TEXT": "openai:some-model"}
        settings.MODEL_BINDINGS["MODEL_VISION"] = "openai:some-model"
        fetcher = a_web(outer, inner).fetcher(seconds=5.0)
        monkeypatch.setattr(wiring_web, "_fetcher", lambda agent: fetcher)
        agent = Unhurried(read=quote("call newcomers weeds", "nothing but plants"))
        monkeypatch.setattr(working, "planned", lambda role, name: agent)
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


@pytest.fixture
def page(context: BrowserContext, live_server: Any, item: Item) -> Iterator[Page]:
    """The reviewer's browser; whatever it reports as an error fails the test."""
    reviewer = make_member(item.project, Role.REVIEWER)
    client = Client()
    assert reviewer.user is not None
    client.force_login(reviewer.user)
    name = site_settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
    opened = context.new_page()
    faults: list[str] = []
    opened.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: faults.append(str(error)))
    yield opened
    assert faults == []


@pytest.fixture
def worker() -> Iterator[None]:
    with start_worker(app, pool="solo", perform_ping_check=False, loglevel="WARNING"):
        yield


def test_a_reviewer_watches_the_agent_strikes_a_card_and_has_the_rest_judged_and_what_was_learned_is_kept(
    net: PageServer,
    worker: None,
    item: Item,
    page: Page,
    live_server: Any,
) -> None:
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

    # What was learned is kept (`test_glossary_in_debates.py`: the next debate is told of it and cites it).
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
