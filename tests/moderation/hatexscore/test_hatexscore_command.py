"""The command hatexscore: its JSON, its means, bad lines, estimators over the wire, the sweep and its plot."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from builders import make_project
from runs.models import Account, Run, Turn
from wire.server import WireServer, say, status
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)

GOOD = {
    "text": "New weeds are choking the roses.",
    "explanation": "“New weeds” demeans the migrants. Conclusion: hateful",
    "prediction": "hateful",
    "p": 0.9,
    "p_masked": 0.3,
}
MILD = {
    "text": "A loud garden party.",
    "explanation": "“loud” is about noise. Conclusion: non-hateful",
    "prediction": "non-hateful",
    "p": 0.2,
    "p_masked": 0.1,
}
REFUSED = GOOD | {"explanation": "I'm sorry, but I can't help with that."}
EMPTY = GOOD | {"explanation": " "}


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    settings.RUN_BUSY_ROUNDS = 1
    with models_at_a_server(settings, ("estimator",), attempts=1) as server:
        yield server


def file_of(folder: Path, *rows: Any) -> str:
    path = folder / "lines.jsonl"
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(path)


def run(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command("hatexscore", *arguments, "--json", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def test_given_numbers_are_scored_without_asking_anybody(tmp_path: Path) -> None:
    found = run(file_of(tmp_path, GOOD, MILD))
    # 1: (1 + 0.6 + 1 + 1) / 4; 2: QF 1 - 0.1, no group, so CC 1 by the paper's rule: (1 + 0.9 + 0 + 1) / 4
    assert found["items"] == [
        {
            "htc": 1,
            "qf": 0.6,
            "tgi": 1,
            "cc": 1,
            "score": 0.9,
            "conclusion": True,
            "why": "Conclusion: hateful",
            "rationales": ["New weeds"],
            "groups": ["migrant"],
        },
        {
            "htc": 1,
            "qf": 0.9,
            "tgi": 0,
            "cc": 1,
            "score": 0.725,
            "conclusion": False,
            "why": "Conclusion: non-hateful",
            "rationales": ["loud"],
            "groups": [],
        },
    ]
    assert found["means"] == {"htc": 1, "qf": 0.75, "tgi": 0.5, "cc": 1, "score": 0.8125}
    assert (found["estimator"], found["model"]) == ("given", "")
    assert not Run.objects.exists()


def test_rule_threshold_weights_and_a_list_of_ones_own_are_used(tmp_path: Path) -> None:
    groups = tmp_path / "groups.json"
    groups.write_text('{"Noise": ["party guest"], "Others": ["migrant"]}')
    row = MILD | {"explanation": "“loud” is about party guests. Conclusion: non-hateful"}
    found = run(file_of(tmp_path, row), "--list", str(groups), "--rule", "released", "--weights", "1,0,1,2")
    # released: QF >= 0.45, but a group is named: CC 0; (1 + 0 + 1 + 0) / 4
    assert found["items"][0] | {"rationales": []} == {
        "htc": 1,
        "qf": 0.9,
        "tgi": 1,
        "cc": 0,
        "score": 0.5,
        "conclusion": False,
        "why": "Conclusion: non-hateful",
        "rationales": [],
        "groups": ["party guest"],
    }
    assert run(file_of(tmp_path, GOOD), "--threshold", "0.7")["items"][0]["cc"] == 0


def test_what_was_refused_or_is_empty_is_reported_and_left_out_of_the_means(tmp_path: Path) -> None:
    found = run(file_of(tmp_path, REFUSED, GOOD, EMPTY))
    assert [row.get("state") for row in found["items"]] == ["refused", None, "unreadable"]
    assert [row["score"] for row in found["items"]] == [None, 0.9, None]
    assert found["means"]["score"] == 0.9
    assert found["counts"] == {"scored": 1, "refused": 1, "unreadable": 1, "failed": 0}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "it is no JSON; write one JSON object a line"),
        ("[1]", "it is no JSON object"),
        (without(GOOD, "text"), "text is missing or no text; give text as a text"),
        (GOOD | {"explanation": None}, "explanation is missing or no text"),
        (GOOD | {"text": "a" * 20_001}, "text has 20,001 characters; shorten it to 20,000"),
        (GOOD | {"text": "a\x00"}, "text holds the NUL character; remove it"),
        (GOOD | {"prediction": "maybe"}, 'the prediction is "maybe"; write "hateful" or "non-hateful"'),
        (GOOD | {"prediction": ["hateful"]}, "the prediction is"),
        (GOOD | {"p": 85}, "p is 85; give a number from 0 to 1"),
        (GOOD | {"p": True}, "p is true"),
        (json.dumps(GOOD).replace("0.9", "NaN"), "it is no JSON"),
        (without(GOOD, "p"), "only one of p and p_masked is there"),
    ],
)
def test_bad_lines_are_named_and_nothing_is_scored(tmp_path: Path, row: Any, said: str) -> None:
    out = StringIO()
    with pytest.raises(CommandError, match="Nothing was scored"):
        call_command("hatexscore", file_of(tmp_path, GOOD, "", row, REFUSED), "--json", stdout=out)
    found = json.loads(out.getvalue())
    assert f"line 3: {said}" in found["error"]
    assert [line["line"] for line in found["lines"]] == [3]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--list", "meto"], "There is no group list 'meto'"),
        (["--list", "nowhere.json"], "cannot be read"),
        (["--weights", "0,0,0,0"], "--weights: Write four numbers"),
        (["--estimator", "given"], "p and p_masked on every line"),
        (["--model", "openai:unheard-of"], "not on the list"),
        (["--project", "nowhere"], "nowhere"),
    ],
)
def test_a_choice_that_is_not_to_be_had_is_one_sentence(tmp_path: Path, arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("hatexscore", file_of(tmp_path, without(GOOD, "p", "p_masked")), *arguments, stdout=StringIO())


def test_an_empty_file_and_a_missing_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="holds no line"):
        call_command("hatexscore", file_of(tmp_path, ""))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("hatexscore", str(tmp_path / "missing.jsonl"))


def test_the_model_is_asked_for_both_numbers_and_a_second_try_pays_for_nothing(
    tmp_path: Path, wire: WireServer
) -> None:
    path = file_of(tmp_path, without(GOOD, "p", "p_masked"), without(MILD, "p", "p_masked"))
    wire.queue(*(say('{"probability": 0.5}') for _ in range(4)), model="estimator")
    first = run(path, "--threads", "1")
    texts = sorted(each.said("user").split("]\n")[1].split("\n")[0] for each in wire.heard)
    assert texts == [
        "A [MASK] garden party.",
        "A loud garden party.",
        "New weeds are choking the roses.",
        "[MASK] are choking the roses.",
    ]
    assert [row["qf"] for row in first["items"]] == [0, 1]
    assert run(path) == first and len(wire.heard) == 4


def test_an_estimate_that_cannot_be_read_is_reported_and_never_a_number(tmp_path: Path, wire: WireServer) -> None:
    wire.queue(*(say("about 85%") for _ in range(6)), model="estimator")
    found = run(file_of(tmp_path, without(GOOD, "p", "p_masked")))
    assert found["items"][0]["state"] == "unreadable" and found["items"][0]["score"] is None
    assert found["counts"]["unreadable"] == 1 and found["means"]["score"] is None


def test_a_failed_estimate_ends_the_command_with_a_failure(tmp_path: Path, wire: WireServer) -> None:
    wire.queue(status(400), status(400), model="estimator")
    with pytest.raises(SystemExit):
        run(file_of(tmp_path, without(GOOD, "p", "p_masked")))


def test_log_probabilities_of_yes_and_no_make_p(tmp_path: Path, wire: WireServer) -> None:
    def chances(yes: float, no: float) -> Any:
        likely = [{"token": " Yes", "logprob": yes}, {"token": "no", "logprob": no}, {"token": "so", "logprob": -0.1}]
        choice = {
            "message": {"content": "Yes"},
            "finish_reason": "length",
            "logprobs": {"content": [{"token": "Yes", "logprob": yes, "top_logprobs": likely}]},
        }
        return lambda exchange: exchange.send(200, {"choices": [choice], "model": "estimator"})

    wire.queue(chances(-1.0, -1.0), chances(-1.0, -1.0), model="estimator")
    found = run(file_of(tmp_path, without(GOOD, "p", "p_masked")), "--estimator", "logprob")
    assert wire.heard[0].body["logprobs"] is True and wire.heard[0].body["top_logprobs"] == 20
    assert {turn.value["probability"] for turn in Turn.objects.all()} == {0.5}
    assert found["items"][0]["qf"] == 0


def test_a_server_without_log_probabilities_is_told_apart(tmp_path: Path, wire: WireServer) -> None:
    wire.queue(say("yes"), say("yes"), model="estimator")
    with pytest.raises(SystemExit):
        run(file_of(tmp_path, without(GOOD, "p", "p_masked")), "--estimator", "logprob")
    assert "gives no log-probabilities" in Run.objects.get().detail


def test_the_built_in_estimator_needs_no_key(tmp_path: Path, settings: Any) -> None:
    settings.MODEL_BINDINGS = {}
    row = {
        "text": "All immigrants are vermin.",
        "explanation": "“vermin” dehumanises immigrants. It is hateful.",
        "prediction": "hateful",
    }
    found = run(file_of(tmp_path, row), "--estimator", "keyword")
    (before, after) = (turn.value["probability"] for turn in Turn.objects.order_by("key"))
    assert found["items"][0]["qf"] == pytest.approx(before - after) and before > after


def test_a_conclusion_that_is_missing_is_null_and_says_why(tmp_path: Path) -> None:
    found = run(file_of(tmp_path, GOOD | {"explanation": "“New weeds” demeans the migrants."}, REFUSED))
    assert [(row["conclusion"], row["why"]) for row in found["items"]] == [
        (None, "The explanation states no conclusion for or against hateful."),
        (None, "the explanation is a refusal"),
    ]


def test_without_a_model_the_built_in_estimator_has_to_be_asked_for_by_name(tmp_path: Path, settings: Any) -> None:
    settings.MODEL_BINDINGS = {}
    path = file_of(tmp_path, without(GOOD, "p", "p_masked"))
    with pytest.raises(CommandError, match="Set MODEL_ESTIMATOR.*or choose the estimator keyword"):
        call_command("hatexscore", path, stdout=StringIO())
    found = run(path, "--estimator", "keyword")
    assert found["estimator"] == "keyword" and found["model"].startswith("keyword:")
    settings.MODEL_BINDINGS = {"MODEL_ESTIMATOR": found["model"]}
    assert run(path)["model"] == found["model"]


def test_steps_of_a_twentieth_reach_the_threshold(tmp_path: Path) -> None:
    # 0.7 - 0.4 is written 0.29999999999999993
    found = run(file_of(tmp_path, GOOD | {"p": 0.7, "p_masked": 0.4}, GOOD | {"p": 0.7, "p_masked": 0.41}))
    assert [row["cc"] for row in found["items"]] == [1, 0]


def test_detoxify_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="install the extra detoxify"):
        call_command("hatexscore", file_of(tmp_path, GOOD), "--estimator", "detoxify", stdout=StringIO())


def test_a_project_pays_within_its_budget(tmp_path: Path, wire: WireServer) -> None:
    project = make_project("garden", call_budget=1)
    wire.queue(say('{"probability": 0.5}'), say('{"probability": 0.5}'), model="estimator")
    with pytest.raises(SystemExit):
        run(file_of(tmp_path, without(GOOD, "p", "p_masked")), "--project", "garden")
    assert Account.objects.get(project=project.public_id).calls == 1
    assert Run.objects.get().reason == "budget_exceeded"


def test_the_sweep_is_a_table_and_a_plot(tmp_path: Path) -> None:
    plot = tmp_path / "sweep.svg"
    found = run(file_of(tmp_path, GOOD, MILD), "--plot", str(plot))
    assert [row["threshold"] for row in found["sweep"]] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert [row["cc"] for row in found["sweep"]] == [1, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5]
    # at 0.7 the first explanation falls to (1 + 0.6 + 1 + 0) / 4 = 0.65
    assert found["sweep"][6]["score"] == 0.6875
    drawn = plot.read_text(encoding="utf-8")
    assert drawn.startswith("<svg") and drawn.count("<polyline") == 2
    out = StringIO()
    call_command("hatexscore", file_of(tmp_path, GOOD), "--sweep", stdout=out)
    assert "τ 0.7  cc 0.000  score 0.650" in out.getvalue()


def test_a_long_file_keeps_its_order(tmp_path: Path) -> None:
    rows = [GOOD | {"p": round(0.3 + number / 1000, 3)} for number in range(300)]
    found = run(file_of(tmp_path, *rows))
    assert [row["qf"] for row in found["items"]] == [round(number / 1000, 3) for number in range(300)]
