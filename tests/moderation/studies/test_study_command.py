"""The command of studies: estimate, start, continuation, shared debates, faults in one sentence."""

import json
import tomllib
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

import moderation
from annotation.domain.choices import Stage
from annotation.models import Item, Project
from builders import category, make_item, make_project
from moderation.domain.evaluation.tables.report_tables import tables_of
from moderation.evaluation import charts
from moderation.models import Evaluation
from moderation.studies.shipped import StudyTemplate, study_templates
from runs.models import Run, Turn
from wire.server import WireServer, say
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)

COURT = """
title = "Courts"
[data]
project = "garden"
[[arms]]
methods = ["baseline", "arcade"]
rounds = 1
[[arms]]
methods = "arcade"
name = "other judge"
rounds = 1
judges = ["openai:other"]
"""


@pytest.fixture
def project() -> Project:
    project = make_project("garden")
    for number, (code, pattern) in enumerate([(0, "000"), (1, "001"), (0, "110"), (5, "")]):
        kind = category(project, code)
        text = f"The roses of number {number} bloom."
        item = make_item(
            project, text, external_id=f"post-{number}", stage=Stage.GOLD, category=kind, hateful=kind.hateful
        )
        Item.objects.filter(pk=item.pk).update(pattern=pattern or None)
    return project


@pytest.fixture
def wire(settings: Any) -> Any:
    roles = ("gatekeeper", "prosecutor", "defender", "judge", "baseline", "explainer")
    with models_at_a_server(settings, roles, attempts=1) as server:
        yield server


def written(folder: Path, text: str) -> str:
    (folder / "study.toml").write_text(text)
    return str(folder / "study.toml")


def study(*arguments: str) -> tuple[dict[str, Any], str]:
    out, err = StringIO(), StringIO()
    call_command("study", *arguments, "--json", "--threads", "1", stdout=out, stderr=err)
    answer: dict[str, Any] = json.loads(out.getvalue())
    return answer, err.getvalue()


def test_lines_of_different_blocks_share_one_debate_and_the_same_command_asks_nothing_twice(
    wire: WireServer, project: Project, tmp_path: Path
) -> None:
    file = written(tmp_path, COURT)
    found, told = study(file, "--out", str(tmp_path / "out"))
    lines = {result["arm"]: result for result in found["report"]["results"]}
    assert list(lines) == ["baseline", "arcade, K = 1", "other judge"]
    # The wire server finds cues in every post, so every debate takes the fast track: four calls, and one more judge.
    assert [lines[name]["spent"]["calls"] for name in lines] == [4, 16, 4]
    assert len(wire.heard) == 24
    # A line that judges another line's debate costs as much, if it held it itself.
    assert [lines[name]["alone"]["calls"] for name in lines] == [1, 4, 4]
    assert lines["other judge"]["alone"]["tokens"] == lines["arcade, K = 1"]["alone"]["tokens"] == 4 * 150
    assert "3 lines on 4 items, repeats: 1. 12 runs, at most 24 calls without retries" in told
    assert "- other judge: at most 4 calls" in told and "judges the debate of another line" in told
    assert Evaluation.objects.get().name == "Courts · garden"
    again, told = study(file)
    assert (again["report"], len(wire.heard)) == (found["report"], 24)
    assert "12 of 12 runs have ended. Nothing that was answered is asked again." in told
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"report.json", "report.md", "paired.csv", "patterns.csv", "cost.csv", "cost.svg", "answers.jsonl"} <= files


def test_the_gold_of_a_file_may_name_a_retired_category_of_the_project(
    wire: WireServer, project: Project, tmp_path: Path
) -> None:
    project.categories.filter(code=5).update(retired_at=timezone.now())
    (tmp_path / "gold.jsonl").write_text('{"id": "a", "text": "A rose.", "gold": 5}\n')
    text = 'title = "t"\n[data]\nproject = "garden"\nfile = "gold.jsonl"\n[[arms]]\nmethods = "baseline"'
    (result,) = study(written(tmp_path, text))[0]["report"]["results"]
    assert (result["items"], result["confusion"]["labels"]) == (1, [0, 1, 2, 3, 4, 5])


def test_the_estimate_starts_nothing_and_grows_exact_with_earlier_calls(
    wire: WireServer, project: Project, tmp_path: Path, settings: Any
) -> None:
    settings.MODEL_PRICES = {"openai:baseline": (2.0, 10.0)}
    settings.MODEL_PRICE_CURRENCY = "EUR"
    file = written(tmp_path, 'title = "t"\nrepeats = 2\n[data]\nproject = "garden"\n[[arms]]\nmethods = "baseline"')
    estimate = study(file, "--estimate")[0]["estimate"]
    # 8 calls of 1,500 tokens in and 400 out are assumed: 8·(1500·2 + 400·10)/10⁶.
    assert (estimate["total"]["calls"], estimate["total"]["assumed"]) == (8, True)
    assert estimate["total"]["cost"] == pytest.approx(0.056)
    assert not Evaluation.objects.exists() and not Run.objects.exists()
    study(file)
    estimate = study(file, "--estimate")[0]["estimate"]
    # The server states 120 in and 30 out.
    assert (estimate["total"]["assumed"], estimate["total"]["input_tokens"]) == (False, 8 * 120)
    assert estimate["total"]["cost"] == pytest.approx(8 * (120 * 2 + 30 * 10) / 1_000_000)
    assert "0.00 EUR" in estimate["lines"][0]


def test_the_estimate_counts_what_a_second_reader_may_be_asked(
    wire: WireServer, project: Project, tmp_path: Path, settings: Any
) -> None:
    file = written(tmp_path, 'title = "t"\n[data]\nproject = "garden"\n[[arms]]\nmethods = "explain"')
    # Four explanations, and two estimates for the score of each; then one reading of each in its run and for its score.
    assert study(file, "--estimate")[0]["estimate"]["total"]["calls"] == 4 + 8
    settings.MODEL_BINDINGS["MODEL_READER"] = "openai:reader"
    assert study(file, "--estimate")[0]["estimate"]["total"]["calls"] == 4 + 8 + 8


def test_a_study_that_may_take_too_many_calls_is_not_started(project: Project, tmp_path: Path, wire: Any) -> None:
    with pytest.raises(CommandError, match="may take 24 calls, more than --most-calls 20: nothing was started"):
        study(written(tmp_path, COURT), "--most-calls", "20")
    assert not Evaluation.objects.exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('title = "t"', "study.toml, arms: this key is missing; add it."),
        ('title = "t"\n[[arms]]\nmethods = "arcade"', "study.toml, data: name a data set: a file by the key file"),
        ('title = "t"\n[data]\nfile = "no.csv"\n[[arms]]\nmethods = "arcade"', "study.toml, data.file: there is no"),
        (
            'title = "t"\n[data]\nproject = "garden"\n[[arms]]\nmethods = "arcade"\n'
            '[[arms]]\nmethods = "baseline"\nmood = 2',
            "study.toml, [[arms]] 2: baseline: there is no option mood; there are prompts",
        ),
        (
            'title = "t"\n[data]\nproject = "garden"\n[[arms]]\nmethods = "arcade"\nrounds = 9',
            "study.toml, [[arms]] 1: The option rounds: Input should be less than or equal to 6",
        ),
        (
            'title = "t"\n[data]\nproject = "garden"\n[[arms]]\nmethods = "divine"',
            "study.toml, [[arms]] 1: There is no method divine",
        ),
        (
            'title = "t"\nrepeats = 99\n[data]\nproject = "garden"\n[[arms]]\nmethods = "baseline"',
            "study.toml, repeats: Input should be less than or equal to 20.",
        ),
        (
            'title = "t"\n[data]\nproject = "garden"\n[scores]\nestimator = "guess"\n[[arms]]\nmethods = "explain"',
            "study.toml, scores.estimator: choose one of none, model",
        ),
        (
            'title = "t"\n[data]\nproject = "garden"\n[[arms]]\nmethods = "baseline"\nname = "a"\n'
            '[[arms]]\nmethods = "arcade"\nname = "a"',
            "study.toml, Two lines are called a: give each of their [[arms]] a name.",
        ),
        ('title = "t"\n[data]\nproject = "moon"\n[[arms]]\nmethods = "arcade"', "There is no project 'moon'"),
    ],
)  # fmt: skip
def test_a_fault_is_one_sentence_and_nothing_is_stored(
    wire: WireServer, project: Project, tmp_path: Path, text: str, sentence: str
) -> None:
    with pytest.raises(CommandError) as refusal:
        study(written(tmp_path, text))
    assert str(refusal.value).startswith(sentence)
    assert not Evaluation.objects.exists() and not Run.objects.exists()


def test_without_a_file_the_command_says_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Name the file of a study, or --templates"):
        study()
    with pytest.raises(CommandError, match="cannot be read"):
        study(str(tmp_path / "none.toml"))
    with pytest.raises(CommandError, match="There is no template x; there are antihateagent-table-4, "):
        study("--template", "x")
    names = study("--templates")[0]["templates"]
    assert names["arcade-table-5"].startswith("ARCADE, Table 5: rounds")
    out = StringIO()
    call_command("study", "--template", "arcade-table-5", stdout=out)
    assert out.getvalue() == next(each.text for each in study_templates() if each.name == "arcade-table-5")


@pytest.mark.parametrize("template", study_templates(), ids=lambda template: template.name)
def test_every_template_for_a_papers_table_asks_in_the_words_of_the_set_paper(template: StudyTemplate) -> None:
    """`careful`, the default, tells models what HateXScore measures, and speakers to be fair."""
    arms = tomllib.loads(template.text)["arms"]
    worded = {
        folder.name for folder in (Path(moderation.__file__).parent / "prompts/paper").iterdir() if folder.is_dir()
    }
    asked = {name for arm in arms for name in ([arm["methods"]] if isinstance(arm["methods"], str) else arm["methods"])}
    assert asked <= worded
    assert [arm.get("prompts") for arm in arms] == ["paper"] * len(arms)
    # What a template only proposes, in a comment, names the set too.
    assert template.text.count('prompts = "paper"') == template.text.count("methods = [")


@pytest.mark.once  # commands and pages of studies are tried on each database elsewhere
@pytest.mark.parametrize("name", [template.name for template in study_templates()])
def test_every_template_runs_on_a_project_with_the_built_in_model(
    project: Project, tmp_path: Path, settings: Any, name: str
) -> None:
    settings.MODEL_BINDINGS, settings.MODEL_ALLOWED = {}, ["keyword:cues-1"]
    text = next(template.text for template in study_templates() if template.name == name)
    text = text.replace("[data]\n", '[data]\nproject = "garden"\nlimit = 2\n').replace('"search"', '"none"')
    text = text.replace('"model_urls"', '"none"\nwindows = 2')
    text = text.replace('"short"', '"short"\npages = 2').replace("repeats = 5", "repeats = 2")
    found, told = study(written(tmp_path, text))
    assert found["state"] == "done" and found["report"]["results"]
    for table in tables_of(found["report"]):
        titles = [str(column.title) for column in table.columns]
        assert len(titles) == len(set(titles)), table.key  # who reads the file by names loses nothing
    assert Turn.objects.exists() and "lines on 2 items" in told


@pytest.mark.parametrize("name", ["arcade-table-3-six", "arcade-table-3-binary", "arcade-table-4"])
def test_the_tables_of_judges_share_one_debate_of_one_auxiliary(
    wire: WireServer, project: Project, tmp_path: Path, name: str
) -> None:
    """Section 5.2 of H-VLI: Qwen3-VL-Plus prosecutes, defends and gates for every judge."""
    text = next(template.text for template in study_templates() if template.name == name)
    for line in ("models", "auxiliaries", "judges"):
        text = text.replace(f"# {line} = ", f"{line} = ")
    text = text.replace("dashscope:qwen3-vl-plus", "openai:auxiliary").replace("dashscope:MODEL", "openai:other")
    text = text.replace("openai:MODEL", "openai:one").replace("[data]\n", '[data]\nproject = "garden"\nlimit = 2\n')
    report = study(written(tmp_path, text))[0]["report"]
    plans = [arm["plan"] for arm in report["arms"] if "judge" in arm["plan"]]
    assert [plan["judge"] for plan in plans] == ["openai:one", "openai:other"]
    assert {plan[role] for plan in plans for role in ("gatekeeper", "prosecutor", "defender")} == {"openai:auxiliary"}
    # For each of two posts three calls of one debate, a verdict of each judge, and an answer of each without one.
    assert Counter(request.model for request in wire.heard) == {"auxiliary": 6, "one": 4, "other": 4}


def test_refused_and_unreadable_answers_stand_apart_by_pattern_and_difficulty(
    wire: WireServer, project: Project, tmp_path: Path
) -> None:
    # Right, wrong, refused, and three attempts without a label for a post whose pattern is unknown.
    labels = [say(json.dumps({"reason": "r", "category": code})) for code in (0, 2)]
    wire.queue(*labels, "refusal", *[say("{}")] * 3, model="baseline")
    Item.objects.filter(external_id="post-3").update(pattern="001")
    file = written(tmp_path, 'title = "t"\n[data]\nproject = "garden"\n[[arms]]\nmethods = "baseline"')
    report = study(file)[0]["report"]
    (table,) = [table for table in tables_of(report) if table.key == "patterns"]
    # Pattern or level: answered, right, accuracy, refused, unreadable.
    assert {str(row[1]): tuple(row[2:]) for row in table.rows} == {
        "000": (1, 1, 1.0, 0, 0),
        "001": (2, 0, 0.0, 0, 1),
        "110": (0, 0, None, 1, 0),
        "Easy": (1, 1, 1.0, 0, 0),
        "Hard": (2, 0, 0.0, 1, 1),
        "Normal + hard": (2, 0, 0.0, 1, 1),
    }


def test_a_report_of_before_is_shown_without_the_new_tables(wire: WireServer, project: Project, tmp_path: Path) -> None:
    report = study(written(tmp_path, COURT))[0]["report"]
    for result in report["results"]:
        del result["alone"], result["patterns"]
    for row in report["comparisons"]:
        del row["paired"]
    keys = {table.key for table in tables_of(report)}
    assert {"accuracy", "comparisons", "coverage"} <= keys and keys.isdisjoint({"paired", "patterns", "cost"})
    assert charts.shown_cost_plots(report) == [] and charts.cost_svg(report) is None
