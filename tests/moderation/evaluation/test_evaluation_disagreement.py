"""An evaluation holds the disagreement of debates against that of people: whose votes count, what the report tells."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.choices import Role, Stage
from annotation.models import Item, Project, Replacement
from builders import category, make_label, make_labelled_item, make_member, make_project
from moderation.domain.disagreement import panel_disagreement
from moderation.evaluation import start
from moderation.evaluation.arms import ArmGrid, stored_arms
from moderation.evaluation.collect_answers import FileReading, file_items, gold_items
from moderation.evaluation.files import write_report_files
from moderation.evaluation.report import report_of
from moderation.evaluation.request import Wish
from moderation.models import Evaluation, EvaluationState
from runs.domain.states import RunState
from runs.models import Run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _built_in_only(settings: Any) -> None:
    settings.MODEL_BINDINGS = {}


@pytest.fixture
def project() -> Project:
    return make_project("garden")


def gold(project: Project, name: str, codes: list[int | None]) -> Item:
    item = make_labelled_item(project, [make_member(project) for _ in codes], codes, external_id=name)
    decided = {"category": category(project, 1), "hateful": True, "category_source": "consensus"}
    Item.objects.filter(pk=item.pk).update(stage=Stage.GOLD, **decided)
    return item


def votes_of(project: Project) -> dict[str, tuple[int, int]]:
    return {row.gold.id: row.votes for row in gold_items(project).rows}


# ── Whose votes count ─────────────────────────────────────────────────────────


def test_votes_are_those_of_the_last_round_with_replacements_and_without_not_sure(project: Project) -> None:
    gold(project, "clear", [1, 2, 3])
    gold(project, "split", [1, 0, None])
    replaced = gold(project, "replaced", [1, 0, None])
    label = replaced.labels.get(category=None)
    Replacement.objects.create(
        item=replaced, label=label, category=category(project, 0), reviewer=make_member(project, Role.REVIEWER)
    )
    again = gold(project, "again", [1, 1, 1])
    Item.objects.filter(pk=again.pk).update(round=2)
    for number in (1, 2):
        seat = again.seat_rows.create(round=2, number=number, seats=2)
        make_label(seat, make_member(project), 0)
    gold(project, "nobody", [])
    assert votes_of(project) == {
        "clear": (3, 0),
        "split": (1, 1),
        "replaced": (1, 2),
        "again": (0, 2),
        "nobody": (0, 0),
    }


def test_the_votes_of_a_project_take_one_query(project: Project, django_assert_num_queries: Any) -> None:
    for number in range(5):
        gold(project, f"post-{number}", [1, 0, 0])
    with django_assert_num_queries(2):
        assert set(votes_of(project).values()) == {(1, 2)}


def test_the_votes_of_a_file_are_those_of_its_annotators(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "text": "Weeds.", "gold": "1", "labels": [{"annotator": "x", "category": "1"}]},
        {
            "id": "b",
            "text": "Roses.",
            "gold": "0",
            "labels": [
                {"annotator": "x", "category": "Racist"},
                {"annotator": "y", "category": "0"},
                {"annotator": "z", "not_sure": True},
            ],
        },
        {"id": "c", "text": "Thorns.", "gold": "2"},
    ]
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    rows = file_items(file, FileReading(DEFAULT_CATEGORIES)).rows
    assert [row.votes for row in rows] == [(1, 0), (1, 1), (0, 0)]


# ── The report ────────────────────────────────────────────────────────────────


def evaluated(project: Project, method: str) -> Evaluation:
    """An evaluation whose debates are as divided as people are."""
    evaluation, _new = start.begin(project, [gold_items(project)], Wish(grid=ArmGrid((method,))), ring=False)
    by_id = {str(case.public_id): case for case in evaluation.cases.all()}
    for run in evaluation.runs():
        case = by_id[str(run.subject)]
        figures = panel_disagreement(case.votes_hateful + 1, case.votes_other, 0, 2) if method == "predict" else {}
        outcome = {"hateful": True, "category": 1, "reason": "weeds", **figures}
        Run.objects.filter(pk=run.pk).update(state=RunState.SUCCEEDED, outcome=outcome)
    evaluation.report = report_of(evaluation, stored_arms(evaluation), evaluation.runs())
    evaluation.state = EvaluationState.DONE
    evaluation.save()
    return evaluation


def divided(project: Project) -> None:
    for number in range(4):
        for name, codes in {"all": [1, 1, 1, 1, 1], "one": [1, 1, 1, 1, 0], "two": [1, 1, 1, 0, 0]}.items():
            gold(project, f"{name}-{number}", codes)


def test_the_table_is_on_the_page_in_the_files_and_in_the_report(project: Project, tmp_path: Path) -> None:
    divided(project)
    evaluation = evaluated(project, "predict")
    assert evaluation.report is not None
    entropy, changes = evaluation.report["results"][0]["disagreement"]
    assert (entropy["figure"], entropy["items"], entropy["why"]) == ("vote_entropy", 12, None)
    assert entropy["rho"] == pytest.approx(1.0) and entropy["interval"] == pytest.approx([1.0, 1.0])
    assert (changes["rho"], changes["why"]) == (None, "one_value")
    write_report_files(evaluation, tmp_path)
    with (tmp_path / "disagreement.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[1][1:4] == ["vote_entropy", "12", rows[1][3]] and float(rows[1][3]) == pytest.approx(1.0)
    assert rows[2][-1].startswith("One of the two figures is the same")
    lines = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text("utf-8").splitlines()]
    assert all(set(line["disagreement"]) == {"vote_entropy", "stance_changes"} for line in lines)
    client = Client()
    client.force_login(make_member(project, Role.REVIEWER).user)
    page = client.get(reverse("moderation:evaluation", args=["garden", evaluation.public_id])).content.decode()
    assert "Disagreement of debates and of people" in page and "entropy of the votes (bits)" in page
    assert (
        client.get(
            reverse("moderation:evaluation-table", args=["garden", evaluation.public_id, "disagreement"])
        ).content
        == (tmp_path / "disagreement.csv").read_bytes()
    )


def test_methods_without_a_debate_have_no_such_table(project: Project, tmp_path: Path) -> None:
    divided(project)
    evaluation = evaluated(project, "baseline")
    assert evaluation.report is not None and "disagreement" not in evaluation.report["results"][0]
    assert "disagreement.csv" not in write_report_files(evaluation, tmp_path)


def test_gold_that_came_with_the_data_has_no_votes_and_says_so(project: Project) -> None:
    for number in range(12):
        gold(project, f"post-{number}", [])
    report = evaluated(project, "predict").report
    assert report is not None
    assert {figure["why"] for figure in report["results"][0]["disagreement"]} == {"no_votes"}
