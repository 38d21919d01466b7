"""Pictures read by a model: what is asked, for which pictures, what becomes of the answer, what it costs."""

import json

import pytest
from django.core.management import CommandError, call_command

import builders
from annotation.core.jobs import JobRefused
from annotation.domain.choices import PictureReader, PriorState
from annotation.models import Item, PictureText, Project
from annotation.picture_text import requests
from annotation.picture_text.presenters import fault_of
from annotation.picture_text.texts import reading_of
from providers.messages import Picture, Refused
from providers.vendors.scripted import ScriptedModel
from runs.methods.prompts import load_prompt
from runs.models import Run
from runs.queue import task_messages
from scripted_runs import perform

pytestmark = pytest.mark.django_db

COPIED = json.dumps({"lines": ["정원의 잡초가", "또 자랐다"]})


@pytest.fixture(autouse=True)
def _models(settings, monkeypatch):
    """A model that sees; nobody answers the bell."""
    settings.MODEL_BINDINGS = {"MODEL_TEXT": "openai:small", "MODEL_VISION": "openai:sees"}
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    monkeypatch.setattr(task_messages, "enqueue_task", lambda name, run_id: True)


@pytest.fixture
def project() -> Project:
    return builders.make_project("memes", picture_reader=PictureReader.MODEL)


def test_a_model_copies_the_words_once_for_all_items_that_show_the_picture(project):
    picture = builders.make_picture(project, (40, 30))
    items = [builders.make_item(project, "", picture=picture) for _ in range(2)]
    builders.make_item(project)
    requests.read_pictures(project)
    requests.read_pictures(project)
    run = Run.objects.get()
    model = ScriptedModel(COPIED)
    run = perform(run, model)
    assert (run.state, run.calls) == ("succeeded", 1)
    (asked,) = model.asked
    assert asked.role == "picture_reader"
    assert [type(part) for part in asked.messages[1].parts].count(Picture) == 1
    for item in items:
        reading = reading_of(item)
        assert (reading.text, reading.reader, reading.language) == ("정원의 잡초가\n또 자랐다", "openai:sees", "ko")
        assert reading.run_id == run.public_id
    assert run.turns.get().prompt_digest == load_prompt("annotation", "picture_text", "read").digest
    assert requests.reading_progress(project).waiting == 0


def test_a_refusal_is_a_sentence_and_can_be_read_again(project):
    item = builders.make_item(project, picture=builders.make_picture(project, (40, 30)))
    requests.read_pictures(project)
    perform(Run.objects.get(), ScriptedModel(Refused("I do not copy that.")))
    assert reading_of(item).state == PriorState.REFUSED
    assert fault_of(reading_of(item)) == "The model declined to read the picture."
    requests.read_pictures(project, again=True)
    perform(Run.objects.latest("pk"), ScriptedModel('{"lines": []}'))
    assert (reading_of(item).state, reading_of(item).text) == ("ok", "")
    assert PictureText.objects.filter(item=item).count() == 2


def test_a_model_reads_what_the_reader_on_this_machine_could_not_and_nothing_that_it_could(project):
    Project.objects.filter(pk=project.pk).update(picture_reader=PictureReader.LOCAL)
    project.refresh_from_db()
    unsure, known = (builders.make_item(project, picture=builders.make_picture(project, (40, 30))) for _ in range(2))
    PictureText.objects.create(item=unsure, reader="rapidocr 3", state=PriorState.UNREADABLE, reason="unsure")
    PictureText.objects.create(item=known, reader="rapidocr 3", text="read here")
    now = requests.reading_progress(project)
    assert (now.unread_here, now.model_may_help) == (1, True)
    assert "a model may read it" in fault_of(reading_of(unsure))
    requests.read_pictures(project, reader=PictureReader.MODEL)
    perform(Run.objects.get(), ScriptedModel(COPIED))
    assert (reading_of(unsure).language, reading_of(known).text) == ("ko", "read here")
    assert not requests.reading_progress(project).model_may_help
    PictureText.objects.filter(item=unsure, current=True).update(state=PriorState.REFUSED, text="")
    requests.read_pictures(project, reader=PictureReader.MODEL)
    assert Run.objects.count() == 1  # a model that declined is not asked at every turn


def test_nobody_is_asked_where_no_model_sees_pictures_and_the_reason_is_a_sentence(project, settings):
    settings.MODEL_BINDINGS = {}
    Item.objects.create(project=project, external_id="a", picture=builders.make_picture(project, (40, 30)))
    with pytest.raises(JobRefused, match="MODEL_PICTURE_READER"):
        requests.read_pictures(project)
    requests.read_new_pictures(project)  # an import goes on
    assert not Run.objects.exists()
    now = requests.reading_progress(project)
    assert (now.waiting, "MODEL_VISION" in now.problem) == (1, True)
    with pytest.raises(CommandError, match="MODEL_PICTURE_READER"):
        call_command("read_pictures", "memes", "--json")
