"""A reply's life by keyboard alone: written, returned, edited, approved, contradicted, withdrawn."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Membership, Project
from builders import make_labelled_item, make_member, make_project
from checked_claims import make_card, make_check
from generation.counterspeech import request
from generation.domain.counterspeech.intents import Intent
from generation.files.training_export import posts_of, training_files
from generation.models import Exemplar, Reply
from keyboard import enter, tab_to, write

pytestmark = pytest.mark.django_db(transaction=True)

FIRST = "Welcome to our street. Half of us came last year."
BETTER = "Welcome to our street. Ten of us came last year."
WHY = "It names a figure that nobody counted."


def decided(project: Project, name: str, text: str) -> Item:
    people = [make_member(project) for _ in range(3)]
    item = make_labelled_item(project, people, [1, 1, 1], text=text, external_id=name)
    close_item(item)
    return item


def dataset(admin: Membership) -> bytes:
    """All that the files of the dataset hold."""
    client = Client()
    assert admin.user is not None
    client.force_login(admin.user)
    names = ("replies.jsonl", "conan.jsonl", "pairs.jsonl")
    answers = [client.get(f"/p/garden/counterspeech/dataset/{name}") for name in names]
    return b"".join(answer.getvalue() for answer in answers)


def guided(item: Item) -> list[str]:
    """The replies that the next candidates on this post are shown."""
    shown = request.exemplars_for(request.open_on_item(item), Intent.POSITIVE, 3)
    return [exemplar.text for exemplar, _near in shown]


@pytest.fixture(autouse=True)
def _built_in_only(settings: Any) -> None:
    settings.MODEL_BINDINGS, settings.MODEL_ALLOWED = {}, []


def test_a_reply_is_written_returned_edited_approved_contradicted_and_withdrawn_without_a_mouse(
    page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    project = make_project("garden")
    item = decided(project, "post-1", "All immigrants are vermin.")
    other = decided(project, "post-2", "Immigrants are vermin, all of them.")
    author = make_member(project, Role.REVIEWER, pseudonym="heron")
    second = make_member(project, Role.ADMIN, Role.REVIEWER, pseudonym="owl")
    request.open_on_item(item)
    home = f"{live_server.url}/p/garden/counterspeech/"

    # It is written from a blank page, and handed in.
    heron = page_of(author)
    heron.goto(f"{live_server.url}/p/garden/items/{item.public_id}/counterspeech/?intent=positive")
    heron.keyboard.press("b")
    expect(heron.get_by_label("Your text")).to_be_visible()
    heron.keyboard.press("r")
    heron.keyboard.type(FIRST)
    heron.keyboard.press("Control+Enter")
    expect(heron.get_by_text("Submitted. Somebody else approves it.")).to_be_visible()
    reply = Reply.objects.get()
    mine = f"{home}replies/{reply.public_id}/"

    # Somebody else sends it back.
    owl = page_of(second)
    owl.goto(home)
    owl.keyboard.press("a")
    expect(owl.get_by_role("heading", name="Would you post this?")).to_be_visible()
    owl.keyboard.press("r")
    owl.keyboard.type("The figure is wrong.")
    owl.keyboard.press("Escape")
    owl.keyboard.press("x")
    expect(owl.get_by_role("heading", name="Would you post this?")).to_be_hidden()

    # It is edited and handed in again.
    heron.goto(mine)
    enter(heron, "Continue writing")
    expect(heron.get_by_text("Sent back to you")).to_be_visible()
    heron.keyboard.press("r")
    heron.keyboard.press("Control+A")
    heron.keyboard.type(BETTER)
    heron.keyboard.press("Control+Enter")
    expect(heron.get_by_text("Submitted. Somebody else approves it.")).to_be_visible()

    # It is approved: it guides the next candidates, and stands in the files.
    owl.goto(home)
    owl.keyboard.press("a")
    expect(owl.get_by_role("heading", name="Would you post this?")).to_be_visible()
    owl.keyboard.press("r")
    owl.keyboard.type("I read it twice myself.")
    owl.keyboard.press("Control+Enter")
    expect(owl.get_by_text("Approved.", exact=True)).to_be_visible()
    assert BETTER.encode() in dataset(second) and FIRST.encode() not in dataset(second)
    assert guided(other) == [BETTER]

    # A claim in it is found false.
    make_card(item, make_check(item, "Somebody asked.", None).public_id, 1, "refutes")
    owl.goto(mine)
    enter(owl, "Give it a source")
    tab_to(owl, "What the city counted")
    owl.keyboard.press("Space")
    owl.keyboard.press("c")
    expect(owl.get_by_text("contradicted", exact=True).first).to_be_visible()
    owl.goto(home)
    expect(owl.get_by_text("Approved, and a claim was found false since")).to_be_visible()

    # Its author withdraws it: it is gone from the store, the files and the next candidates, and stays to be read.
    heron.goto(mine)
    heron.keyboard.press("d")
    write(heron, "Why, in one line", WHY)
    enter(heron, "Withdraw it")
    expect(heron.get_by_text(WHY)).to_be_visible()
    expect(heron.get_by_text(BETTER).first).to_be_visible()
    reply.refresh_from_db()
    assert (reply.state, reply.withdrawal_reason, reply.text) == ("withdrawn", WHY, BETTER)
    assert not Exemplar.objects.exists() and guided(other) == []
    assert BETTER.encode() not in dataset(second) + b"".join(training_files(posts_of(project)).values())
    assert [said.text for said in reply.submissions.order_by("pk")] == [FIRST, BETTER]
    owl.goto(home)
    expect(owl.get_by_text("Approved, and a claim was found false since")).to_be_hidden()
