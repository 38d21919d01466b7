"""Batches by command and over the API: the same figures."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

import builders
from annotation.domain.choices import BatchState, Role, Stage
from annotation.models import Batch, Project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = builders.make_project("winter", seats=3)
    Batch.objects.create(project=project, name="hedges", state=BatchState.WAITING)
    builders.make_item(project, batch="hedges", stage=Stage.READY)
    return project


def command(*words: str) -> dict[str, object]:
    out = StringIO()
    call_command("batches", *words, "--json", stdout=out)
    found: dict[str, object] = json.loads(out.getvalue())
    return found


def test_a_batch_is_opened_paused_resumed_and_closed(project):
    assert command("winter", "hedges", "open") == {"opened": 1, "pictures_missing": 0, "waiting_for_priors": 0}
    assert command("winter", "hedges", "pause")["state"] == "paused"
    assert command("winter", "hedges", "resume")["state"] == "open"
    assert command("winter", "hedges", "close")["state"] == "closed"
    with pytest.raises(CommandError, match="is closed"):
        command("winter", "hedges", "pause")
    with pytest.raises(CommandError, match="no batch 'roses'"):
        command("winter", "roses")


def test_all_that_wait_are_opened_together(project):
    for name in ("hedges", "roses"):
        with pytest.raises(CommandError, match="--open-all opens every batch"):
            command("winter", name, "--open-all")
    assert Batch.objects.get().state == BatchState.WAITING
    assert command("winter", "--open-all") == {"opened": 1, "pictures_missing": 0, "waiting_for_priors": 0}
    assert Batch.objects.get().state == BatchState.OPEN


def test_the_command_says_how_many_items_wait_for_their_priors(project):
    project.priors_wanted = True
    project.save()
    for _ in range(2):
        builders.make_item(project, batch="hedges", stage=Stage.IMPORTED)
    assert command("winter", "hedges", "open") == {"opened": 1, "pictures_missing": 0, "waiting_for_priors": 2}


def test_people_read_a_line_a_batch(project):
    out = StringIO()
    call_command("batches", "winter", stdout=out)
    assert out.getvalue() == "hedges: waiting, 0 of 3 seats, finish -\n"


def test_the_api_says_the_same_to_admins(project):
    builders.make_member(project)
    client = Client()
    client.force_login(builders.make_member(project, Role.ADMIN).user)
    found = client.get("/api/v1/projects/winter/batches/").json()
    assert found == command("winter")
    [batch] = found["batches"]
    assert (batch["name"], batch["state"], batch["items"], batch["members"]) == ("hedges", "waiting", 1, None)
    assert batch["seats"] == {"filled": 0, "held": 0, "free": 0, "not_open": 3}
    assert batch["staffing"] == {"verdict": "people", "stuck_items": 1, "more_people": 2, "labels_short": 0}
    assert (batch["pace"], batch["finish"]) == (None, None)
