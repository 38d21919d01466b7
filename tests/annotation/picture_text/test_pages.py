"""Words in pictures on the pages and in the API: for reviewers always, for annotators where priors are shown."""

import pytest
from django.test import Client
from django.urls import reverse

import builders
from annotation.assignment import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.domain.answer import Answer
from annotation.domain.choices import PriorDisplay, PriorState, Role
from annotation.domain.glossary.entry import EntryValues
from annotation.glossary import entries
from annotation.labelling import submit
from annotation.models import Item, PictureText, Project
from annotation.picture_text.texts import reading_of, texts_of

pytestmark = pytest.mark.django_db

WORDS = "those skittles on our lawn"


@pytest.fixture
def project() -> Project:
    return builders.make_project("garden", picture_text_for_annotators=True, glossary_for_annotators=True)


@pytest.fixture
def item(project) -> Item:
    item = builders.make_open_item(project, "A tidy lawn.", picture=builders.make_picture(project))
    PictureText.objects.create(item=item, text=WORDS, reader="rapidocr 3", confidence=0.87)
    return item


@pytest.fixture
def wren(project):
    return builders.make_member(project)


@pytest.fixture
def reviewer(project):
    return builders.make_member(project, Role.REVIEWER, pseudonym="Heron")


def client_of(member) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def shown_to(member) -> list[bool]:
    """Whether the words are on the annotator's page, in the API's answer, and among what the glossary explains."""
    client = client_of(member)
    page = client.get("/p/garden/label/").content.decode()
    held = client.post("/api/v1/projects/garden/next/").json()
    explained = client.post(f"/p/garden/label/{held['seat']}/glossary/")
    return [WORDS in page, held["picture_text"] == WORDS, "skittles" in explained.content.decode()]


@pytest.mark.parametrize(
    ("chosen", "shown"),
    [
        ({}, [True, True, True]),
        ({"picture_text_for_annotators": False}, [False, False, False]),
        ({"withheld_percent": 100}, [False, False, False]),
    ],
    ids=["asked for", "off by default", "withheld at this seat"],
)
def test_an_annotator_sees_the_words_only_where_the_project_says_so_and_priors_are_shown(
    project, item, wren, reviewer, chosen, shown
):
    Project.objects.filter(pk=project.pk).update(**chosen)
    entries.propose(reviewer, EntryValues("skittles", "people, in code"), approved=True)
    assert shown_to(wren) == shown


def test_words_open_with_the_priors_after_the_first_answer(project, item, wren):
    Project.objects.filter(pk=project.pk).update(prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
    client = client_of(wren)
    assert WORDS not in client.get("/p/garden/label/").content.decode()
    outcome = claim.claim(wren)
    assert isinstance(outcome, HeldSeat)
    submit.submit_first_answer(wren, outcome.seat.public_id, Answer(category=0))
    assert WORDS in client.get("/p/garden/label/").content.decode()


def test_a_reviewer_sees_the_words_and_the_glossary_s_finding_and_corrects_them(project, item, reviewer):
    entries.propose(reviewer, EntryValues("skittles", "people, in code"), approved=True)
    client, address = client_of(reviewer), reverse("annotation:item", args=["garden", item.public_id])
    page = client.get(address).content.decode()
    assert WORDS in page
    assert "rapidocr 3" in page
    assert "87 % sure" in page
    assert "among the words in the picture" in page
    form = {"text": "those weeds on our lawn", "seen": reading_of(item).pk}
    correction = reverse("annotation:picture-text", args=["garden", item.public_id])
    page = client.post(correction, form, follow=True).content.decode()
    assert "those weeds on our lawn" in page
    assert "The words are stored as you read them." in page
    assert "a person" in page
    assert "Heron" in page
    page = client.post(correction, form | {"text": "too late"}, follow=True).content.decode()
    assert "yours was not stored" in page
    assert "You had written: “too late”" in page
    assert reading_of(item).text == "those weeds on our lawn"


def test_the_api_names_words_reader_and_findings(project, item, reviewer):
    entries.propose(reviewer, EntryValues("skittles", "people, in code"), approved=True)
    address = f"/api/v1/projects/garden/items/{item.public_id}/"
    answer = client_of(reviewer).get(address).json()
    read = answer["picture_text"]
    assert (read["text"], read["reader"], read["state"]) == (WORDS, "rapidocr 3", "ok")
    assert [(term["term"], term["in_picture"]) for term in answer["glossary"]] == [("skittles", True)]


def test_items_are_found_by_the_words_in_their_pictures(project, item, reviewer):
    builders.make_item(project, "No skittles here.", external_id="other")
    found = client_of(reviewer).get("/api/v1/projects/garden/items/", {"picture_text": "SKITTLES"}).json()
    assert [row["external_id"] for row in found["results"]] == [item.external_id]
    found = client_of(reviewer).get("/api/v1/projects/garden/items/", {"q": "skittles"}).json()
    assert len(found["results"]) == 2


def test_the_import_page_says_how_far_the_reading_is_and_why_it_does_not_go_on(project, item):
    admin = builders.make_member(project, Role.ADMIN)
    builders.make_item(project, picture=builders.make_picture(project))
    client = client_of(admin)
    address = reverse("annotation:import", args=["garden"])
    assert "1 of 2 read, 1 with words; 1 wait, 0 could not be read." in client.get(address).content.decode()
    Project.objects.filter(pk=project.pk).update(picture_reader="none")
    page = client.post(reverse("annotation:read-pictures", args=["garden"]), HTTP_REFERER=address, follow=True)
    assert "nobody reads its pictures" in page.content.decode()


@pytest.mark.parametrize(
    ("term", "languages", "words"),
    [
        ("벽돌새", ("ko",), "저기 벽돌\n새 좀 봐"),
        ("铁皮鸟", ("zh",), "那只铁皮\n鸟又来了"),
        ("rust finch", ("en",), "A RUST\nFINCH"),
    ],
)
def test_a_term_is_found_across_the_lines_of_a_picture(project, item, reviewer, term, languages, words):
    entries.propose(reviewer, EntryValues(term, "people, in code", languages=languages), approved=True)
    PictureText.objects.filter(item=item).update(text=words)
    found = entries.found_in_item(project, texts_of(item))
    assert [(row.entry.term, row.in_picture) for row in found] == [(term, True)]


def test_what_could_not_be_read_here_is_offered_to_a_model_with_its_price_or_the_page_says_what_is_missing(
    project, item, settings
):
    admin = builders.make_member(project, Role.ADMIN)
    for _ in range(2):
        hard = builders.make_item(project, picture=builders.make_picture(project, (40, 30)))
        PictureText.objects.create(item=hard, reader="rapidocr 3", state=PriorState.UNREADABLE, reason="unsure")
    address = reverse("annotation:import", args=["garden"])
    settings.MODEL_BINDINGS = {}
    page = client_of(admin).get(address).content.decode()
    assert "2 pictures could not be read here. A model that sees pictures may read them." in " ".join(page.split())
    assert "set MODEL_PICTURE_READER" in page and "Ask a model" not in page
    settings.MODEL_BINDINGS = {"MODEL_TEXT": "openai:small", "MODEL_VISION": "openai:sees"}
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    page = " ".join(client_of(admin).get(address).content.decode().split())
    assert "Ask a model for the 2 pictures that could not be read here (a call each)" in page
