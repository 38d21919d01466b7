"""PREDICT in an evaluation: the perspectives' votes in the answers, and what is said where they have no examples."""

import json
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role, Stage
from annotation.models import Project
from builders import category, make_item, make_member, make_project
from moderation.domain.evaluation.tables.predict_tables import Votes, agent_table
from moderation.domain.evaluation.tables.render import markdown
from moderation.domain.predict.perspectives import SEEDED
from predict_models import HATE, OTHER, UNSURE, add_examples, judgement, script, speeches, views
from wire.server import WireServer, say, status
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)

ROLES = ("perspective", "debater", "debate_judge", "describer")
CODES = [seed.code for seed in SEEDED]
NOTHING_READABLE = say("Well, it depends.")


@pytest.fixture
def wire(settings: Any, tmp_path: Path) -> Iterator[WireServer]:
    settings.MODEL_CALLS_AT_ONCE = 5
    settings.MODEL_EMBEDDING, settings.EXAMPLES_FOLDER = "", tmp_path / "examples"
    with models_at_a_server(settings, ROLES, attempts=1) as server:
        yield server


def gold(project: Project, name: str, code: int) -> None:
    kind = category(project, code)
    make_item(
        project,
        f"The roses of {name} bloom.",
        external_id=name,
        stage=Stage.GOLD,
        category=kind,
        hateful=kind.hateful,
        category_source="imported",
    )


@pytest.fixture
def project() -> Project:
    project = make_project("garden")
    gold(project, "post-1", 5)
    gold(project, "post-2", 0)
    return project


def evaluate(*arguments: Any) -> tuple[dict[str, Any], str]:
    """What the command returns, and what it says meanwhile."""
    out, said = StringIO(), StringIO()
    with suppress(SystemExit):  # its code says that something has no answer
        call_command("evaluate", *map(str, arguments), "--json", "--threads", "1", stdout=out, stderr=said)
    return json.loads(out.getvalue()), said.getvalue()


def a_file(folder: Path) -> Path:
    path = folder / "cases.csv"
    path.write_text("text,label\nThe roses bloom.,0\n", encoding="utf-8")
    return path


FILE = ("--text-column", "text", "--label-column", "label", "--map", "0=not_hateful", "--map", "*=hateful")


def test_the_agents_table_can_be_counted_again_from_the_answers_file(
    wire: WireServer, project: Project, tmp_path: Path
) -> None:
    refused = say(None, refusal="I will not label this.")
    script(wire, HATE, OTHER, refused, UNSURE, HATE)
    second = (HATE, HATE, status(400, "content_filter"), NOTHING_READABLE, OTHER)
    script(wire, *second)
    wire.queue(*views(*second)[:2], model="perspective")  # the fourth is asked again twice
    found, _said = evaluate("predict", "garden", "--out", tmp_path / "out")
    lines = [json.loads(line) for line in (tmp_path / "out/answers.jsonl").read_text().splitlines()]
    assert [list(line["votes"].values()) for line in lines] == [
        ["hate", "non_hate", "missing", "abstained", "hate"],
        ["hate", "hate", "missing", "missing", "non_hate"],
    ]
    assert [line["missing"] for line in lines] == [
        {"kold": "refused"},
        {"kold": "provider_blocked", "kodoli": "invalid_output"},
    ]
    side = {"hate": True, "non_hate": False}
    runs = [
        Votes(
            line["dataset"],
            line["id"],
            line["repeat"],
            line["gold_hateful"],
            {agent: side.get(stance) for agent, stance in line["votes"].items()},
            line["missing"],
        )
        for line in lines
    ]
    again = {agent: {name: cell.as_json() for name, cell in row.items()} for agent, row in agent_table(runs).items()}
    (panel,) = found["report"]["panels"]
    assert again == panel["agents"]
    assert {agent: (row["garden"]["missing"], row["garden"]["refused"]) for agent, row in again.items()} == {
        **dict.fromkeys(("k-haters", "k-mhas", "unsmile"), (0, 0)),
        "kold": (2, 2),
        "kodoli": (1, 0),
        "majority": (None, None),
    }
    assert "| No side | Missing | Refused |" in markdown(found["report"])


def test_agents_majority_and_judge_are_counted_over_the_same_runs_also_without_a_verdict(
    wire: WireServer, project: Project, tmp_path: Path
) -> None:
    gold(project, "post-3", 5)
    gold(project, "post-4", 0)
    # A verdict; a judge without a usable answer, asked three times; a judge who refuses; one whose provider fails.
    for votes in ((HATE, HATE, HATE, OTHER, OTHER), (OTHER, OTHER, OTHER, HATE, HATE)):
        wire.queue(*views(*votes), model="perspective")
    wire.queue(*views(HATE, OTHER, HATE, UNSURE, HATE), *views(*[HATE] * 5), model="perspective")
    wire.queue(*speeches() * 4, model="debater")
    judges = (judgement(), *[NOTHING_READABLE] * 3, say(None, refusal="I will not judge."), status(400))
    wire.queue(*judges, model="debate_judge")
    found, _said = evaluate("predict", "garden", "--out", tmp_path / "out")
    (panel,), (result,) = found["report"]["panels"], found["report"]["results"]
    coverage = result["coverage"]
    assert [coverage[state] for state in ("succeeded", "unreadable", "refused", "failed")] == [1, 1, 1, 1]
    agents = {agent: row["garden"] for agent, row in panel["agents"].items()}
    # k-haters is right in all three runs, k-mhas in two; kodoli is wrong twice and abstains once.
    assert agents["k-haters"]["accuracy"]["mean"] == 1.0
    assert agents["k-mhas"]["accuracy"]["mean"] == pytest.approx(2 / 3)
    assert (agents["kodoli"]["accuracy"]["mean"], agents["kodoli"]["unvoted"]) == (0.0, 1)
    assert agents["majority"]["accuracy"]["mean"] == 1.0
    lines = [json.loads(line) for line in (tmp_path / "out/answers.jsonl").read_text().splitlines()]
    assert [(line["state"], len(line.get("votes", ()))) for line in lines] == [
        ("succeeded", 5),
        ("unreadable", 5),
        ("refused", 5),
        ("failed", 0),
    ]


def test_a_model_that_always_refuses_has_its_rows_of_missing_and_refused(
    wire: WireServer, project: Project, tmp_path: Path
) -> None:
    refused = say(None, refusal="I will not label this.")
    wire.queue(*[refused] * 10, model="perspective")
    found, _said = evaluate("predict", "garden", "--out", tmp_path / "out")
    (panel,) = found["report"]["panels"]
    agents = {agent: row["garden"] for agent, row in panel["agents"].items()}
    assert {(row["unvoted"], row["missing"], row["refused"]) for name, row in agents.items() if name in CODES} == {
        (2, 2, 2)
    }
    assert (agents["majority"]["accuracy"], agents["majority"]["unvoted"]) == (None, 2)
    lines = [json.loads(line) for line in (tmp_path / "out/answers.jsonl").read_text().splitlines()]
    assert [set(line["votes"].values()) for line in lines] == [{"missing"}] * 2
    assert "| kold | " in markdown(found["report"])


def test_an_evaluation_over_a_file_alone_says_that_nobody_has_examples(wire: WireServer, tmp_path: Path) -> None:
    script(wire, HATE, OTHER, HATE, OTHER, HATE)
    found, said = evaluate("predict", a_file(tmp_path), *FILE)
    sentence = (
        f"predict: these perspectives have no examples and are measured by their criteria alone: {', '.join(CODES)}."
    )
    assert sentence in said  # before anybody is asked, so that it can be stopped
    assert sentence in markdown(found["report"])
    assert found["report"]["arms"][0]["without_examples"] == CODES


def test_where_examples_are_switched_off_nothing_is_said(wire: WireServer, tmp_path: Path) -> None:
    script(wire, HATE, OTHER, HATE, OTHER, HATE)
    found, said = evaluate("predict", a_file(tmp_path), *FILE, "--option", "examples=false")
    assert "no examples" not in said + markdown(found["report"])


def test_a_file_with_a_project_has_its_examples_and_the_page_names_those_without(
    wire: WireServer, project: Project, tmp_path: Path
) -> None:
    add_examples(project, "k-mhas", ("The roses bloom again.", False))
    script(wire, HATE, OTHER, HATE, OTHER, HATE)
    found, said = evaluate("predict", a_file(tmp_path), *FILE, "--project", "garden", "--option", "without=kold")
    assert "criteria alone: k-haters, kodoli, unsmile." in said
    assert found["report"]["arms"][0]["without_examples"] == ["k-haters", "kodoli", "unsmile"]
    browser = Client()
    browser.force_login(make_member(project, Role.REVIEWER).user)
    page = browser.get(reverse("moderation:evaluation", args=["garden", found["evaluation"]])).content.decode()
    assert "criteria alone: k-haters, kodoli, unsmile." in page
