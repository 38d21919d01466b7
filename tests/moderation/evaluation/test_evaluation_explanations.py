"""HateXScore in an evaluation: what is explained is scored by runs of their own, beside how often it is right."""

import csv
import json
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.domain.choices import Role, Stage
from annotation.models import Project
from builders import category, make_item, make_member, make_project
from moderation.domain.evaluation.tables.report_tables import tables_of
from moderation.hatexscore import group_lists
from moderation.models import Evaluation, Score
from providers import wiring
from runs.models import Run
from wire.server import WireServer, say, status

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    with WireServer() as server:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = server.openai_url, "sk-CANARY-1"
        settings.MODEL_ATTEMPTS, settings.MODEL_BACKOFF = 1, 0
        settings.MODEL_BINDINGS = {"MODEL_EXPLAINER": "openai:explainer", "MODEL_BASELINE": "openai:baseline"}
        settings.MODEL_ALLOWED = ["openai:*"]
        for cache in (wiring._connection, wiring._breaker, wiring._gate):
            cache.cache_clear()
        yield server


@pytest.fixture
def project() -> Project:
    """Two hateful posts and one that is not, all final."""
    project = make_project("garden")
    for name, text, code in (
        ("p1", "those immigrants are weeds", 1),
        ("p2", "the roses bloom", 0),
        ("p3", "send the immigrants home", 1),
    ):
        kind = category(project, code)
        make_item(
            project,
            text,
            external_id=name,
            stage=Stage.GOLD,
            category=kind,
            hateful=kind.hateful,
            category_source="imported",
        )
    return project


def explain(quote: str, hateful: bool, group: str = "immigrants") -> Any:
    """An explanation that quotes the text and, where it says hateful, attacks a group in the same sentence."""
    word = "hateful" if hateful else "non-hateful"
    attack = f'It attacks {group} by "{quote}".' if hateful else f'It says "{quote}" about a garden.'
    return say(f"{attack}\nConclusion: {word}")


def evaluate(*arguments: Any) -> dict[str, Any]:
    out = StringIO()
    with suppress(SystemExit):  # its code says that something has no answer
        call_command("evaluate", *map(str, arguments), "--json", "--threads", "1", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def p(value: float) -> Any:
    return say(str(value))


def test_the_explanations_are_scored_and_printed_beside_accuracy_and_f1(
    wire: WireServer, project: Project, tmp_path: Path
) -> None:
    # p1: right, D = 0.8; p2: right, D = 0, so QF = 1; p3: called non-hateful, D = 0.9, so QF = 0.1.
    wire.queue(
        *(explain("weeds", True), explain("roses", False), explain("immigrants", False)),
        *(p(0.9), p(0.1), p(0.2), p(0.2), p(0.95), p(0.05)),
        model="explainer",
    )
    found = evaluate("explain", "garden", "--shots", "0", "--out", tmp_path)
    assert found["state"] == "done" and len(wire.heard) == 9
    (result,) = found["report"]["results"]
    said = result["explanations"]
    # HTC 1 1 1; TGI: only p1 names a group outside its quotes; CC: p1 0.8 ≥ 0.3 with a group, p2 and p3 without one.
    means = {name: figure["mean"] for name, figure in said["figures"].items()}
    assert means == pytest.approx(
        {"htc": 1, "qf": (0.8 + 1 + 0.1) / 3, "tgi": 1 / 3, "cc": 1, "score": (3.8 + 3 + 2.1) / 12}
    )
    assert said["counts"] == {"scored": 3}
    assert (said["estimated_by"], said["rule"], said["threshold"]) == ("openai:explainer", "paper", 0.3)
    low, high = said["interval"]
    assert 2.1 / 4 <= low < means["score"] < high <= 3.8 / 4
    # Accuracy 2/3; hateful: 1 of 2 found, none wrong, so F1 2/3; not hateful: 1 of 2 right, F1 2/3.
    assert result["figures"]["accuracy"]["mean"] == pytest.approx(2 / 3)
    with (tmp_path / "explanations.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert float(row["HateXScore"]) == pytest.approx((3.8 + 3 + 2.1) / 12)
    assert float(row["F1 hateful"]) == pytest.approx(2 / 3) and float(row["Macro F1"]) == pytest.approx(2 / 3)
    assert (row["Scored"], row["Explained by"]) == ("3", "openai:explainer")
    assert "Explanations (HateXScore)" in (tmp_path / "report.md").read_text()
    assert result["spent"]["calls"] == 3 and said["spent"]["calls"] == 6
    assert not Score.objects.exists()


def test_a_second_go_asks_nothing_and_another_threshold_is_another_evaluation(
    wire: WireServer, project: Project
) -> None:
    wire.queue(
        *(explain("weeds", True), explain("roses", False), explain("send", True)), *[p(0.5)] * 6, model="explainer"
    )
    first = evaluate("explain", "garden")
    again = evaluate("explain", "garden")
    assert again["evaluation"] == first["evaluation"] and len(wire.heard) == 9
    wire.queue(
        *(explain("weeds", True), explain("roses", False), explain("send", True)), *[p(0.5)] * 6, model="explainer"
    )
    other = evaluate("explain", "garden", "--rule", "released", "--threshold", "0")
    assert other["evaluation"] != first["evaluation"]
    (said,) = (each["explanations"] for each in other["report"]["results"])
    assert (said["rule"], said["threshold"]) == ("released", 0)


def test_repeats_and_shots_are_scored_each_for_itself_and_the_baseline_is_named(
    wire: WireServer, project: Project
) -> None:
    wire.queue(
        *[each for _ in range(4) for each in (explain("weeds", True), explain("roses", False), say("Conclusion: ?"))],
        model="explainer",
    )
    found = evaluate("explain", "garden", "--shots", "0", "--shots", "2", "--repeats", "2", "--scores", "keyword")
    results = found["report"]["results"]
    assert [each["arm"] for each in results] == ["explain, shots = 0", "explain, shots = 2"]
    assert [each["explanations"]["counts"] for each in results] == [{"scored": 6}] * 2
    assert results[0]["explanations"]["figures"]["htc"] == {"mean": pytest.approx(2 / 3), "sd": 0, "repeats": 2}
    assert len(wire.heard) == 12 and Run.objects.filter(method="score").count() == 12
    assert found["runs"] == {"succeeded": 24}
    (evaluation,) = Evaluation.objects.all()
    (table,) = [each for each in tables_of(evaluation.report) if each.key == "explanations"]
    assert "no language model" in table.note


def test_what_was_refused_is_counted_apart_and_what_failed_can_be_asked_again(
    wire: WireServer, project: Project
) -> None:
    wire.queue("refusal", explain("roses", False), explain("send", True), model="explainer")
    wire.queue(p(0.5), p(0.5), status(500), status(500), model="explainer")
    found = evaluate("explain", "garden")
    (result,) = found["report"]["results"]
    assert result["explanations"]["counts"] == {"refused": 1, "scored": 1, "failed": 1}
    (table,) = [each for each in tables_of(found["report"]) if each.key == "coverage"]
    # Asked, scored, refused, unusable, failed, cancelled, missing; a refusal is covered, a failure is not.
    assert list(table.rows[1][2:10]) == [3, 1, 1, 0, 1, 0, 0, pytest.approx(2 / 3)]
    wire.queue(p(1), p(0), model="explainer")
    heard = len(wire.heard)
    again = evaluate("explain", "garden", "--retry-failed")
    (result,) = again["report"]["results"]
    assert result["explanations"]["counts"] == {"refused": 1, "scored": 2}
    assert len(wire.heard) == heard + 2


def test_reasons_of_other_methods_are_scored_where_that_is_asked_for(wire: WireServer, project: Project) -> None:
    verdict = {"reason": "The words attack immigrants: “weeds”.", "hateful": True}
    wire.queue(*[say(json.dumps(verdict))] * 3, model="baseline")
    found = evaluate("baseline", "garden", "--variant", "binary")
    assert "explanations" not in found["report"]["results"][0]
    wire.queue(*[say(json.dumps(verdict))] * 3, model="baseline")
    wire.queue(*[explain("roses", False)] * 3, p(0.5), p(0.5), model="explainer")
    found = evaluate("baseline,explain", "garden", "--option", "baseline:variant=binary", "--again")
    assert ["explanations" in each for each in found["report"]["results"]] == [False, True]
    wire.queue(*[say(json.dumps(verdict))] * 3, p(1), p(0), model="baseline")
    found = evaluate("baseline", "garden", "--variant", "binary", "--scores", "model")
    said = found["report"]["results"][0]["explanations"]
    # The label is appended as a conclusion; only p1 holds the quoted word.
    assert said["figures"]["htc"]["mean"] == 1 and said["figures"]["qf"]["mean"] == pytest.approx(1 / 3)


def test_a_list_of_the_project_decides_which_groups_count(wire: WireServer, project: Project) -> None:
    group_lists.add(project, "gardeners", {"work": ["gardener"]}, make_member(project, Role.ADMIN))
    answers = (explain("weeds", True, "gardeners"), explain("roses", False), explain("send", True))
    wire.queue(*answers, *[p(0.5)] * 6, model="explainer")
    found = evaluate("explain", "garden", "--list", "gardeners")
    said = found["report"]["results"][0]["explanations"]
    assert (said["list"], said["figures"]["tgi"]["mean"]) == ("gardeners", pytest.approx(1 / 3))
    with pytest.raises(CommandError, match="no group list 'nobody'"):
        evaluate("explain", "garden", "--list", "nobody")
    with pytest.raises(CommandError, match="--threshold is 0 to 1"):
        evaluate("explain", "garden", "--threshold", "2")
