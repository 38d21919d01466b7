"""*Keep texts closed*: no page shows words of a post, or words about it by models or people, before its reader opens
them.

Every page is read as it comes: a marked word may only stand inside something closed. The API and files give texts as
they are, to programs.
"""

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
from api_calls import a_finished_run, a_scored_item
from builders import category, make_label, make_open_item
from closed_parts import WORD, seen_on
from deployment import ROOT
from hostile_texts import MARK, fill, unguard, write_everywhere
from question_builders import answered, make_question
from rows_of_every_model import add_missing_rows
from runs.execution import runner, worker
from runs.models import Run
from site_addresses import ROUTES, Route
from site_objects import A, D, R, World, module_world, world

pytestmark = [pytest.mark.django_db, pytest.mark.once]

__all__ = ["module_world", "world"]


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


def columns(**names: str) -> set[str]:
    return {f"{model}.{name}" for model, listed in names.items() for name in listed.split()}


ABOUT_POSTS = columns(
    Item="text message",
    Prior="explanation",
    Label="note",
    Adjudication="rationale",
    Appeal="grounds",
    Report="note",
    Run="outcome",
    Turn="reply messages",
    Score="explanation text",
    Evidence="title text query struck_because",
    EvidenceSegment="quote bearing",
    Exchange="pasted description",
    Explanations="offensiveness target_group speaker_intent power_dynamics implication emotional_reaction "
    "cognitive_reaction",
    Candidate="text",
    Reply="text",
    ReplyComment="text",
    Submission="text",
    Sample="text reason",
)
"""What a person wrote or a model said about a post, and copies of it, as far as the pages of this walk show them."""
IN_ITS_OWN_FIELD = {("Label.note", "annotation:label-correct")}
"""Somebody's own words, in the field in which they change them."""


def test_no_page_shows_what_is_said_of_a_post_before_its_reader_opens_it(marked: World):
    """Every page of annotators, reviewers and admins is read as it comes, and the search for the words too."""
    addresses = {name: reverse(name, kwargs=dict(route.parts(marked))) for name, route in ROUTES.items()}
    addresses["moderation:run"] = reverse("moderation:run", kwargs=a_finished_run(marked))
    a_scored_item(marked)
    runner.claim_and_perform(Run.objects.latest("pk").pk, worker.planned_model)
    fill(marked)
    add_missing_rows(marked)
    found = f"{reverse('annotation:items', args=[marked.project.slug])}?q={WORD}"
    unguard()
    column = write_everywhere(f" {WORD} told.")
    entries.propose(marked.members[D], EntryValues("nettle", "a plant"), approved=True)  # the matcher is kept by change
    about = {mark: name for mark, name in column.items() if name in ABOUT_POSTS}
    assert set(about.values()) == ABOUT_POSTS
    open_, closed = dict[tuple[str, str], list[str]](), set[str]()
    for role in (A, R, D):
        client = client_of(marked, role)
        read = [(name, addresses[name]) for name, route in ROUTES.items() if is_page_for(name, route, role)]
        for name, address in [*read, ("search", found)]:
            with transaction.atomic():
                answer = client.get(address)
                page = page_of(answer)
                transaction.set_rollback(True)
            assert answer.status_code < 500, name
            for mark in {match.group() for match in MARK.finditer(page)} & about.keys():
                closed.add(about[mark])
                if seen := seen_on(page, mark):
                    open_[about[mark], name] = seen
    assert not open_.keys() - IN_ITS_OWN_FIELD, open_
    assert closed == ABOUT_POSTS


def is_page_for(name: str, route: Route, role: Role) -> bool:
    return "get" in route.methods and (route.roles is None or role in route.roles) and "api:" not in name


def test_no_script_of_a_page_asks_the_api_which_gives_texts_as_they_are():
    for script in (ROOT / "static").glob("*.js"):
        assert "/api/" not in script.read_text(), script


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
