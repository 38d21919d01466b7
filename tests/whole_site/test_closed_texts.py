"""*Keep texts closed*: no page shows words of a post, or words about it by models, before its reader opens them.

Every page of annotators and reviewers is read as it comes: a marked word may only stand inside something closed.
"""

from html.parser import HTMLParser
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.domain.glossary.entry import EntryValues
from annotation.domain.questions.question import QuestionKind
from annotation.glossary import entries
from annotation.models import Item, KnownAnswer, Prior, Project, TrainingAnswer, TrainingAttempt, User
from builders import category, make_label, make_open_item
from question_builders import answered, make_question
from site_addresses import ROUTES
from site_objects import A, D, R, World, module_world, world

pytestmark = [pytest.mark.django_db, pytest.mark.once]

__all__ = ["module_world", "world"]

WORD = "canaryword"
HIDDEN_BY_STYLE = {"q", "bdi"}
"""In lists, `.queue q` and `.reads > bdi` are hidden by the style sheet."""
VOID = {
    "br",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "wbr",
    "col",
    "area",
    "base",
    "embed",
    "track",
    "line",
    "rect",
}


class Open(HTMLParser):
    """Collect where the word can be seen: in text or attributes outside of closed details and of hidden elements."""

    def __init__(self) -> None:
        super().__init__()
        self.path: list[tuple[str, dict[str, str | None]]] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        if tag not in VOID:
            self.path.append((tag, own))
        read_out = [own.get(name) for name in ("title", "aria-label", "alt", "placeholder")]
        if any(WORD in (text or "") for text in read_out):
            self.look(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        while any(name == tag for name, _own in self.path) and self.path.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if WORD in data:
            self.look(data.strip()[:60])

    def look(self, what: str) -> None:
        if not self._is_closed():
            self.seen.append(" > ".join([*(f"{tag}.{own.get('class', '')}" for tag, own in self.path[-4:]), what]))

    def _is_closed(self) -> bool:
        for place, (tag, own) in enumerate(self.path):
            inside_summary = any(name == "summary" for name, _own in self.path[place:])
            if tag == "details" and "open" not in own and not inside_summary:
                return True
            if "hidden" in own or tag in ("script", "template"):
                return True
            classes = (own.get("class") or "").split()
            if {"queue", "reads"} & set(classes) and any(name in HIDDEN_BY_STYLE for name, _own in self.path[place:]):
                return True
        return False


def seen_on(page: str) -> list[str]:
    reader = Open()
    reader.feed(page)
    return reader.seen


def test_the_reader_of_this_test_sees_what_is_open_and_not_what_is_closed():
    assert seen_on(f"<p>{WORD}</p>") and seen_on(f'<details open><p title="{WORD}">x</p></details>')
    assert seen_on(f"<details><summary>{WORD}</summary></details>")
    assert not seen_on(f"<details><summary>x<br></summary><p>{WORD}</p></details><p hidden>{WORD}</p>")


@pytest.fixture
def marked(world: World) -> World:
    """The world with the word in every text, and in all that repeats or explains it."""
    text = f"A {WORD} about a garden."
    Item.objects.filter(project=world.project).update(text=text)
    make_question(world.project, "words", QuestionKind.SPAN)
    again = make_open_item(world.project, text)
    make_label(again.seat_rows.order_by("number")[0], world.members[A], 1, answers=answered(words=[[0, 15]]))
    Prior.objects.filter(item__project=world.project).update(explanation=f"The {WORD} is mild.", current=True)
    KnownAnswer.objects.filter(item__project=world.project).update(explanation=f"The {WORD} is known.")
    attempt = TrainingAttempt.objects.get(member=world.members[A])
    TrainingAnswer.objects.create(attempt=attempt, item=world.training, category=category(world.project, 1))
    entries.propose(world.members[D], EntryValues(WORD, "a word"), approved=True)
    User.objects.update(fold_text=True)
    Project.objects.filter(pk=world.project.pk).update(show_keyword_priors=True, glossary_for_annotators=True)
    return world


OF_ITS_OWN = {"annotation:glossary"}
"""Pages that tell no post: a list of terms is the project's own."""


@pytest.mark.parametrize("role", [A, R])
def test_no_page_shows_a_closed_text_its_copies_or_its_explanations(marked: World, role: Role):
    client = client_of(marked, role)
    open_, closed = {}, set()
    for name, route in ROUTES.items():
        if "get" not in route.methods or not (route.roles and role in route.roles) or "api:" in name:
            continue
        with transaction.atomic():
            answer = client.get(reverse(name, kwargs=route.parts(marked)))
            assert answer.status_code < 500, name
            page = page_of(answer)
            transaction.set_rollback(True)
        if WORD in page and name not in OF_ITS_OWN:
            closed.add(name)
            if seen := seen_on(page):
                open_[name] = seen
    assert not open_, open_
    expected = {A: ("annotation:label", "annotation:history", "annotation:training-own"), R: ("annotation:item",)}
    assert closed >= set(expected[role])


def test_the_post_page_has_every_copy_closed_and_all_are_there_for_who_opens_texts(marked: World):
    client, address = client_of(marked, A), reverse("annotation:label", args=[marked.project.slug])
    page = client.get(address).content.decode()
    assert page.count("data-text>") == 1 and page.count(" data-copy>") == 2  # the models' explanation; which words
    beside = reverse("annotation:glossary-beside", args=[marked.project.slug, marked.seat.public_id])
    hits = client.post(beside, headers={"HX-Request": "true"}).content.decode()
    assert WORD in hits and not seen_on(hits)
    User.objects.update(fold_text=False)
    page = client.get(address).content.decode()
    assert "data-copy" not in page and len(seen_on(page)) >= 2  # the text, the explanation


def client_of(world: World, role: Role) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(world.members[role].user)
    return client


def page_of(answer: Any) -> str:
    is_page = not answer.streaming and answer.get("Content-Type", "").startswith("text/html")
    return answer.content.decode() if is_page else ""
