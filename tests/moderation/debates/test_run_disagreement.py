"""The disagreement inside a debate: on the page of its run, in the API, of two runs, and of those held before."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Project
from builders import make_labelled_item, make_member, make_project
from moderation.debates import start
from moderation.debates.disagreement import DISAGREEMENT
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
def client(project: Project) -> Client:
    client = Client()
    client.force_login(make_member(project, Role.REVIEWER).user)
    return client


def debate(project: Project, method: str, **options: Any) -> Run:
    start.start_runs(project, Item.objects.all(), start.DebateRequest(method, options), ring=False)
    run = Run.objects.latest("pk")
    runner.claim_and_perform(run.pk, worker.planned_model)
    run.refresh_from_db()
    return run


def figures(client: Client, run: Run) -> dict[str, Any]:
    rows = client.get(f"{RUNS}{run.public_id}/").json()["disagreement"]
    assert all(row["interval"] is None for row in rows)
    return {row["figure"]: row["value"] if row["value"] is not None else row["why"] for row in rows}


def test_a_debate_of_perspectives_tells_entropy_and_changes(client: Client, project: Project, item: Item) -> None:
    run = debate(project, "predict")
    # All five of the built-in baseline say hate, and the other side gives in.
    assert figures(client, run) == {"vote_entropy": 0.0, "stance_changes": 1}
    page = client.get(reverse("moderation:run", args=["garden", run.public_id])).content.decode()
    assert "Disagreement inside the debate" in page and "Entropy of the votes (bits)" in page


def test_a_debate_of_one_round_says_why_nobody_changed_sides(client: Client, project: Project, item: Item) -> None:
    run = debate(project, "predict", rounds=1)
    assert figures(client, run)["stance_changes"] == "There was one round only, so nobody could change sides."
    page = client.get(reverse("moderation:run", args=["garden", run.public_id])).content.decode()
    assert "There was one round only" in page


def test_a_court_tells_what_was_conceded(client: Client, project: Project, item: Item) -> None:
    run = debate(project, "arcade")
    assert set(figures(client, run)) == {"conceded_cues", "stance_changes"}
    assert isinstance(figures(client, run)["conceded_cues"], float)


def test_methods_without_a_debate_tell_nothing(client: Client, project: Project, item: Item) -> None:
    run = debate(project, "baseline")
    assert figures(client, run) == {}
    page = client.get(reverse("moderation:run", args=["garden", run.public_id])).content.decode()
    assert "Disagreement inside the debate" not in page


def test_two_debates_are_compared_by_the_figures_that_both_have(client: Client, project: Project, item: Item) -> None:
    first, second, court = debate(project, "predict"), debate(project, "predict", rounds=1), debate(project, "arcade")
    compare = reverse("moderation:compare", args=["garden"])
    both = client.get(compare, {"a": str(first.public_id), "b": str(second.public_id)}).content.decode()
    assert "Entropy of the votes (bits)" in both and "There was one round only" in both
    other = client.get(compare, {"a": str(first.public_id), "b": str(court.public_id)}).content.decode()
    assert "Changes of stance" in other and "Entropy of the votes (bits)" not in other


def test_a_list_hides_the_figures_of_posts_that_the_caller_may_be_asked_about(project: Project) -> None:
    both = make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    client = Client()
    client.force_login(both.user)
    Item.objects.create(project=project, external_id="open", text="All immigrants are vermin.")
    debate(project, "predict")
    (row,) = client.get(RUNS).json()["results"]
    assert row["disagreement"] == []


@pytest.mark.parametrize(("method", "options"), [("predict", {}), ("predict", {"rounds": 1}), ("arcade", {})])
def test_debates_that_were_held_before_get_the_same_figures(
    project: Project, item: Item, method: str, options: dict[str, Any]
) -> None:
    run = debate(project, method, **options)
    stored = dict(run.outcome or {})
    Run.objects.update(outcome={name: value for name, value in stored.items() if name != "disagreement"})
    import_module("moderation.migrations.0006_disagreement_inside_debates").fill(apps, None)
    run.refresh_from_db()
    assert run.outcome == stored and DISAGREEMENT.table(stored).rows
