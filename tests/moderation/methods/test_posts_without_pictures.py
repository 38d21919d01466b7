"""Methods that judge by words need nobody who describes pictures where a post has none."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.consensus.close import close_item
from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.choices import Role, Stage
from annotation.domain.glossary.entry import EntryValues
from annotation.glossary import entries
from annotation.models import Item, Membership, PictureText, Project
from builders import category, make_item, make_labelled_item, make_member, make_picture, make_project
from moderation.debates import start
from moderation.debates.start import DebateRequest, NobodyDescribes
from moderation.domain.task import Task
from moderation.evaluation import start as evaluation_start
from moderation.evaluation.arms import ArmGrid
from moderation.evaluation.collect_answers import FileReading, GoldSource, file_items, gold_items
from moderation.evaluation.request import Wish
from moderation.methods.post_case import post_of
from runs.models import Run

pytestmark = pytest.mark.django_db

LEFT_OUT = "1 post with a picture is left out, because no model can describe it."

ASKED = {
    "stage": "disputed",
    "method": "predict",
    "repeats": "1",
    "rounds": "3",
    "track": "auto",
    "task": "six",
    "describe": "on",
}
"""The form that starts PREDICT on all disputed posts."""


@pytest.fixture(autouse=True)
def _words_only(settings: Any) -> None:
    settings.OPENAI_BASE_URL, settings.DASHSCOPE_API_KEY = "http://127.0.0.1:9/v1", ""
    settings.MODEL_BINDINGS = {"MODEL_TEXT": "openai:small"}


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def reviewer(project: Project) -> Membership:
    return make_member(project, Role.REVIEWER)


def disputed(project: Project, name: str, **fields: Any) -> Item:
    made = make_labelled_item(project, [make_member(project) for _ in range(3)], [1, 2, 0], external_id=name, **fields)
    close_item(made)
    return made


def client_of(member: Membership) -> Client:
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


@pytest.mark.parametrize(("method", "options"), [("predict", {}), ("antihateagent", {"retrieval": "none"})])
def test_a_post_without_a_picture_needs_no_model_that_sees(project: Project, method: str, options: Any):
    item = disputed(project, "words")
    wish = DebateRequest(method, options)
    assert start.count_left_out(project, Item.objects.all(), wish) == (0, "")
    assert start.start_runs(project, Item.objects.all(), wish, ring=False) == 1
    (run,) = start.runs_answering(project, Item.objects.all(), wish)
    assert run.subject == item.public_id and "describer" not in run.model_plan


def test_of_posts_with_and_without_pictures_those_without_are_asked_about(project: Project, reviewer: Membership):
    words, _pictured = disputed(project, "words"), disputed(project, "pictured", picture=make_picture(project))
    client, place = client_of(reviewer), reverse("moderation:start", args=["garden"])
    page = client.post(place, ASKED).content.decode()
    assert LEFT_OUT in page and "set MODEL_VISION to openai:NAME" in page
    page = client.post(place, {**ASKED, "count": "2"}, follow=True).content.decode()
    assert f"1 run started. {LEFT_OUT}" in page
    assert [run.subject for run in Run.objects.all()] == [words.public_id]


def test_posts_that_all_have_pictures_are_refused_before_anybody_confirms(project: Project, reviewer: Membership):
    item = disputed(project, "pictured", picture=make_picture(project))
    with pytest.raises(NobodyDescribes, match="MODEL_VISION"):
        start.start_runs(project, Item.objects.all(), DebateRequest("predict"), ring=False)
    assert start.start_runs(project, Item.objects.all(), DebateRequest("predict", {"describe": False}), ring=False) == 1
    answer = client_of(reviewer).post(reverse("moderation:start", args=["garden"]), ASKED)
    page = answer.content.decode()
    assert answer.status_code == 422 and "MODEL_VISION" in page and "0 posts" not in page
    assert item.external_id == "pictured" and Run.objects.count() == 1


def test_the_api_and_the_command_tell_how_many_are_left_out(
    project: Project, reviewer: Membership, capsys: pytest.CaptureFixture[str]
):
    disputed(project, "words")
    disputed(project, "pictured", picture=make_picture(project))
    answer = client_of(reviewer).post(
        "/api/v1/projects/garden/runs/", {"method": "predict"}, content_type="application/json"
    )
    assert answer.status_code == 202, answer.content
    assert answer.json() | {"why_left_out": ""} == {"queued": 1, "left_out": 1, "why_left_out": ""}
    call_command("run", "predict", "garden", "--json")
    told = capsys.readouterr()
    assert LEFT_OUT in told.err and told.out.count('"run"') == 1


def test_words_that_were_read_in_a_picture_stand_beside_its_description_and_in_the_glossary_s_reach(project, settings):
    settings.MODEL_BINDINGS = {"MODEL_TEXT": "openai:small", "MODEL_VISION": "openai:large"}
    item = disputed(project, "pictured", text="A tidy lawn.", picture=make_picture(project))
    words = PictureText.objects.create(item=item, text="those skittles again", reader="rapidocr 3")
    entries.propose(make_member(project, Role.REVIEWER), EntryValues("skittles", "people, in code"), approved=True)
    start.start_runs(project, Item.objects.all(), DebateRequest("predict", {"glossary": True}), ring=False)
    post = post_of(Run.objects.get())
    assert [entry.term for entry in post.known] == ["skittles"]
    assert "skittles again" not in post._bare  # whoever sees the picture reads it there
    described = post.in_words("A lawn with small figures.")
    assert "Words in its picture, as they were read there" in described.words
    assert described.words.index("small figures") < described.words.index("those skittles again")
    assert "which you are not shown" not in post.in_words("").words
    PictureText.objects.filter(pk=words.pk).update(current=False)
    PictureText.objects.create(item=item, text="corrected later", reader="person")
    assert post_of(Run.objects.get()).picture_text == "those skittles again"  # a run keeps what it began with


@pytest.mark.parametrize("first", ["before", "after"])
def test_words_are_not_asked_about_again_once_somebody_describes(project: Project, settings: Any, first: str):
    words = disputed(project, "words")
    with_eyes = {"MODEL_TEXT": "openai:small", "MODEL_VISION": "openai:large"}
    bindings = [settings.MODEL_BINDINGS, with_eyes]
    for binding in bindings if first == "before" else reversed(bindings):
        settings.MODEL_BINDINGS = binding
        start.start_runs(project, Item.objects.all(), DebateRequest("predict"), ring=False)
        assert [run.subject for run in start.runs_answering(project, Item.objects.all(), DebateRequest("predict"))] == [
            words.public_id
        ]
    settings.MODEL_BINDINGS = with_eyes
    pictured = disputed(project, "pictured", picture=make_picture(project))
    assert start.start_runs(project, Item.objects.all(), DebateRequest("predict"), ring=False) == 1
    asked = Run.objects.order_by("id")
    assert [(run.subject, "describer" in run.model_plan) for run in asked] == [
        (words.public_id, False),
        (pictured.public_id, True),
    ]


def gold(project: Project, name: str, **fields: Any) -> Item:
    kind = category(project, 0)
    fields |= {"stage": Stage.GOLD, "category": kind, "hateful": kind.hateful, "category_source": "imported"}
    return make_item(project, f"The roses of {name} bloom.", external_id=name, **fields)


def begun(project: Project | None, source: GoldSource, method: str = "predict", **options: Any) -> list[Run]:
    """The runs of an evaluation of the method."""
    grid = ArmGrid([method], {name: [value] for name, value in options.items()})
    task = Task.BINARY if method == "predict" else None
    evaluation, _new = evaluation_start.begin(project, [source], Wish(grid=grid, task=task), ring=False)
    return list(evaluation.runs())


@pytest.mark.parametrize(("method", "options"), [("predict", {}), ("antihateagent", {"retrieval": "none"})])
def test_an_evaluation_on_words_alone_needs_no_model_that_sees(project: Project, method: str, options: Any):
    gold(project, "words")
    (run,) = begun(project, gold_items(project), method, **options)
    assert "describer" not in run.model_plan
    gold(project, "pictured", picture=make_picture(project))
    with pytest.raises(NobodyDescribes, match="MODEL_VISION"):
        begun(project, gold_items(project), method, **options)


def test_an_evaluation_on_a_file_looks_whether_its_rows_have_pictures(tmp_path: Path):
    words = tmp_path / "words.csv"
    words.write_text("id,text,label\n1,The roses bloom.,0\n2,The weeds do not.,1\n")
    runs = begun(None, file_items(words, FileReading(DEFAULT_CATEGORIES)))
    assert len(runs) == 2 and not any("describer" in run.model_plan for run in runs)
    (tmp_path / "1.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"red")
    memes = tmp_path / "memes.jsonl"
    memes.write_text('{"id": 1, "img": "1.png", "label": 1, "text": "roses"}\n')
    with pytest.raises(NobodyDescribes, match="MODEL_VISION"):
        begun(None, file_items(memes, FileReading(DEFAULT_CATEGORIES, images=tmp_path)))
