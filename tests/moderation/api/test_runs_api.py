"""Runs over the API: the same verbs as the pages, the same people, one sentence for what cannot be had."""

from typing import Any

import pytest
from django.test import Client

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Membership, Project
from builders import make_labelled_item, make_member, make_open_item, make_project
from moderation.debates import start
from runs.execution import runner, worker
from runs.models import Run

pytestmark = pytest.mark.django_db

RUNS = "/api/v1/projects/garden/runs/"


@pytest.fixture(autouse=True)
def _built_in_only(settings: Any) -> None:
    settings.MODEL_BINDINGS = {}


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def item(project: Project) -> Item:
    people = [make_member(project) for _ in range(3)]
    made = make_labelled_item(project, people, [1, 2, 0], text="All immigrants are vermin.", external_id="post-1")
    close_item(made)
    return made


@pytest.fixture
def reviewer(project: Project) -> Client:
    return client_of(make_member(project, Role.REVIEWER))


def client_of(member: Membership) -> Client:
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


def send(client: Client, path: str, **fields: Any) -> Any:
    return client.post(path, fields, content_type="application/json")


def test_a_run_is_started_listed_looked_at_and_judged_again(project: Project, item: Item, reviewer: Client) -> None:
    answer = send(reviewer, RUNS, method="arcade", items=["post-1"], options={"rounds": 2})
    assert (answer.status_code, answer.json()) == (202, {"queued": 1})
    listed = reviewer.get(RUNS).json()
    assert (listed["count"], listed["results"][0]["state"], listed["results"][0]["item"]) == (1, "queued", "post-1")

    run = Run.objects.get()
    runner.claim_and_perform(run.pk, worker.planned_model)
    shown = reviewer.get(f"{RUNS}{run.public_id}/").json()
    assert (shown["state"], shown["hateful"], shown["calls"]) == ("succeeded", True, 4)
    assert [turn["key"] for turn in shown["turns"]] == ["gate", "prosecutor.1", "defender.1", "judge"]

    again = send(reviewer, f"{RUNS}{run.public_id}/judge/", judge="keyword:cues-1")
    assert again.status_code == 202 and Run.objects.get(public_id=again.json()["run"]).forked_from == run
    assert reviewer.post(f"{RUNS}{run.public_id}/cancel/").json() == {"cancelled": False}


@pytest.mark.parametrize("method", ["arcade", "predict", "baseline", "explain"])
def test_an_empty_list_of_posts_is_no_post(item: Item, reviewer: Client, method: str) -> None:
    answer = send(reviewer, RUNS, method=method, items=[])
    assert (answer.status_code, answer.json()) == (202, {"queued": 0})
    assert not Run.objects.exists()


def test_a_run_that_stopped_goes_on_over_the_api_and_one_that_waits_says_for_what(
    project: Project, item: Item, reviewer: Client
) -> None:
    send(reviewer, RUNS, method="arcade")
    run = Run.objects.get()
    assert reviewer.get(f"{RUNS}{run.public_id}/").json()["waits"]["for"] == "worker"
    runner.claim_and_perform(run.pk, worker.planned_model)
    refused = reviewer.post(f"{RUNS}{run.public_id}/retry/")
    assert (refused.status_code, refused.json()["code"]) == (409, "nothing_to_ask")
    run.turns.filter(key="judge").update(state="refused", reason="refused", value=None)
    Run.objects.update(state="refused", reason="refused", outcome=None)
    answer = reviewer.post(f"{RUNS}{run.public_id}/retry/")
    second = Run.objects.get(public_id=answer.json()["run"])
    assert (answer.status_code, second.forked_from, second.turns.count()) == (202, run, 3)
    assert reviewer.get(f"{RUNS}{run.public_id}/").json()["waits"] is None


def test_starting_what_was_answered_before_names_the_runs_and_the_field_that_asks_anew(
    project: Project, item: Item, reviewer: Client
) -> None:
    send(reviewer, RUNS, method="baseline")
    run = Run.objects.get()
    answer = send(reviewer, RUNS, method="baseline").json()
    assert answer == {"queued": 0, "answered_before": [str(run.public_id)], "to_ask_anew": "again"}
    runner.claim_and_perform(run.pk, worker.planned_model)
    assert send(reviewer, RUNS, method="baseline", again=True).json() == {"queued": 1}


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"method": "arcade", "options": {"rounds": 99}}, "bad_choice"),
        ({"method": "arcade", "options": {"colour": 1}}, "bad_choice"),
        ({"method": "arcade", "models": {"judge": "nobody:at-all"}}, "bad_choice"),
        ({"method": "arcade", "models": {"gardener": "keyword:cues-1"}}, "bad_choice"),
        ({"method": "arcade", "items": ["post-9"]}, "unknown_item"),
    ],
)
def test_what_cannot_be_started_is_refused_with_a_code_and_a_sentence(
    item: Item, reviewer: Client, fields: dict[str, Any], code: str
) -> None:
    answer = send(reviewer, RUNS, **fields)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert answer.json()["detail"] and not Run.objects.exists()


def test_an_unknown_state_is_refused_by_name(reviewer: Client) -> None:
    answer = reviewer.get(RUNS, {"state": "asleep"})
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_filter")


def test_a_list_says_nothing_of_items_that_the_caller_may_be_asked_about(project: Project) -> None:
    both = client_of(make_member(project, Role.ANNOTATOR, Role.REVIEWER))
    open_item = make_open_item(project, "All immigrants are vermin.", external_id="post-2")
    start.start_runs(project, Item.objects.all(), start.DebateRequest("baseline"), ring=False)
    run = Run.objects.get()
    runner.claim_and_perform(run.pk, worker.planned_model)
    (row,) = both.get(RUNS).json()["results"]
    assert (row["item"], row["hateful"], row["category"], row["reason"]) == (None, None, None, None)
    assert both.get(f"{RUNS}{run.public_id}/").status_code == 404
    assert open_item.external_id not in both.get(RUNS).content.decode()


def test_only_a_few_questions_are_asked_however_many_runs_there_are(
    project: Project, item: Item, reviewer: Client, django_assert_num_queries: Any
) -> None:
    for number in range(12):
        wish = start.DebateRequest("baseline", {"temperature": number / 10})
        start.start_runs(project, Item.objects.all(), wish, ring=False)
    with django_assert_num_queries(6):
        assert reviewer.get(RUNS).json()["count"] == 12
