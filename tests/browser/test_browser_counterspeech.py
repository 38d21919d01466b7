"""Reviewers in Chromium: from an adjudicated post to an approved reply by keyboard, a comparison, the set."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Membership, User
from annotation.review import adjudicate
from builders import category, make_labelled_item, make_member, make_picture, make_project
from counterspeech_models import POST, Desk, desk_on_the_wire
from generation.counterspeech import replies, request
from generation.domain.counterspeech.intents import Intent
from generation.files.export import CONAN
from generation.models import Comparison, Reply
from providers.profiles import read_amendments
from wire.server import WireServer

pytestmark = pytest.mark.django_db(transaction=True)

GOOD = "Nobody on this street was planted here first. Most families came from somewhere else."
FAIR = "Gardens with many kinds of plants are the healthy ones, and people are no plants."
ADDED = " Come and meet the people at number 14."


@pytest.fixture
def desk(settings: Any) -> Iterator[tuple[WireServer, Desk]]:
    with desk_on_the_wire(settings) as both:
        table = both[1]
        table.replies = {"informative": [FAIR, GOOD], "positive": ["Let us be good neighbours to each other."]}
        table.scores = {
            GOOD: (-0.82, 0.82, 0.03, "informative"),
            FAIR: (-0.66, 0.74, 0.04, "positive"),
            GOOD + ADDED: (-0.72, 0.79, 0.01, "informative"),
        }
        yield both


@pytest.fixture
def item() -> Item:
    """A post whose dispute a reviewer has settled."""
    project = make_project("garden", name="Garden posts")
    people = [make_member(project) for _ in range(3)]
    made = make_labelled_item(
        project, people, [1, 2, 0], text=POST, external_id="post-1", picture=make_picture(project)
    )
    close_item(made)
    made.refresh_from_db()
    judge = make_member(project, Role.REVIEWER)
    adjudicate.decide_item(made, judge, made.version, "“weeds” are people here.", category(project, 1))
    made.refresh_from_db()
    assert made.category_source == "adjudicated"
    return made


def test_from_an_adjudicated_post_to_an_approved_reply_by_keyboard_a_comparison_and_the_set(
    desk: tuple[WireServer, Desk],
    worker: None,
    item: Item,
    page_of: Callable[[Membership], Page],
    live_server: Any,
    tmp_path: Path,
) -> None:
    author = make_member(item.project, Role.REVIEWER, pseudonym="heron")
    page = page_of(author)
    page.goto(f"{live_server.url}/p/garden/items/{item.public_id}/counterspeech/")
    press = page.keyboard.press

    # The seven explanations, one of them corrected.
    expect(page.get_by_role("button", name="Begin with the seven explanations")).to_be_visible()
    press("e")
    expect(page.get_by_label("Implication")).to_have_value(
        "About what the post says without saying it: “weeds” are people."
    )
    expect(page.get_by_label("Words replies must not use")).to_have_value("weeds")
    press("x")
    press("Control+A")
    page.keyboard.type("It calls people weeds.")
    press("Escape")
    expect(page.get_by_text("changed, not saved yet")).to_be_visible()
    press("p")  # another intent, before anything was kept
    expect(page.get_by_role("link", name="Positive")).to_have_attribute("aria-current", "page")
    expect(page.get_by_label("Offensiveness")).to_have_value("It calls people weeds.")
    expect(page.get_by_text("changed, not saved yet")).to_be_visible()
    press("i")
    expect(page.get_by_role("link", name="Informative")).to_have_attribute("aria-current", "page")
    press("k")
    expect(page.get_by_text("Saved as version 2.")).to_be_visible()

    # Who keeps texts closed is led to the closed explanations by their key, and opens them by themselves.
    User.objects.filter(pk=author.user_id).update(fold_text=True)
    page.reload()
    press("x")
    expect(page.locator("summary", has_text="Seven explanations")).to_be_focused()
    expect(page.get_by_label("Offensiveness")).to_be_hidden()
    press("Enter")
    press("x")
    expect(page.get_by_label("Offensiveness")).to_be_focused()
    User.objects.filter(pk=author.user_id).update(fold_text=False)
    page.reload()

    # Candidates, best first; the best one goes into the editor. What was changed meanwhile is kept with them.
    press("x")
    press("Control+End")
    page.keyboard.type(" So it does.")
    press("Escape")
    press("w")
    expect(page.get_by_label("Offensiveness")).to_have_value("It calls people weeds. So it does.")
    expect(page.get_by_text("version 3")).to_be_visible()
    first = page.locator("article.candidate").first
    expect(first).to_contain_text(GOOD)
    expect(first).to_contain_text("0.90")  # (.91 + .82 + .97) / 3
    expect(page.locator("article.candidate").nth(1)).to_contain_text("read as positive")
    press("1")
    expect(page.locator("#state")).to_contain_text("None: these are the model’s words.")

    # Edited: kept while typing, read again by the critics, shown against the model's text.
    press("r")
    press("Control+End")
    page.keyboard.type(ADDED)
    expect(page.locator("#state ins")).to_contain_text(ADDED.strip())
    expect(page.locator("#state")).to_contain_text("0.88")  # (.86 + .79 + .99) / 3
    expect(page.locator("#state")).to_contain_text("Read as informative, as wished. The model’s text had 0.90.")
    for width, scheme in ((1440, "light"), (390, "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page.set_viewport_size({"width": 1440, "height": 900})
    press("Control+Enter")
    expect(page.get_by_text("Submitted. Somebody else approves it.")).to_be_visible()

    # A second person signs it.
    second = make_member(item.project, Role.ADMIN, Role.REVIEWER, pseudonym="owl")
    page = page_of(second)
    press = page.keyboard.press
    page.goto(f"{live_server.url}/p/garden/counterspeech/")
    expect(page.get_by_text("Waits for your approval")).to_be_visible()
    press("a")
    expect(page.get_by_role("heading", name="Would you post this?")).to_be_visible()
    press("r")
    page.keyboard.type("Well said.")
    press("Escape")
    press("c")
    page.keyboard.type("Number 14 agrees.")
    press("Control+Enter")  # in a comment it sends the comment
    expect(page.get_by_role("heading", name="Comments").locator("..").locator("..")).to_contain_text(
        "Number 14 agrees."
    )
    expect(page.get_by_label("Say something")).to_have_value("")
    expect(page.get_by_label("Why approve despite a flag, or what should change?")).to_have_value("Well said.")
    press("Control+Enter")
    expect(page.get_by_text("Approved.", exact=True)).to_be_visible()
    reply = Reply.objects.get()
    assert (reply.state, reply.text, reply.approver) == ("approved", GOOD + ADDED, second)

    # A blind comparison.
    page.goto(f"{live_server.url}/p/garden/counterspeech/compare/")
    expect(page.get_by_text("You are not told who wrote them.")).to_be_visible()
    for number in range(5):
        page.locator("fieldset.five").nth(number).get_by_role("radio").first.check()
    press("Control+Enter")
    expect(page.get_by_text("No pair is left for you")).to_be_visible()
    kept = Comparison.objects.get()
    left = "first" if kept.shown_first else "second"
    assert {kept.independence, kept.adequacy, kept.relevance, kept.effectiveness, kept.category} == {left}

    from datasets import load_dataset  # noqa: PLC0415 (loads pandas)

    # The exported set opens with the stated columns.
    page.goto(f"{live_server.url}/p/garden/counterspeech/dataset/")
    with page.expect_download() as download:
        page.get_by_role("link", name="replies.jsonl").click()
    file = tmp_path / "replies.jsonl"
    download.value.save_as(file)
    opened = load_dataset("json", data_files=str(file), split="train", cache_dir=str(tmp_path / "cache"))
    assert opened.column_names[: len(CONAN)] == list(CONAN)
    row = opened[0]
    assert (row["hatespeech"], row["csType"], row["counterspeech"]) == (POST, "Informative", GOOD + ADDED)
    assert row["hatespeechOffensiveness"] == "It calls people weeds. So it does." and row["model_text"] == GOOD
    assert row["edits"] == [{"kind": "added", "text": ADDED}] and json.loads(json.dumps(row["reward"])) > 0.8


def test_a_reply_s_own_page_asks_critics_without_the_form_of_the_desk(
    desk: tuple[WireServer, Desk], item: Item, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    author = make_member(item.project, Role.REVIEWER, pseudonym="heron")
    exchange = request.open_on_item(item)
    reply = replies.begin(exchange, author, Intent.POSITIVE, None)
    replies.write(reply, author, "Let us be good neighbours to each other.", Intent.POSITIVE, reply.version)
    page = page_of(author)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    with page.expect_response("**/score/") as scored:
        page.goto(f"{live_server.url}/p/garden/counterspeech/replies/{reply.public_id}/")
    assert scored.value.status < 400
    page.wait_for_timeout(1500)  # until the state was asked for once more
    assert faults == []


def test_a_trained_model_is_asked_plainly_by_keyboard_and_only_what_it_is_told_is_shown(
    desk: tuple[WireServer, Desk],
    worker: None,
    item: Item,
    page_of: Callable[[Membership], Page],
    live_server: Any,
    settings: Any,
) -> None:
    settings.MODEL_PROFILES = read_amendments({"openai:writer": {"plain": True, "trained": "CoARL"}})
    page = page_of(make_member(item.project, Role.REVIEWER, pseudonym="heron"))
    page.goto(f"{live_server.url}/p/garden/items/{item.public_id}/counterspeech/")
    press = page.keyboard.press
    press("e")
    expect(page.get_by_text("openai:writer writes replies and explains nothing")).to_be_visible()
    mode, tone = page.get_by_label("How the model is asked"), page.get_by_label("Tone")
    expect(mode).to_have_value("plain")
    expect(tone).to_be_hidden()
    mode.focus()
    press("Home")
    expect(tone).to_be_visible()
    expect(page.get_by_text("once for each candidate")).to_be_hidden()
    press("End")
    expect(tone).to_be_hidden()
    expect(page.get_by_text("once for each candidate")).to_be_visible()
    desk[1].plain["informative"] = [GOOD, f"“{FAIR}”", GOOD]
    page.get_by_label("Candidates for each").fill("3")
    page.get_by_role("heading", level=1).click()
    press("w")
    first = page.locator("article.candidate").first
    expect(first).to_contain_text(GOOD)
    expect(first).to_contain_text("trained model (CoARL)")
    expect(page.locator("article.candidate")).to_have_count(2)
    press("1")
    expect(page.locator("#state")).to_contain_text("None: these are the model’s words.")
    page.get_by_role("heading", level=1).click()
    press("o")  # what a key unfolds is gone into: Tab goes on inside
    fold = page.locator("details.is-sheet", has_text="Ask for other candidates")
    expect(fold).to_have_attribute("open", "")
    press("Tab")
    assert fold.evaluate("(fold) => fold.querySelector('form').contains(document.activeElement)")


def test_the_keyboard_stays_where_it_is_while_models_are_at_work(
    desk: tuple[WireServer, Desk], item: Item, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    page = page_of(make_member(item.project, Role.REVIEWER, pseudonym="heron"))
    page.goto(f"{live_server.url}/p/garden/items/{item.public_id}/counterspeech/")
    page.keyboard.press("e")  # no worker runs: the part is asked for anew each second
    expect(page.get_by_text("waiting for a worker")).to_be_visible()
    expect(page.locator("#described")).to_be_empty()  # it may be described yet
    stop = page.get_by_role("button", name="Stop")
    while not stop.evaluate("(each) => each === document.activeElement"):
        page.keyboard.press("Tab")
    for _ in range(2):
        with page.expect_response(lambda answer: "/seven/" in answer.url):
            pass
    expect(stop).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("The models are stopped.")).to_be_visible()
