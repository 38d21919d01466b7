"""Evaluations through the run engine: what is asked how often, what is reported, and what a campaign sees of it."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.choices import Role, Stage
from annotation.models import Event, Item, Project
from annotation.operations.audit_runs import run_problems
from annotation.projects import purge
from builders import category, make_item, make_member, make_picture, make_project
from moderation.debates import presenters
from moderation.domain.evaluation.tables.render import markdown
from moderation.domain.predict.answers import DONT_KNOW
from moderation.evaluation import continuation
from moderation.evaluation import start as evaluation_start
from moderation.evaluation.arms import ArmGrid
from moderation.evaluation.collect_answers import FileReading, file_items, gold_items
from moderation.evaluation.request import Wish
from moderation.models import Evaluation, EvaluationCase, EvaluationState
from moderation.perspectives import edit
from runs.control.start import cancel_run_queryset
from runs.domain.states import Flag
from runs.models import Account, Run, Turn
from wire.server import Exchange, WireServer, cached, say, status
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)

ROLES = ("gatekeeper", "prosecutor", "defender", "judge", "baseline", "explainer")


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    with models_at_a_server(settings, ROLES, attempts=1) as server:
        yield server


@pytest.fixture
def project() -> Project:
    """Four gold items of different patterns, a disputed one that no evaluation asks about."""
    project = make_project("garden")
    for number, (code, pattern) in enumerate([(0, "000"), (1, "001"), (0, "110"), (5, "")]):
        gold(project, f"post-{number}", code, pattern)
    make_item(project, "Nobody knows.", external_id="open", stage=Stage.DISPUTED)
    return project


def gold(project: Project, name: str, code: int, pattern: str = "", **fields: Any) -> Item:
    kind = category(project, code)
    return make_item(
        project,
        fields.pop("text", f"The roses of {name} bloom."),
        external_id=name,
        stage=Stage.GOLD,
        category=kind,
        hateful=kind.hateful,
        category_source="imported",
        pattern=pattern or None,
        **fields,
    )


def six(code: int) -> Any:
    return say(json.dumps({"reason": "said “roses”", "category": code}))


def thoughtful(code: int) -> Any:
    text = json.dumps({"reason": "said “roses”", "category": code})
    return lambda exchange: exchange.send(200, exchange.reply(text, thought=200))


def binary(hateful: bool) -> Any:
    return say(json.dumps({"reason": "said “roses”", "hateful": hateful}))


def evaluate(*arguments: Any) -> dict[str, Any]:
    """The command's one JSON value. The command ends with 1 exactly where something has no answer."""
    out, code = StringIO(), 0
    try:
        call_command("evaluate", *map(str, arguments), "--json", "--threads", "1", stdout=out, stderr=StringIO())
    except SystemExit as ended:
        code = int(ended.code or 0)
    found: dict[str, Any] = json.loads(out.getvalue())
    undone = found["open"] or found["fault"] or any(found["runs"].get(state) for state in ("failed", "cancelled"))
    assert code == bool(undone)
    return found


def results(found: dict[str, Any]) -> dict[str, Any]:
    return {each["arm"]: each for each in found["report"]["results"]}


# ── Over a project ────────────────────────────────────────────────────────────


def test_a_method_is_measured_on_the_projects_gold_and_nothing_enters_the_campaign(
    wire: WireServer, project: Project, tmp_path: Path
) -> None:
    project.dispute_model_conflict = True
    project.save()
    before = list(Item.objects.order_by("pk").values())
    # Right, wrong kind, refused, unreadable.
    wire.queue(six(0), six(2), "refusal", *[say("{}")] * 3, model="baseline")
    found = evaluate("baseline", "garden", "--out", tmp_path / "out")
    (result,) = found["report"]["results"]
    (scores,) = result["scores"]
    assert (found["state"], scores["total"], scores["refused"], scores["missing"]) == ("done", 3, 1, 0)
    assert scores["accuracy"] == pytest.approx(1 / 3)
    assert scores["by_difficulty"]["hard"] == {"total": 1, "refused": 1, "accuracy": 0.0}
    assert result["refused_by_pattern"]["110"] == 1
    assert result["coverage"]["unreadable"] == 1
    assert len(wire.heard) == 6
    assert list(Item.objects.order_by("pk").values()) == before
    assert not presenters.debate_runs(project).exists()
    assert list(run_problems(project)) == []
    assert Account.objects.get(project=project.public_id).calls == 6
    assert list(Event.objects.values_list("verb", flat=True)) == ["evaluation_started"]
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"report.json", "report.md", "accuracy.csv", "refusals.csv", "coverage.csv", "answers.jsonl"} <= files
    assert json.loads((tmp_path / "out/report.json").read_text()) == found["report"]
    lines = [json.loads(line) for line in (tmp_path / "out/answers.jsonl").read_text().splitlines()]
    assert [each["calls"] for each in lines] == [1, 1, 1, 3] and "way" not in lines[0]
    assert [(each["id"], each["label"], each["refusal"], each["gold"]) for each in lines] == [
        ("post-0", 0, False, 0),
        ("post-1", 2, False, 1),
        ("post-2", None, True, 0),
        ("post-3", None, False, 5),
    ]


def test_the_answers_file_held_to_gold_again_gives_the_same_figures(
    wire: WireServer, project: Project, tmp_path: Path
) -> None:
    wire.queue(six(0), six(1), "refusal", six(2), model="baseline")
    found = evaluate("baseline", "garden", "--out", tmp_path / "out")
    rows = [
        {"id": item.external_id, "gold": item.category.code, "text": "x"}  # type: ignore[union-attr]
        for item in Item.objects.filter(stage=Stage.GOLD).select_related("category")
    ]
    (tmp_path / "gold.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    out = StringIO()
    arguments = ("--predictions", str(tmp_path / "out/answers.jsonl"), "--gold", str(tmp_path / "gold.jsonl"))
    call_command("evaluate", *arguments, "--json", stdout=out, stderr=StringIO())
    again, (scores,) = json.loads(out.getvalue()), results(found)["baseline"]["scores"]
    names = ("total", "refused", "accuracy", "macro_f1", "weighted_f1", "precision", "recall", "missing")
    assert [again[name] for name in names] == [scores[name] for name in names]


def test_binary_answers_are_fed_back_where_the_first_category_is_hateful_and_a_run_failed(
    wire: WireServer, tmp_path: Path
) -> None:
    project = make_project("km", categories=((0, "Origin", True), (1, "Age", True), (8, "None", False)))
    for number, code in enumerate((0, 8, 8, 1, 1)):
        gold(project, f"post-{number}", code)
    # Right, right, wrong, refused, failed.
    wire.queue(binary(True), binary(False), binary(True), "refusal", status(400), model="baseline")
    found = evaluate("baseline", "km", "--task", "binary", "--out", tmp_path / "out")
    (scores,) = results(found)["baseline"]["scores"]
    assert (scores["total"], scores["refused"], scores["missing"]) == (3, 1, 1)
    (tmp_path / "gold.jsonl").write_text(
        "\n".join(
            json.dumps({"id": name, "gold": code, "text": "x"})
            for name, code in Item.objects.values_list("external_id", "category__code")
        )
    )
    out, told = StringIO(), StringIO()
    words = ("--predictions", str(tmp_path / "out/answers.jsonl"), "--gold", str(tmp_path / "gold.jsonl"))
    call_command("evaluate", *words, "--project", "km", "--task", "binary", "--json", stdout=out, stderr=told)
    assert json.loads(out.getvalue()) == scores
    assert "no label that counts" not in told.getvalue()


def test_repeats_are_real_calls_and_the_same_command_asks_nothing_twice(wire: WireServer, project: Project) -> None:
    wire.queue(*[six(0)] * 4, *[six(code) for code in (0, 1, 1, 5)], *[six(0)] * 4, model="baseline")
    found = evaluate("baseline", "garden", "--repeats", "3")
    # A repeat asks again in the same words, so what a provider has read before costs less.
    assert len(wire.heard) == 12 and len({each.digest for each in wire.heard}) == 4
    result = results(found)["baseline"]
    # Accuracies 2/4, 3/4, 2/4: mean 7/12, sample deviation √(1/48).
    assert result["figures"]["accuracy"] == {
        "mean": pytest.approx(7 / 12),
        "sd": pytest.approx((1 / 48) ** 0.5),
        "repeats": 3,
    }
    assert result["kappa"] is not None
    again = evaluate("baseline", "garden", "--repeats", "3")
    assert (again["evaluation"], again["report"], len(wire.heard)) == (found["evaluation"], found["report"], 12)
    wire.queue(*[six(0)] * 12, model="baseline")
    fresh = evaluate("baseline", "garden", "--repeats", "3", "--again")
    assert fresh["evaluation"] != found["evaluation"] and len(wire.heard) == 24


def test_new_gold_makes_a_new_evaluation(wire: WireServer, project: Project) -> None:
    wire.queue(*[six(0)] * 9, model="baseline")
    first = evaluate("baseline", "garden")
    gold(project, "post-9", 2)
    second = evaluate("baseline", "garden")
    assert first["evaluation"] != second["evaluation"]
    assert second["report"]["datasets"][0]["items"] == 5


def test_judges_share_one_debate_and_ablations_stand_side_by_side(wire: WireServer) -> None:
    project = make_project("garden")
    gold(project, "post-1", 5, "001", picture=make_picture(project))
    cue = {"id": "c1", "cue_type": "Metaphor", "target_group": "gardeners", "hate_type": 5}
    wire.queue(*[say('{"cues": []}')] * 2, model="gatekeeper")
    first = say(json.dumps({"cues": [cue | {"claim": "c", "justification": "j"}]}))
    later = say(json.dumps({"cues": [cue | {"counter_argument": "c"}]}))
    wire.queue(first, first, later, model="prosecutor")
    wire.queue(*[say('{"rebuttals": []}')] * 3, model="defender")
    wire.queue(six(5), six(5), model="judge")
    wire.queue(six(0), six(0), model="other")
    judges = ("--judge", "openai:judge", "--judge", "openai:other")
    found = evaluate("arcade", "garden", "--rounds", "1", "--rounds", "2", *judges)
    arms = results(found)
    assert list(arms) == [
        f"arcade, K = {k}, openai:gatekeeper → openai:{judge}" for k in (1, 2) for judge in ("judge", "other")
    ]
    # K = 1: 2K + 2 calls and one more for the second judge; K = 2 likewise.
    assert [each["spent"]["calls"] for each in arms.values()] == [4, 1, 6, 1]
    assert len(wire.heard) == 12
    assert [each["scores"][0]["accuracy"] for each in arms.values()] == [1, 0, 1, 0]
    # The gatekeeper saw nothing open; one round, then two of which the second has counter-arguments.
    tracks = [each["tracks"] for each in arms.values()]
    assert [(row["deep"], row["dismissed"], row["rounds"]) for row in tracks] == [(1, 0, k) for k in (1, 1, 2, 2)]
    assert "## Ways of ARCADE" in markdown(found["report"])
    pairs = found["report"]["comparisons"]
    assert len(pairs) == 6 and pairs[0]["first_only"] == 1
    assert evaluate("arcade", "garden", "--rounds", "1", "--rounds", "2", *judges)["report"] == found["report"]
    assert len(wire.heard) == 12


def test_what_a_provider_blocks_is_told_by_category_and_failures_are_coverage(
    wire: WireServer, project: Project
) -> None:
    wire.queue(six(0), "blocked", "context", six(5), model="baseline")
    found = evaluate("baseline", "garden")
    result = results(found)["baseline"]
    blocked = {name: row for name, row in result["refused_by_category"].items() if row["blocked"]}
    assert blocked == {"Racist": {"asked": 1, "refused": 0, "blocked": 1}}
    coverage = result["coverage"]
    assert (coverage["succeeded"], coverage["refused"]) == (2, 1)
    assert coverage["failed"] + coverage["unreadable"] == 1


def test_what_a_model_declines_is_counted_as_refused_in_every_form(wire: WireServer, project: Project) -> None:
    wire.queue(
        status(400, "invalid_prompt", "Your prompt was flagged."),
        status(400, "invalid_parameter_error", "Input data may contain inappropriate content."),
        say(None, finish="content_filter"),
        say(None, refusal="I will not label this."),
        model="baseline",
    )
    found = evaluate("baseline", "garden")
    coverage = results(found)["baseline"]["coverage"]
    assert (coverage["refused"], coverage["failed"], coverage["unreadable"]) == (4, 0, 0)
    by_category = results(found)["baseline"]["refused_by_category"].values()
    assert (sum(row["blocked"] for row in by_category), sum(row["refused"] for row in by_category)) == (3, 1)
    (row,) = [line for line in markdown(found["report"]).splitlines() if line.startswith("| baseline | 4 |")]
    assert "100" in row


def test_thinking_is_counted_among_the_tokens_and_shown_apart(wire: WireServer, project: Project) -> None:
    wire.queue(*[thoughtful(0)] * 4, model="baseline")
    found = evaluate("baseline", "garden")
    spent = results(found)["baseline"]["spent"]
    # The server states 30 tokens of the answer and 200 of thinking for each of four calls.
    assert (spent["output_tokens"], spent["thinking_tokens"]) == (920, 800)
    heading, row = (
        line for line in markdown(found["report"]).splitlines() if "Of these" in line or "| 920 | 800 |" in line
    )
    assert "| Tokens out | Of these thinking |" in heading and "baseline" in row


def test_a_report_says_who_was_asked_without_a_temperature(wire: WireServer, project: Project) -> None:
    wire.queue(status(400, "bad", "temperature is not supported with this model"), *[six(0)] * 4, model="baseline")
    found = evaluate("baseline", "garden")
    assert results(found)["baseline"]["spent"]["without_temperature"] == ["baseline"]
    assert "Asked without a temperature, which their models do not take: baseline." in markdown(found["report"])
    assert len(wire.heard) == 5  # the first call taught it, for all items


def test_failed_runs_are_asked_again_on_demand_and_what_was_answered_stays(wire: WireServer, project: Project) -> None:
    wire.queue(six(0), status(400, "invalid_request_error"), six(0), six(5), model="baseline")
    found = evaluate("baseline", "garden")
    assert (results(found)["baseline"]["coverage"]["failed"], len(wire.heard)) == (1, 4)
    assert results(found)["baseline"]["scores"][0]["missing"] == 1
    wire.queue(six(1), model="baseline")
    again = evaluate("baseline", "garden", "--retry-failed")
    assert (again["evaluation"], len(wire.heard)) == (found["evaluation"], 5)
    assert results(again)["baseline"]["scores"][0]["accuracy"] == 1.0


def test_unreadable_ends_are_asked_again_from_where_they_stopped_and_refusals_only_where_that_is_said(
    wire: WireServer,
) -> None:
    project = make_project("garden")
    for name in ("post-1", "post-2"):
        gold(project, name, 5, "001")
    cue = {"id": "c1", "cue_type": "Metaphor", "target_group": "gardeners", "hate_type": 5}
    first = say(json.dumps({"cues": [cue | {"claim": "c", "justification": "j"}]}))
    wire.queue(*[say('{"cues": []}')] * 2, model="gatekeeper")
    # The first debate stops at its prosecutor, the second at its first judge; the other judge refuses.
    wire.queue(*[say("{}")] * 3, first, model="prosecutor")
    wire.queue(say('{"rebuttals": []}'), model="defender")
    wire.queue(*[say("{}")] * 3, model="judge")
    wire.queue("refusal", model="other")
    grid = ("arcade", "garden", "--rounds", "1", "--judge", "openai:judge", "--judge", "openai:other")
    found = evaluate(*grid)
    coverage = [each["coverage"] for each in results(found).values()]
    assert [(row["unreadable"], row["refused"]) for row in coverage] == [(2, 0), (1, 1)]
    assert len(wire.heard) == 11
    assert evaluate(*grid)["report"] == found["report"] and len(wire.heard) == 11

    wire.queue(first, model="prosecutor")
    wire.queue(say('{"rebuttals": []}'), model="defender")
    wire.queue(six(5), six(5), model="judge")
    wire.queue(six(5), model="other")
    again = evaluate(*grid, "--retry-failed")
    asked = sorted(heard.model for heard in wire.heard[11:])
    # Of the first debate all from the prosecutor on; of the second the judge alone; what the other refused stays.
    assert asked == ["defender", "judge", "judge", "other", "prosecutor"]
    coverage = [each["coverage"] for each in results(again).values()]
    assert [(row["succeeded"], row["unreadable"], row["refused"]) for row in coverage] == [(2, 0, 0), (1, 0, 1)]
    evaluation = Evaluation.objects.get()
    assert (continuation.progress(evaluation).ended, continuation.progress(evaluation).expected) == (4, 4)
    # What the first attempts cost still counts: 4 + 6 calls, then 3 + 1; of the other judge 1, then 1.
    assert [each["spent"]["calls"] for each in results(again).values()] == [14, 2]

    wire.queue(six(5), model="other")
    last = evaluate(*grid, "--retry-refused")
    assert [heard.model for heard in wire.heard[16:]] == ["other"]
    assert [each["coverage"]["succeeded"] for each in results(last).values()] == [2, 2]


def test_a_failed_debate_goes_on_and_is_not_held_anew(wire: WireServer) -> None:
    gold(make_project("garden"), "post-1", 0, "000")
    wire.queue(say('{"cues": []}'), model="gatekeeper")
    wire.queue(status(400, "invalid_request_error"), say('{"cues": []}'), model="prosecutor")
    evaluate("arcade", "garden")
    again = evaluate("arcade", "garden", "--retry-failed")
    assert [heard.model for heard in wire.heard] == ["gatekeeper", "prosecutor", "prosecutor"]
    assert results(again)["arcade"]["coverage"]["succeeded"] == 1


def test_tokens_are_priced(wire: WireServer, project: Project, settings: Any) -> None:
    wire.queue(*[six(0)] * 8, model="baseline")
    assert results(evaluate("baseline", "garden"))["baseline"]["spent"]["unpriced"] == ["openai:baseline"]
    settings.MODEL_PRICES = {"openai:baseline": (2.0, 10.0)}
    spent = results(evaluate("baseline", "garden", "--again"))["baseline"]["spent"]
    # The server states 120 tokens in and 30 out for each of four calls: 4·(120·2 + 30·10)/10⁶.
    assert (spent["input_tokens"], spent["output_tokens"]) == (480, 120)
    assert spent["cost"] == pytest.approx(0.00216)


def test_what_caching_saved_is_counted_and_told(wire: WireServer, project: Project, settings: Any) -> None:
    settings.MODEL_PRICES = {"openai:baseline": (2.0, 10.0, 0.5)}
    wire.queue(*[cached(six(0), 100)] * 4, model="baseline")
    found = evaluate("baseline", "garden")
    spent = results(found)["baseline"]["spent"]
    # 100 of the 120 tokens in of each of four calls cost 0.5 instead of 2: 4·(20·2 + 100·0.5 + 30·10)/10⁶.
    assert (spent["input_tokens"], spent["cached_tokens"]) == (480, 400)
    assert (spent["cost"], spent["saved"]) == (pytest.approx(0.00156), pytest.approx(0.0006))
    report = markdown(found["report"])
    assert "| 480 | 400 | 120 |" in report
    assert "Prompts that the providers had read shortly before cost 0.0006 USD less." in report


# ── Over files ────────────────────────────────────────────────────────────────


def table(path: Path, rows: list[tuple[str, str, str]]) -> Path:
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerows([("id", "text", "gold"), *rows])
    return path


def test_files_need_no_project_and_several_stand_side_by_side(wire: WireServer, tmp_path: Path) -> None:
    one = table(tmp_path / "one.csv", [("a", "roses", "hateful"), ("b", "weeds", "not_hateful")])
    two = table(tmp_path / "two.csv", [("a", "moss", "hateful")])
    wire.queue(binary(True), binary(True), binary(False), model="baseline")
    found = evaluate("baseline", one, two, "--out", tmp_path / "out")
    figures = {each["dataset"]: each["figures"]["accuracy"]["mean"] for each in found["report"]["results"]}
    assert figures == {"one.csv": 0.5, "two.csv": 0.0}
    assert found["report"]["task"] == "binary"
    assert not Project.objects.exists() and not Item.objects.exists()
    assert (tmp_path / "out/accuracy-1.csv").exists() and (tmp_path / "out/accuracy-2.csv").exists()


def test_pictures_of_files_are_shown_to_the_model_and_must_not_change(wire: WireServer, tmp_path: Path) -> None:
    (tmp_path / "img").mkdir()
    for number in (1, 2):
        (tmp_path / f"img/{number}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"red" * number)
    memes = tmp_path / "memes.jsonl"
    rows = [{"id": number, "img": f"img/{number}.png", "label": 1, "text": "roses"} for number in (1, 2)]
    memes.write_text("\n".join(json.dumps(row) for row in rows))
    wire.queue(binary(True), model="baseline")
    source = file_items(memes, FileReading(DEFAULT_CATEGORIES, images=tmp_path))
    evaluation, _ = evaluation_start.begin(None, [source], wish("baseline"), ring=False)
    (tmp_path / "img/2.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"blue")
    found = evaluate("baseline", memes, "--images", tmp_path)
    assert found["evaluation"] == str(evaluation.public_id)
    coverage = results(found)["baseline"]["coverage"]
    assert (coverage["succeeded"], coverage["cancelled"], coverage["reasons"]) == (1, 1, {"target_gone": 1})
    assert [len(each.pictures) for each in wire.heard] == [1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("baseline", "nowhere"), "There is no project 'nowhere'"),
        (("baseline", "no/such.csv"), "no/such.csv is neither a file nor a project"),
        (("baseline",), "Name a method and what to evaluate it on"),
        (("divine", "garden"), "There is no method divine"),
        (("explain", "garden", "--task", "six"), "explain says hateful or not only"),
        (("baseline", "garden", "--rounds", "2"), "baseline: there is no option rounds"),
        (("baseline", "garden", "--judge", "openai:x"), "baseline has no judge"),
        (("arcade", "garden", "--rounds", "9"), "rounds"),
        (("arcade", "garden", "--option", "rounds"), "--option takes NAME=VALUE"),
        (("baseline", "garden", "--model", "nobody:x"), "nobody:x"),
        (("baseline", "empty"), "no gold items yet"),
        (("baseline", "garden", "empty"), "Name one project"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence_and_nothing_is_stored(
    wire: WireServer, project: Project, arguments: tuple[str, ...], said: str
) -> None:
    make_project("empty")
    with pytest.raises(CommandError) as refusal:
        evaluate(*arguments)
    assert said in str(refusal.value)
    assert not Evaluation.objects.exists() and not Run.objects.exists()


# ── Over time ─────────────────────────────────────────────────────────────────


def test_workers_and_the_sweeper_bring_it_to_its_end_too(wire: WireServer, project: Project) -> None:
    wire.queue(*[say('{"cues": []}')] * 4, model="gatekeeper")
    wire.queue(*[say('{"cues": []}')] * 4, model="prosecutor")
    evaluation, new = evaluation_start.begin(project, [gold_items(project)], wish("arcade"), ring=False)
    assert new and continuation.carry_all_on() == 0
    assert continuation.progress(evaluation).open == 4
    call_command("run", "arcade", "garden", "--items", "open", "--wait", stdout=StringIO(), stderr=StringIO())
    assert continuation.carry_all_on() == 1
    evaluation.refresh_from_db()
    assert evaluation.state == EvaluationState.DONE and evaluation.report is not None
    assert continuation.carry_all_on() == 0


def test_one_that_cannot_be_finished_does_not_stop_the_others(
    wire: WireServer, project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    broken, _ = evaluation_start.begin(project, [gold_items(project)], wish("baseline"), ring=False)
    Evaluation.objects.filter(pk=broken.pk).update(arms=[{"name": "of another version"}])
    other, _ = evaluation_start.begin(project, [gold_items(project)], wish("baseline"), ring=False, again=True)
    cancel_run_queryset(Run.objects.all())
    assert continuation.carry_all_on() == 1
    states = dict(Evaluation.objects.values_list("pk", "state"))
    assert states == {broken.pk: EvaluationState.FAILED, other.pk: EvaluationState.DONE}
    assert str(broken.public_id) in caplog.text


def test_one_that_cannot_be_continued_ends_as_failed_and_says_so_everywhere(
    wire: WireServer, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, _ = evaluation_start.begin(project, [gold_items(project)], wish("baseline"), ring=False)
    with monkeypatch.context() as patch:
        patch.setattr(continuation, "report_of", lambda *_: {}["the gold is gone"])
        wire.queue(*[six(0)] * 4, model="baseline")
        with pytest.raises(SystemExit):
            call_command("evaluate", "baseline", "garden", "--threads", "1", stdout=(out := StringIO()), stderr=out)
        assert "It could not be continued and has failed. The cause: KeyError: 'the gold is gone'" in out.getvalue()
        begun.refresh_from_db()
        assert begun.state == EvaluationState.FAILED and begun.finished_at is not None
        assert continuation.carry_all_on() == 0
    browser = Client()
    browser.force_login(make_member(project, Role.ADMIN).user)
    page = browser.get(reverse("moderation:evaluation", args=["garden", begun.public_id])).content.decode()
    assert "The evaluation could not be continued and has failed" in page and "the gold is gone" in page
    assert "<bdi>baseline</bdi>" in page.partition("What was asked")[2]
    # Try again: what was answered is not asked again.
    browser.post(reverse("moderation:evaluation-retry", args=["garden", begun.public_id]))
    assert continuation.carry_all_on() == 1
    begun.refresh_from_db()
    assert (begun.state, begun.fault, len(wire.heard)) == (EvaluationState.DONE, "", 4)


def test_one_of_another_version_has_a_page_and_can_be_tried_again_in_vain(wire: WireServer, project: Project) -> None:
    broken, _ = evaluation_start.begin(project, [gold_items(project)], wish("baseline"), ring=False)
    Evaluation.objects.filter(pk=broken.pk).update(arms=[{"name": "of another version"}])
    assert continuation.carry_all_on() == 0
    assert set(Run.objects.values_list("state", flat=True)) == {"cancelled"}
    browser = Client()
    browser.force_login(make_member(project, Role.ADMIN).user)
    address = reverse("moderation:evaluation", args=["garden", broken.public_id])
    assert "could not be continued" in browser.get(address).content.decode()
    browser.post(reverse("moderation:evaluation-retry", args=["garden", broken.public_id]))
    assert "could not be continued" in browser.get(address).content.decode()


def test_a_database_that_does_not_answer_ends_no_evaluation(
    wire: WireServer, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, _ = evaluation_start.begin(project, [gold_items(project)], wish("baseline"), ring=False)

    def locked(*_: Any, **__: Any) -> bool:
        raise OperationalError("database is locked")

    monkeypatch.setattr(continuation, "_carry_on", locked)
    assert continuation.carry_all_on() == 0
    begun.refresh_from_db()
    assert begun.state == EvaluationState.RUNNING


def test_a_retired_category_counts_where_it_is_gold_and_is_offered_to_nobody(
    wire: WireServer, project: Project
) -> None:
    project.categories.filter(code__in=(4, 5)).update(retired_at=timezone.now())
    wire.queue(six(0), six(1), six(0), six(3), model="baseline")
    found = evaluate("baseline", "garden", "--task", "six")
    (result,) = found["report"]["results"]
    assert (found["state"], result["confusion"]["labels"]) == ("done", [0, 1, 2, 3, 5])
    assert result["scores"][0]["accuracy"] == 0.75
    assert result["refused_by_category"]["OtherHate"]["asked"] == 1
    assert not any("OtherHate" in json.dumps(heard.body) for heard in wire.heard)


def test_a_cancelled_one_asks_nothing_more(wire: WireServer, project: Project) -> None:
    evaluation, _ = evaluation_start.begin(project, [gold_items(project)], wish("baseline"), ring=False)
    assert continuation.cancel(evaluation)
    assert not continuation.cancel(evaluation)
    assert set(Run.objects.values_list("state", flat=True)) == {"cancelled"}
    assert (continuation.carry_all_on(), len(wire.heard)) == (0, 0)


def test_what_is_removed_from_the_project_is_gone_from_its_evaluations(wire: WireServer, project: Project) -> None:
    wire.queue(*[six(0)] * 4, model="baseline")
    evaluate("baseline", "garden")
    Project.objects.update(delete_after="2020-01-01T00:00:00Z", archived_at="2020-01-01T00:00:00Z")
    assert purge.purge(Project.objects.get())
    assert not any(model.objects.exists() for model in (Evaluation, EvaluationCase, Run, Turn))


def wish(method: str) -> Wish:
    return Wish(grid=ArmGrid([method]))


@pytest.mark.faults
@pytest.mark.slow
def test_a_killed_evaluation_goes_on_without_asking_anything_twice(tmp_path: Path) -> None:
    items, repeats, threads = 20, 2, 4
    path = table(tmp_path / "many.csv", [(f"i{n}", f"Rose number {n}.", "not_hateful") for n in range(items)])
    at = connection.settings_dict
    address = f"postgres://{at['USER']}:{at['PASSWORD']}@{at['HOST']}:{at['PORT']}/{at['NAME']}"
    with WireServer(delay=0.15) as wire:
        wire.queue(*[binary(False)] * (items * repeats + threads))
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": f"sqlite:///{at['NAME']}" if connection.vendor == "sqlite" else address,
            "VAR_DIR": str(tmp_path / "var"),
            "SECRET_KEY": site.SECRET_KEY,
            "OPENAI_BASE_URL": wire.openai_url,
            "OPENAI_API_KEY": "sk-CANARY-1",
            "MODEL_VISION": "openai:any",
            "MODEL_CALLS_AT_ONCE": str(threads),
            "RUN_LEASE_SECONDS": "3",
        }
        words = ["evaluate", "baseline", str(path), "--repeats", str(repeats), "--threads", str(threads), "--json"]
        command = [sys.executable, str(site.BASE_DIR / "manage.py"), *words]
        first = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while len(wire.heard) < 12:
            assert first.poll() is None and time.monotonic() < until
            time.sleep(0.02)
        first.send_signal(signal.SIGKILL)
        first.wait()
        saved = set(Turn.objects.values_list("run__public_id", flat=True))
        assert 0 < len(saved) < items * repeats
        second = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=120)
        report = json.loads(second.stdout)["report"]
        times = Counter(each.digest for each in wire.heard)
    assert report["results"][0]["coverage"]["succeeded"] == items * repeats
    # Every repeat is a call of its own; only calls under way at the kill were made again, and that is noted. A call
    # that was noted as begun and had not reached the server at the kill is noted too.
    assert len(times) == items and min(times.values()) == repeats
    twice = sum(times.values()) - items * repeats
    noted = sum(Flag.POSSIBLY_BILLED_TWICE in turn.flags for turn in Turn.objects.all())
    assert 0 <= twice <= noted <= threads
    again = {turn.run.public_id for turn in Turn.objects.select_related("run") if turn.calls > 1}
    assert not again & saved


@pytest.mark.shared_data
def test_hatecheck_by_the_keyword_baseline_is_printed_as_what_it_is(shared_data: Path, settings: Any) -> None:
    settings.MODEL_BINDINGS = {}
    out = StringIO()
    arguments = ("baseline", str(shared_data / "hatecheck_cases.csv"), "--sample", "balanced", "--limit", "40")
    call_command("evaluate", *arguments, "--threads", "1", stdout=out, stderr=StringIO())
    printed = out.getvalue()
    assert "No language model was used: the built-in keyword baseline answered" in printed
    assert "40 items, 20 hateful" in printed and "keyword:cues-1" in printed
    for title in ("## Accuracy", "## Both classes", "## Parts of the data", "## Confusion", "## Coverage and cost"):
        assert title in printed
    (result,) = Evaluation.objects.get().report["results"]  # type: ignore[index]
    assert result["coverage"]["succeeded"] == 40
    assert sum(part["total"] for part in result["subsets"].values()) == 40


def test_perspectives_their_majority_and_the_judge_stand_beside_each_other(wire: WireServer, settings: Any) -> None:
    settings.MODEL_BINDINGS = {"MODEL_PERSPECTIVE": "openai:view", "MODEL_DEBATER": "openai:side"} | {
        f"MODEL_{role}": "openai:judge" for role in ("DEBATE_JUDGE", "DESCRIBER")
    }
    project = make_project("garden")
    gold(project, "post-1", 5)
    taking_part = edit.stored_perspectives(project)
    # Two repeats: all say hateful but the last, who abstains in the first and says not in the second.
    turns = iter((DONT_KNOW, taking_part[-1].other_label))

    def view(exchange: Exchange) -> None:
        asked = exchange.heard.said("system") + exchange.heard.said("user")
        (who,) = [each for each in taking_part if each.name in asked]
        label = next(turns) if who is taking_part[-1] else who.hateful_label
        exchange.send(200, exchange.reply(json.dumps({"reason": "said “roses”", "label": label})))

    wire.queue(*[view] * 10, model="view")
    wire.queue(*[say('{"argument": "a"}')] * 4, model="side")
    wire.queue(*[say('{"reason": "said “roses”", "label": "Non-hate"}')] * 2, model="judge")
    found = evaluate("predict", "garden", "--rounds", "1", "--repeats", "2")
    (panel,) = found["report"]["panels"]
    first, last = taking_part[0].code, taking_part[-1].code
    assert len(wire.heard) == 16  # 5 views, 2 arguments and the judge, twice
    agents = {name: row["garden"] for name, row in panel["agents"].items()}
    assert agents[first]["accuracy"] == {"mean": 1.0, "sd": 0.0, "repeats": 2}
    assert (agents[last]["accuracy"]["mean"], agents[last]["unvoted"]) == (0.0, 1)
    assert (agents["majority"]["accuracy"]["mean"], agents["majority"]["unvoted"]) == (1.0, 0)
    # The second repeat, on which all took a side: 4 hateful, 1 not: P = 6/10, Pe = 17/25, κ = −1/4.
    assert agents["majority"]["kappa"] == pytest.approx(-0.25)
    (result,) = found["report"]["results"]
    assert result["figures"]["accuracy"]["mean"] == 0.0
    assert "Agents, majority and judge" in markdown(found["report"])
