"""The id of a request: the proxy's or a new one. It is in the answer, and a run that the request starts keeps it."""

import logging
import re
from uuid import uuid4

import pytest

from providers.messages import Reply
from runs import origin
from runs.control import start
from runs.models import Run
from scripted_runs import Rounds, perform, register, step, word

pytestmark = pytest.mark.django_db


class Speaker:
    """A model that notes for which request and run it was asked."""

    name, sees_pictures = "scripted:lines", True

    def __init__(self):
        self.asked_for = []

    def reply(self, request):
        self.asked_for.append((origin.request_id.get(), origin.run_id.get()))
        return Reply(word("yes"), "lines")


@pytest.mark.parametrize(
    "sent", ["7f3a", "0af7651916cd43dd8448eb211c80319c", "Root=1-67891233-abcdef01234567891234567"]
)
def test_a_well_formed_id_is_kept(client, sent):
    assert client.get("/livez", headers={"X-Request-ID": sent})["X-Request-ID"] == sent


@pytest.mark.parametrize("sent", ["", "a b", "a\x1b[31m", "x" * 65, "-rf", "ключ", '{"a":1}', "a/b"])
def test_another_one_is_replaced(client, sent):
    answer = client.get("/livez", headers={"X-Request-ID": sent} if sent else {})
    assert re.fullmatch("[0-9a-f]{32}", answer["X-Request-ID"])


def test_each_request_has_its_own_and_a_refused_one_has_one_too(client):
    answers = [client.get("/livez"), client.get("/nowhere/"), client.generic("BREW", "/livez"), client.get("/queues/")]
    assert len({answer["X-Request-ID"] for answer in answers}) == 4


def test_what_is_logged_of_a_request_names_it_also_after_the_last_middleware(client):
    seen = []

    class Noted(logging.Handler):
        def emit(self, record):
            seen.append((record.getMessage(), origin.request_id.get()))

    handler, log = Noted(), logging.getLogger("django.request")
    log.addHandler(handler)
    client.get("/nowhere/", headers={"X-Request-ID": "abc"})
    log.removeHandler(handler)
    assert seen == [("Not Found: /nowhere/", "abc")]
    assert origin.request_id.get() == ""


def test_a_run_keeps_the_request_that_started_it_and_its_models_are_asked_for_it(monkeypatch, transactional_db):
    register(Rounds([[step("a"), step("b")]]), monkeypatch)
    with origin.of_request("abc"):
        start.queue_runs([start.RunRequest("rounds", uuid4(), uuid4(), {"speaker": "scripted:lines"})], enqueue=False)
    run, speaker = Run.objects.get(), Speaker()
    perform(run, speaker)
    assert speaker.asked_for == [("abc", str(run.public_id))] * 2
    assert (origin.request_id.get(), origin.run_id.get()) == ("", "")


def test_a_run_that_is_tried_again_belongs_to_the_request_that_asked_for_it(monkeypatch, transactional_db):
    register(Rounds(), monkeypatch)
    with origin.of_request("first"):
        start.queue_runs([start.RunRequest("rounds", uuid4(), uuid4(), {})], enqueue=False)
    Run.objects.update(state="failed")
    with origin.of_request("second"):
        assert start.retry_run(Run.objects.get().public_id, enqueue=False)
    assert Run.objects.get().request_id == "second"
