"""Dawid-Skene beside the majority: exact on small examples, and equal to an EM of our own on real labels."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation import tasks
from annotation.analytics.quality import competence
from annotation.analytics.quality.competence import COMPETENCE, CannotEstimate, ask, estimate
from annotation.consensus.close import close_item
from annotation.core.jobs import LAPSE, UNCLAIMED
from annotation.domain.choices import CompetenceMethod, Role, Stage
from annotation.models import CompetenceEstimate, Item, JobState, Membership, Project
from builders import make_labelled_item, make_member, make_project

pytestmark = pytest.mark.django_db

fitted_once = pytest.mark.once
"""A fit is made by a process that knows no database; one test on each (`test_the_command_…`) reads and stores there."""
fitted_here = pytest.mark.usefixtures("fit_in_this_process")

ROOT = Path(__file__).resolve().parents[4]
HONEST = [(0, 0, 1), (0, 0, 1), (1, 1, 0), (1, 1, 0)]
"""Four items by two honest annotators and one who says the opposite every time."""


@pytest.fixture
def project() -> Project:
    return make_project(categories=((0, "No", False), (1, "Yes", True)))


@pytest.fixture
def people(project: Project) -> list[Membership]:
    return [make_member(project, pseudonym=name) for name in ("ann", "ben", "contrary")]


def closed(project: Project, people: list[Membership], codes: tuple[int, ...]) -> Item:
    item = make_labelled_item(project, people, codes)
    close_item(item)
    return item


@pytest.fixture
def labelled(project: Project, people: list[Membership]) -> list[Item]:
    return [closed(project, people, codes) for codes in HONEST]


def of(result: dict[str, Any], member: Membership) -> dict[str, Any]:
    return next(each for each in result["people"] if each["member"] == str(member.public_id))


@fitted_here
@fitted_once
def test_dawid_skene_sees_through_somebody_who_says_the_opposite(project, people, labelled):
    """Worked by hand: with the honest two as the truth everything fits, and the third one's table is turned round."""
    result = estimate(project)
    assert (result["labels"], result["items"], result["annotators"]) == (12, 4, 3)
    assert result["priors"] == pytest.approx([0.5, 0.5], abs=1e-6)
    assert of(result, people[0])["accuracy"] == pytest.approx(1, abs=1e-6)
    assert of(result, people[2])["accuracy"] == pytest.approx(0, abs=1e-6)
    assert of(result, people[2])["diagonal"] == pytest.approx([0, 0], abs=1e-6)
    assert np.array(of(result, people[2])["confusion"]) == pytest.approx(np.array([[0, 1], [1, 0]]), abs=1e-6)
    assert result["differing"] == []


@fitted_here
@fitted_once
def test_items_where_the_model_is_not_the_majority_are_listed_by_public_id(project, people):
    """Two others answer by the toss of a coin beside two who always agree: the model follows those who agree."""
    fourth, fifth = make_member(project), make_member(project)
    tosses = [(0, 1), (1, 0), (0, 0), (1, 1), (1, 0), (0, 1), (1, 1), (0, 0)] * 3
    for number, (one, two) in enumerate(tosses):
        truth = (number // 2) % 2
        closed(project, [*people[:2], fourth, fifth], (truth, truth, one, two))
    # Three for the wrong one: ben slips once, and both coins fall with him.
    slip = closed(project, [people[0], people[1], fourth, fifth], (0, 1, 1, 1))
    result = estimate(project)
    listed = {row["item"]: row for row in result["differing"]}
    votes = {True: 0, False: 0}
    for row in result["differing"]:
        votes[row["majority"] is None] += 1
        assert row["model"] in (0, 1)
        assert 0.5 < row["probability"] <= 1
    assert votes[True] == sum(one == two != (number // 2) % 2 for number, (one, two) in enumerate(tosses))
    assert str(slip.public_id) not in listed or listed[str(slip.public_id)]["majority"] == 1


@fitted_here
def test_known_answers_and_open_items_are_not_in_the_model(project, people, labelled):
    known = closed(project, people, (0, 0, 0))
    Item.objects.filter(pk=known.pk).update(stage=Stage.KNOWN)
    make_labelled_item(project, people, (1, 1, 1))
    assert estimate(project)["labels"] == 12


def test_too_little_for_a_model_is_one_sentence(project, people):
    with pytest.raises(CannotEstimate, match="closed items whose labels name at least two categories"):
        estimate(project)
    closed(project, people, (1, 1, 1))
    with pytest.raises(CannotEstimate):
        estimate(project)


# ── Asked for on a page, fitted by a worker ───────────────────────────────────


@fitted_here
def test_a_worker_fits_what_was_asked_for_once(project, people, labelled):
    admin = make_member(project, Role.ADMIN)
    row = ask(admin)
    assert ask(admin).pk == row.pk
    COMPETENCE.perform(row.pk)
    row.refresh_from_db()
    assert (row.state, row.problem, row.result["labels"]) == (JobState.DONE, "", 12)
    before = row.finished_at
    COMPETENCE.perform(row.pk)  # the bell may ring twice
    row.refresh_from_db()
    assert row.finished_at == before
    assert ask(admin).pk != row.pk


@fitted_here
def test_nothing_about_an_item_changes(project, people, labelled):
    before = list(Item.objects.order_by("pk").values())
    COMPETENCE.perform(ask(make_member(project, Role.ADMIN)).pk)
    assert list(Item.objects.order_by("pk").values()) == before


def test_what_cannot_be_estimated_fails_with_its_sentence(project):
    row = ask(make_member(project, Role.ADMIN))
    COMPETENCE.perform(row.pk)
    row.refresh_from_db()
    assert row.state == JobState.FAILED
    assert row.problem.startswith("The model needs closed items")


def test_mace_that_was_asked_for_before_fails_with_a_sentence(project, labelled):
    row = CompetenceEstimate.objects.create(project=project, method=CompetenceMethod.MACE)
    COMPETENCE.perform(row.pk)
    row.refresh_from_db()
    assert (row.state, row.problem) == (JobState.FAILED, "MACE is fitted no more. Fit Dawid-Skene.")


def test_a_model_whose_process_dies_fails_with_a_sentence(project, people, labelled, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    row = ask(make_member(project, Role.ADMIN))
    COMPETENCE.perform(row.pk)
    row.refresh_from_db()
    assert (row.state, row.problem) == (JobState.FAILED, "The model could not be fitted; the log says why.")


def test_without_the_extra_nothing_is_queued(project, monkeypatch):
    monkeypatch.setattr(competence, "find_spec", lambda name: None)
    with pytest.raises(CannotEstimate, match="pip install"):
        ask(make_member(project, Role.ADMIN))
    assert not CompetenceEstimate.objects.exists()


def test_what_a_dead_worker_left_is_rung_for_again(project):
    row = ask(make_member(project, Role.ADMIN))
    assert COMPETENCE.left_behind() == []
    CompetenceEstimate.objects.filter(pk=row.pk).update(created_at=timezone.now() - 2 * UNCLAIMED)
    assert COMPETENCE.left_behind() == [row.pk]
    CompetenceEstimate.objects.filter(pk=row.pk).update(state=JobState.WORKING, beat_at=timezone.now())
    assert COMPETENCE.left_behind() == []
    CompetenceEstimate.objects.filter(pk=row.pk).update(beat_at=timezone.now() - 2 * LAPSE)
    assert COMPETENCE.left_behind() == [row.pk]
    tasks.perform_job("competence", row.pk)
    row.refresh_from_db()
    assert row.state == JobState.FAILED


def test_the_command_stores_and_prints_the_estimate(project, labelled):
    printed = StringIO()
    call_command("competence", project.slug, "--json", stdout=printed)
    value = json.loads(printed.getvalue())
    row = CompetenceEstimate.objects.get()
    assert (value["estimate"], value["method"], value["items"]) == (str(row.public_id), "dawid-skene", 4)
    assert row.ordered_by is None
    with pytest.raises(CommandError):
        call_command("competence", "no-such-project", "--json", stdout=StringIO())


@fitted_once
def test_neither_the_site_nor_a_worker_loads_the_library():
    code = (
        "import django, sys; django.setup(); import config.urls, config.celery, annotation.tasks\n"
        "print([name for name in ('pandas', 'crowdkit', 'sklearn', 'transformers') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True,
        env={"PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "config.settings_for_tests", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.stdout.strip() == "[]"


# ── Real labels ───────────────────────────────────────────────────────────────


def our_own_em(items: Any, people: Any, labels: Any, steps: int) -> tuple[Any, Any, Any]:
    """Dawid and Skene (1979) in the plain: begin with the shares of votes, then E, priors, M, `steps` times."""
    n_items, n_people, n = items.max() + 1, people.max() + 1, labels.max() + 1
    posterior = np.zeros((n_items, n))
    np.add.at(posterior, (items, labels), 1)
    posterior /= posterior.sum(axis=1, keepdims=True)

    def tables() -> Any:
        counted = np.zeros((n_people, n, n))  # [person][said][true]
        np.add.at(counted, (people, labels), posterior[items])
        said = counted.sum(axis=2, keepdims=True) > 0
        counted = np.where(said, np.maximum(counted, 1e-10), 0)
        return counted / counted.sum(axis=1, keepdims=True)

    priors, errors = posterior.mean(axis=0), tables()
    for _step in range(steps):
        joint = np.tile(np.log(priors), (n_items, 1))
        np.add.at(joint, items, np.log(errors[people, labels]))
        joint = np.exp(joint - joint.max(axis=1, keepdims=True))
        posterior = joint / joint.sum(axis=1, keepdims=True)
        priors, errors = posterior.mean(axis=0), tables()
    return posterior, priors, errors


def made_labels(seed: int, n_items: int, n_people: int, n: int) -> tuple[Any, Any, Any]:
    """Three labels an item by people of unlike care, of whom a few say most: some have a handful of labels."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n, size=n_items)
    care, share = rng.uniform(0.55, 0.95, n_people), rng.dirichlet([0.3] * n_people) + 0.001
    people = np.concatenate([rng.choice(n_people, 3, replace=False, p=share / share.sum()) for _item in truth])
    items = np.repeat(np.arange(n_items), 3)
    labels = np.where(rng.random(len(items)) < care[people], truth[items], rng.integers(n, size=len(items)))
    return items, np.unique(people, return_inverse=True)[1], labels


@fitted_here
@fitted_once
def test_the_tables_of_people_with_few_labels_are_settled_when_the_fit_ends():
    items, people, labels = made_labels(1, 300, 12, 3)
    asked = {"items": items.tolist(), "annotators": people.tolist(), "labels": labels.tolist(), "categories": 3}
    fitted = competence._fitted(asked | {"method": "dawid-skene"})
    _posterior, priors, errors = our_own_em(items, people, labels, 5_000)
    assert fitted["priors"] == pytest.approx(priors.tolist(), abs=5e-3)
    assert np.array(fitted["confusion"]) == pytest.approx(errors.swapaxes(1, 2), abs=5e-3)


@pytest.mark.slow
@fitted_once
@pytest.mark.shared_data
def test_dawid_skene_on_hatexplain_is_what_our_own_em_finds(shared_data):
    codes = {"normal": 0, "offensive": 1, "hatespeech": 2}
    project = make_project("hatexplain", categories=((0, "normal", 0), (1, "offensive", 1), (2, "hatespeech", 1)))
    call_command("import_items", "hatexplain", shared_data / "hatexplain_val.jsonl", "--json", stdout=StringIO())
    result = estimate(project)
    posts = [json.loads(line) for line in (shared_data / "hatexplain_val.jsonl").open()]
    names = sorted({vote["annotator_id"] for post in posts for vote in post["annotators"]})
    rows = [(number, names.index(vote["annotator_id"]), codes[vote["label"]])
            for number, post in enumerate(posts) for vote in post["annotators"]]  # fmt: skip
    items, people, labels = np.array(rows).T
    posterior, priors, errors = our_own_em(items, people, labels, result["iterations"])

    assert (result["labels"], result["items"], result["annotators"]) == (5766, 1922, 212)
    assert result["priors"] == pytest.approx(priors.tolist(), abs=1e-6)
    of_name = {str(public_id): names.index(int(name)) for name, public_id in Membership.objects.filter(
        project=project).values_list("imported_name", "public_id")}  # fmt: skip
    for each in result["people"]:
        who = of_name[each["member"]]
        mine = people == who
        assert each["labels"] == mine.sum()
        assert each["accuracy"] == pytest.approx(posterior[items[mine], labels[mine]].mean(), abs=1e-6)
        met = posterior[items[mine]].sum(axis=0)
        for code in range(3):
            assert (each["diagonal"][code] is None) == (met[code] < 0.5)
            if met[code] >= 0.5:
                assert each["diagonal"][code] == pytest.approx(errors[who, code, code], abs=1e-6)
                assert each["confusion"][code] == pytest.approx(errors[who, :, code].tolist(), abs=1e-6)
    counts = np.zeros((len(posts), 3), dtype=int)
    np.add.at(counts, (items, labels), 1)
    apart = np.flatnonzero(counts.argmax(axis=1) != posterior.argmax(axis=1))  # every post has a majority here
    by_id = dict(Item.objects.filter(project=project).values_list("external_id", "public_id"))
    assert {row["item"] for row in result["differing"]} == {str(by_id[posts[each]["post_id"]]) for each in apart}
    assert 50 < len(apart) < 600
