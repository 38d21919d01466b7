"""The words of a meme on their whole way: imported, read, found by the glossary, weighed with evidence, released."""

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import builders
from annotation.domain.choices import Role
from annotation.domain.glossary.entry import EntryValues
from annotation.glossary import entries
from annotation.models import Item, Membership
from annotation.releases.build import release
from annotation.releases.request import Selection
from antihateagent_web import Investigator, a_web, article, quote, results
from memes import MEMES
from moderation.models import Evidence
from providers import wiring_web
from release_builders import rows_of
from runs.execution import worker as run_worker
from wire.pages import PageServer

pytestmark = pytest.mark.django_db(transaction=True)

MEME = MEMES[8]


@pytest.fixture
def agent(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Investigator]:
    """An investigator that sees no picture, a search engine and a web of one page."""
    with PageServer() as engine, PageServer() as outer, PageServer() as inner:
        settings.SEARXNG_URL, settings.MODEL_BACKOFF = f"http://127.0.0.1:{engine.port}", 0
        settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
        settings.MODEL_BINDINGS = dict.fromkeys(("MODEL_TEXT", "MODEL_VISION"), "openai:agent")
        monkeypatch.setattr(wiring_web, "_fetcher", lambda agent: a_web(outer, inner).fetcher(seconds=5.0))
        scripted = Investigator(read=quote("call newcomers weeds"))
        monkeypatch.setattr(run_worker, "planned_model", lambda role, name: scripted)
        engine.pages["/search"] = results("http://boards.example/one")
        outer.pages["/one"] = article("On several boards people call newcomers weeds, and mean it.", "Words of boards")
        yield scripted


def packed() -> bytes:
    out = io.BytesIO()
    labels = [{"annotator": f"a{number}", "category": 1} for number in range(3)]
    with zipfile.ZipFile(out, "w") as archive:
        row = {"id": "meme", "text": "Look at this.", "image": "m.png", "labels": labels}
        archive.writestr("items.jsonl", json.dumps(row) + "\n")
        archive.writestr("m.png", MEME.drawn())
    return out.getvalue()


def test_a_meme_is_read_explained_weighed_and_released(
    agent: Investigator, worker: None, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    project = builders.make_project("garden", glossary_for_models=True)
    admin = builders.make_member(project, Role.ADMIN, Role.REVIEWER)
    entries.propose(admin, EntryValues("杂草", "weeds: newcomers, in code"), approved=True)
    page = page_of(admin)
    page.goto(f"{live_server.url}/p/garden/import/")
    page.set_input_files("[name=file]", {"name": "meme.zip", "mimeType": "application/zip", "buffer": packed()})
    page.get_by_role("button", name="Check the file").click()
    page.locator("button[value=store]").click()
    expect(page.get_by_role("link", name="Import another file")).to_be_visible()

    item = Item.objects.get()
    page.goto(f"{live_server.url}/p/garden/items/{item.public_id}/")
    for _ in range(30):
        if page.get_by_text("Nobody has read it yet").count() == 0:
            break
        page.wait_for_timeout(1000)
        page.reload()
    expect(page.get_by_text("among the words in the picture")).to_be_visible()
    page.locator("details.is-text summary").click()
    expect(page.locator("blockquote", has_text="花园里的杂草")).to_be_visible()

    page.get_by_role("link", name="Evidence", exact=True).click()
    page.get_by_label("New queries, at most").fill("1")
    page.get_by_role("button", name="Start the agent").click()
    expect(page.get_by_text("confidence 0.90")).to_be_visible()
    assert Evidence.objects.get().title == "Words of boards"
    asked = agent.asked_for("queries")[0].messages[-1].text
    assert "花园里的杂草" in asked
    assert "newcomers, in code" in asked

    (row,) = rows_of(release(project, admin, Selection()))
    assert row["picture_text"] == MEME.text
    assert row["picture_text_reader"].startswith("rapidocr ")
