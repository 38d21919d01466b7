"""What is counted while people and workers act: each thing once, after its commit, under names that are bounded."""

from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

import builders
from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.core import signals
from annotation.domain.answer import Answer
from annotation.labelling.submit import submit_label
from annotation.models import Seat
from config.monitoring import counters, model_labels
from providers.messages import ProviderBusy, Refused, Reply, Usage
from runs.methods.method import Step, StepKind
from scripted_runs import Rounds, perform, queued, register, step, word

pytestmark = pytest.mark.django_db(transaction=True)

COUNTED = "config.monitoring.middleware.RequestCounts"


class Answers:
    """A model that gives these replies, or raises these faults, one after the other."""

    name, sees_pictures = "scripted:lines", True

    def __init__(self, *replies):
        self._replies = list(replies)

    def reply(self, request):
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


def said(text: str, tokens: tuple[int, int] = (10, 5)) -> Reply:
    return Reply(word(text), "lines", Usage(*tokens), seconds=2.0)


@pytest.fixture
def rounds(monkeypatch):
    return register(Rounds([[step("a")], [step("b")]]), monkeypatch)


@pytest.fixture
def named(settings):
    """The settings name the model and its price: 2 for a million tokens in, 10 for one out."""
    settings.MODEL_BINDINGS = {"MODEL_TEXT": "scripted:lines"}
    settings.MODEL_PRICES = {"scripted:lines": (2.0, 10.0)}
    settings.MODEL_PRICE_CURRENCY = "EUR"
    model_labels.named_models.cache_clear()
    yield
    model_labels.named_models.cache_clear()


def test_requests_are_counted_by_view_method_and_status(counted, settings, client):
    settings.MIDDLEWARE = [COUNTED, *settings.MIDDLEWARE]
    client.get("/livez")
    client.get("/livez")
    client.post("/livez")
    client.get("/p/somebody/nowhere/at/all/")
    figures = counted()
    assert figures["interplay_http_requests_total{method=GET,status=200,view=livez}"] == 2
    assert figures["interplay_http_requests_total{method=POST,status=405,view=livez}"] == 1
    assert figures["interplay_http_requests_total{method=GET,status=404,view=none}"] == 1
    assert figures["interplay_http_request_seconds_count{view=livez}"] == 3
    assert not [name for name in figures if "somebody" in name]


def test_what_a_middleware_refuses_is_counted_too(counted, settings, client):
    settings.MIDDLEWARE = [COUNTED, *settings.MIDDLEWARE]
    client.generic("BREW", "/livez")
    assert counted()["interplay_http_requests_total{method=other,status=405,view=none}"] == 1


def test_a_request_takes_no_further_query(counted, settings):
    person = builders.make_user()

    def queries() -> int:
        client = Client()
        client.force_login(person)
        client.get("/")
        with CaptureQueriesContext(
            connection,
        ) as captured:
            client.get("/")
        return len(captured)

    plain = queries()
    settings.MIDDLEWARE = [COUNTED, *settings.MIDDLEWARE]
    assert queries() == plain > 0
    assert counted()["interplay_http_requests_total{method=GET,status=200,view=annotation:projects}"] == 2


def test_an_answer_is_given_although_nothing_can_be_counted(counted, settings, client, monkeypatch, caplog):
    settings.MIDDLEWARE = [COUNTED, *settings.MIDDLEWARE]
    monkeypatch.setattr(counters.REQUESTS, "labels", lambda *values: (_ for _ in ()).throw(OSError(28, "no space")))
    assert client.get("/livez").status_code == client.get("/livez").status_code == 200
    assert caplog.text.count("A request was not counted") == 1


def test_claims_and_labels_are_counted(counted):
    project = builders.make_project(seats=2)
    builders.make_open_item(project)
    for _ in range(2):
        annotator = builders.make_member(project)
        outcome = claim(annotator)
        assert isinstance(outcome, HeldSeat)
        claim(annotator)  # the same seat again
        key = uuid4()
        for _twice in range(2):  # sent twice, stored once
            submit_label(annotator, outcome.seat.public_id, key, Answer(category=0))
    figures = counted()
    assert figures["interplay_claims_total{ahead=no}"] == 2
    assert figures["interplay_labels_total{closed=no}"] == figures["interplay_labels_total{closed=yes}"] == 1


def test_what_is_undone_is_not_counted(counted):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        signals.send_after_commit(signals.seat_claimed, Seat, ahead=False)
        raise ZeroDivisionError
    assert "interplay_claims_total{ahead=no}" not in counted()


def test_without_listeners_nothing_is_kept_for_the_commit():
    with transaction.atomic():
        signals.send_after_commit(signals.seat_claimed, Seat, ahead=False)
        assert connection.run_on_commit == []


def test_model_calls_are_counted_with_their_tokens_and_their_cost(counted, rounds, named):
    perform(
        queued(), Answers(said("yes", (1000, 500)), Reply("no JSON", "lines", Usage(1000, 500)), said("again", (10, 5)))
    )
    figures = counted()
    call = "interplay_model_calls_total{model=scripted:lines,outcome=%s,role=speaker}"
    assert figures[call % "ok"] == 2
    assert figures[call % "asked_again"] == 1
    assert figures["interplay_model_tokens_total{direction=in,model=scripted:lines}"] == 2010
    assert figures["interplay_model_tokens_total{direction=out,model=scripted:lines}"] == 1005
    # 2010 × 2 / 1,000,000 + 1005 × 10 / 1,000,000
    assert figures["interplay_model_spend_total{currency=EUR,model=scripted:lines}"] == pytest.approx(0.01407)
    assert figures["interplay_model_call_seconds_count{model=scripted:lines}"] == 3
    assert figures["interplay_runs_ended_total{method=rounds,state=succeeded}"] == 1


def test_refusals_are_counted_and_calls_that_wait_for_a_busy_provider(counted, rounds, named):
    perform(queued(), Answers(Refused("I would rather not.")))
    perform(queued(), Answers(ProviderBusy("too many", retry_after=9.0)))
    figures = counted()
    call = "interplay_model_calls_total{model=scripted:lines,outcome=%s,role=speaker}"
    assert figures[call % "refused"] == figures[call % "waits"] == 1
    assert figures["interplay_model_refusals_total{model=scripted:lines}"] == 1
    assert figures["interplay_runs_ended_total{method=rounds,state=refused}"] == 1
    assert "interplay_runs_ended_total{method=rounds,state=queued}" not in figures


def test_a_model_that_only_a_wildcard_allows_has_no_name_of_its_own(counted, rounds, settings):
    settings.MODEL_ALLOWED = ["scripted:*"]
    model_labels.named_models.cache_clear()
    perform(queued(), Answers(said("yes"), said("again")))
    assert counted()["interplay_model_calls_total{model=scripted:other,outcome=ok,role=speaker}"] == 2
    model_labels.named_models.cache_clear()


def test_a_search_is_counted_by_its_kind_and_what_the_site_reads_itself_is_not(counted, monkeypatch):
    kinds = (StepKind.SEARCH, StepKind.READ)
    steps = [Step(kind, "searcher", kind=kind, work=lambda: {"word": "yes"}) for kind in kinds]
    at_home = Step("own", "searcher", kind=StepKind.SEARCH, work=lambda: {"word": "yes"}, at_home=True)
    register(Rounds([[*steps, at_home]]), monkeypatch)
    assert perform(queued(), Answers()).state == "succeeded"
    calls = {name: number for name, number in counted().items() if name.startswith("interplay_model_calls_total")}
    assert calls == {"interplay_model_calls_total{model=search,outcome=ok,role=searcher}": 1}
