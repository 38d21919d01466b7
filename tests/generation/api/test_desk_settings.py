"""What people set at the desk by program: intent and registers of a reply, whom a post is about, the platform."""

from uuid import UUID

import pytest

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item
from builders import make_labelled_item, make_member, make_project
from generation.counterspeech import request
from generation.models import Reply
from token_caller import caller

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _built_in_only(settings):
    settings.MODEL_BINDINGS, settings.MODEL_ALLOWED = {}, []


@pytest.fixture
def project():
    return make_project("garden")


@pytest.fixture
def people(project):
    roles = {"heron": Role.REVIEWER, "crane": Role.ADMIN, "wren": Role.ANNOTATOR}
    return {name: make_member(project, role, pseudonym=name) for name, role in roles.items()}


def test_intent_registers_and_text_of_a_draft_are_set_each_alone(project, people):
    exchange = request.open_on_text(project, "They are weeds.")
    heron = caller(people["heron"])
    draft = heron("post", f"counterspeech/exchanges/{exchange.public_id}/replies/", {"intent": "positive"}, 201)
    there = f"counterspeech/replies/{draft['id']}/"
    now = heron("patch", there, {"version": draft["version"], "registers": ["question", "empathy"]})
    assert (now["registers"], now["intent"]) == (["empathy", "question"], "positive")
    now = heron("patch", there, {"version": now["version"], "intent": "questioning"})
    assert (now["registers"], now["intent"]) == (["empathy", "question"], "questioning")
    now = heron("patch", there, {"version": now["version"], "text": "x" * 281, "registers": []})
    assert now["registers"] == []
    lengths = {each["platform"]: each for each in now["lengths"]}
    assert lengths["x"] == {"platform": "x", "length": 281, "most": 280, "over": 1}
    assert lengths["bluesky"]["over"] == 0
    refused = heron("patch", there, {"version": now["version"], "registers": ["shouting"]}, 400)
    assert "registers.0" in refused["fields"]
    assert Reply.objects.get().version == now["version"]


def test_a_platform_that_is_none_is_refused(project, people):
    exchange = request.open_on_text(project, "They are weeds.")
    heron, there = caller(people["heron"]), f"counterspeech/exchanges/{exchange.public_id}/candidates/"
    refused = heron("post", there, {"intents": ["positive"], "platform": "fax"}, 400)
    assert "platform" in refused["fields"]
    heron("post", there, {"intents": ["positive"], "platform": "bluesky"}, 202)


def test_group_and_theme_of_a_post_are_set_by_people_of_the_desk_alone(project, people):
    exchange = request.open_on_text(project, "They are weeds.")
    there = f"counterspeech/exchanges/{exchange.public_id}/"
    for name in ("heron", "crane"):
        call = caller(people[name])
        desk = call("patch", there, {"target_group": f"Newcomers, says {name}"})
        assert desk["target_group"] == f"Newcomers, says {name}"
    desk = call("patch", there, {"theme": "plants"})
    assert (desk["target_group"], desk["theme"]) == ("Newcomers, says crane", "plants")
    desk = call("patch", there, {"target_group": "", "theme": ""})
    assert (desk["target_group"], desk["theme"]) == (None, None)
    refused = call("patch", there, {"theme": "two\nlines"}, 400)
    assert "theme" in refused["fields"]
    caller(people["wren"])("patch", there, {"theme": "plants"}, 404)
    call("patch", f"counterspeech/exchanges/{UUID(int=4)}/", {"theme": "plants"}, 404)


def test_the_group_that_an_item_names_stays(project, people):
    trio = [make_member(project) for _ in range(3)]
    item = make_labelled_item(project, trio, [1, 1, 1], text="Weeds.", external_id="post-1")
    close_item(item)
    Item.objects.filter(pk=item.pk).update(target_group="Gardeners")
    item.refresh_from_db()
    exchange = request.open_on_item(item)
    there = f"counterspeech/exchanges/{exchange.public_id}/"
    desk = caller(people["heron"])("patch", there, {"target_group": "Others", "theme": "plants"})
    assert (desk["target_group"], desk["theme"]) == ("Gardeners", "plants")
