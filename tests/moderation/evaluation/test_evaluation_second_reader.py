"""The role `reader` in evaluations: accuracy, refusal rates and scores follow it, and the report says who read what."""

import csv
import json
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.domain.choices import Stage
from annotation.models import Project
from builders import category, make_item, make_project
from moderation.domain.evaluation.tables.render import markdown
from moderation.domain.evaluation.tables.report_tables import tables_of
from moderation.evaluation.arms import stored_arms
from moderation.models import Evaluation
from runs.models import Run
from wire.server import WireServer, say, status
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)

SURE = "It attacks immigrants by “weeds”.\nConclusion: hateful"
OPEN = "It says “roses”, and that is that."
DECLINES = "I would rather not engage with this beyond saying that immigrants are called things in it."


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    settings.RUN_BUSY_ROUNDS = 1
    with models_at_a_server(settings, ("explainer", "reader", "estimator"), attempts=1) as server:
        yield server


@pytest.fixture
def project() -> Project:
    project = make_project("garden")
    texts = (("p1", "those immigrants are weeds", 1), ("p2", "the roses bloom", 0), ("p3", "send immigrants home", 1))
    for name, text, code in texts:
        kind = category(project, code)
        final = {"category": kind, "hateful": kind.hateful, "category_source": "imported"}
        make_item(project, text, external_id=name, stage=Stage.GOLD, **final)
    return project


def reads(refusal: bool = False, conclusion: bool | None = True) -> Any:
    return say(json.dumps({"refusal": refusal, "conclusion": conclusion, "group": None, "tie": None}))


def evaluate(*arguments: Any) -> dict[str, Any]:
    out = StringIO()
    with suppress(SystemExit):  # its code says that something has no answer
        call_command("evaluate", *map(str, arguments), "--json", "--threads", "1", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def explained(wire: WireServer, *second: Any) -> None:
    """Let the explainer be sure of p1, conclude nothing of p2 and decline p3."""
    wire.queue(say(SURE), say(OPEN), say(DECLINES), model="explainer")
    wire.queue(*second, model="reader")


def test_accuracy_and_refusals_follow_the_reader_and_both_are_counted(
    wire: WireServer, project: Project, tmp_path: Path
) -> None:
    explained(wire, reads(conclusion=False), reads(conclusion=True))
    found = evaluate("explain", "garden", "--shots", "0", "--scores", "keyword", "--out", tmp_path)
    (result,) = found["report"]["results"]
    assert result["readings"] == {"reader": "openai:reader", "counts": {"rules": 1, "reader": 2, "nobody": 0}}
    assert (result["figures"]["accuracy"]["mean"], result["coverage"]["refused"]) == (1, 0)
    assert result["spent"]["calls"] == 5 == len(wire.heard)  # the scores ask nobody again
    said = result["explanations"]
    assert said["readings"] == result["readings"] and said["figures"]["htc"]["mean"] == 1
    assert found["report"]["arms"][0]["plan"]["reader"] == found["report"]["arms"][0]["reader"] == "openai:reader"
    with (tmp_path / "readings.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [list(row.values()) for row in csv.DictReader(file)]
    assert rows == [
        ["explain, shots = 0", "garden", "openai:reader", "1", "2", "0"],
        ["explain, shots = 0: scores", "garden", "openai:reader", "1", "2", "0"],
    ]
    lines = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted((row["read_by"], row["hateful"]) for row in lines) == [
        ("reader", False),
        ("reader", True),
        ("rules", True),
    ]
    assert "Who read the explanations" in markdown(found["report"])


def test_what_the_reader_calls_a_refusal_is_in_the_rate(wire: WireServer, project: Project) -> None:
    explained(wire, reads(refusal=True, conclusion=None), reads(refusal=True, conclusion=None))
    (result,) = evaluate("explain", "garden", "--shots", "0", "--scores", "keyword")["report"]["results"]
    assert result["readings"]["counts"] == {"rules": 1, "reader": 2, "nobody": 0}
    assert (result["coverage"]["refused"], result["coverage"]["unreadable"]) == (2, 0)


def test_without_an_answer_of_the_reader_the_rules_reading_stands(wire: WireServer, project: Project) -> None:
    explained(wire, *[status(400)] * 3)  # for the two runs, and for the score of the explanation without a conclusion
    (result,) = evaluate("explain", "garden", "--shots", "0", "--scores", "keyword")["report"]["results"]
    assert result["readings"]["counts"] == {"rules": 2, "reader": 0, "nobody": 1}
    assert (result["coverage"]["refused"], result["coverage"]["unreadable"]) == (1, 1)
    assert result["explanations"]["readings"]["counts"] == {"rules": 1, "reader": 0, "nobody": 1}


def test_without_a_reader_reports_and_plans_are_as_before(
    wire: WireServer, project: Project, settings: Any, tmp_path: Path
) -> None:
    del settings.MODEL_BINDINGS["MODEL_READER"]
    explained(wire)
    found = evaluate(
        "explain", "garden", "--shots", "0", "--scores", "keyword", "--model", "openai:explainer", "--out", tmp_path
    )
    (result,) = found["report"]["results"]
    assert "readings" not in result and "readings" not in result["explanations"]
    assert "reader" not in found["report"]["arms"][0] and not (tmp_path / "readings.csv").exists()
    assert "read_by" not in (tmp_path / "answers.jsonl").read_text()
    assert {key for run in Run.objects.all() for key in run.model_plan} == {"explainer", "estimator"}
    assert (result["coverage"]["refused"], result["coverage"]["unreadable"], len(wire.heard)) == (1, 1, 3)
    assert all(table.key != "readings" for table in tables_of(found["report"]))


def test_verdicts_that_their_own_reason_contradicts_are_counted(
    wire: WireServer, project: Project, settings: Any, tmp_path: Path
) -> None:
    settings.MODEL_BINDINGS["MODEL_BASELINE"] = "openai:baseline"
    wire.queue(reads(conclusion=False), model="reader")
    answers = (("It attacks people. Conclusion: not hateful", True), ("Roses. Conclusion: not hateful", False))
    for reason, hateful in (*answers, ("It is open.", True)):
        wire.queue(say(json.dumps({"reason": reason, "hateful": hateful})), model="baseline")
    found = evaluate("baseline", "garden", "--variant", "binary", "--out", tmp_path)
    assert found["report"]["arms"][0]["contradicted"] == 2  # one by the rules, one by the reader
    assert "verdicts whose own reason concludes the opposite: 2." in markdown(found["report"])
    lines = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row.get("contradicted", False) for row in lines].count(True) == 2
    assert found["report"]["results"][0]["readings"]["counts"] == {"rules": 2, "reader": 1, "nobody": 0}


def test_one_model_for_all_speakers_leaves_the_reader_to_the_site(wire: WireServer, project: Project) -> None:
    explained(wire, reads(), reads())
    evaluate("explain", "garden", "--shots", "0", "--scores", "none", "--model", "openai:explainer")
    (arm,) = stored_arms(Evaluation.objects.get())
    assert arm.plan == {"explainer": "openai:explainer", "reader": "openai:reader"}
