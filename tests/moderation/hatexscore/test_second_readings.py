"""The role `reader` in scores: on a post, and in the command."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.models import Item, Project
from builders import make_item, make_member, make_project
from moderation.debates import start as debate_start
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.request import Scoring
from moderation.hatexscore import start
from moderation.hatexscore.explanations import explanations, named
from moderation.hatexscore.start import CannotScore, pasted
from moderation.models import Score
from runs.execution import runner, worker
from runs.models import Account, Run
from wire.server import WireServer, say, status
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "All immigrants are vermin."
OPEN = "“vermin” is what it calls people here, and that says it all. The migrants moved in. Weather follows."
DECLINES = "I would rather not engage with this beyond saying that immigrants are called “vermin” in it."
SURE = "“vermin” demeans the immigrants. Conclusion: hateful"
READ = {"refusal": False, "conclusion": True, "group": "migrants", "tie": "quote"}
GIVEN = Scoring(estimator=Estimator.GIVEN, p=0.75, p_masked=0.25)


def reading(**changed: Any) -> str:
    return json.dumps(READ | changed)


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    settings.RUN_BUSY_ROUNDS = 1
    with models_at_a_server(settings, ("estimator", "explainer", "reader"), attempts=1) as server:
        yield server


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def item(project: Project) -> Item:
    return make_item(project, TEXT, external_id="post-1")


def perform(run: Run) -> Run:
    runner.claim_and_perform(run.pk, worker.planned_model)
    run.refresh_from_db()
    return run


def scored(item: Item, text: str, prediction: bool | None = True, choice: Scoring = GIVEN) -> Score:
    score = start.start(item, pasted(text, prediction), choice, ring=False)
    if score.run is not None:
        perform(Run.objects.get(public_id=score.run))
    score.refresh_from_db()
    return score


# ── On a post ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("text", [OPEN, DECLINES])
def test_the_parts_count_what_the_reader_read(wire: WireServer, item: Item, text: str) -> None:
    wire.queue(say(reading(group="migrants" if text == OPEN else "immigrants")), model="reader")
    score = scored(item, text)
    assert (score.state, score.htc, score.tgi, len(wire.heard)) == ("scored", 1, 1, 1)
    second = score.reading["second"]
    assert (second["model"], second["conclusion"], score.reading["conclusions"]) == ("openai:reader", True, [])
    assert [group["tie"] for group in second["groups"]] == ["quote"]


def test_of_what_the_rules_read_nobody_is_asked(wire: WireServer, item: Item) -> None:
    score = scored(item, SURE)
    assert (score.htc, wire.heard, "second" in score.reading) == (1, [], False)
    assert Run.objects.get(public_id=score.run).model_plan == {}


def test_a_refusal_that_the_reader_confirms_has_a_row_that_says_so(wire: WireServer, item: Item) -> None:
    wire.queue(say(reading(refusal=True, conclusion=None)), model="reader")
    score = scored(item, DECLINES)
    assert (score.state, score.score, score.reading["second"]["refusal"]) == ("refused", None, True)
    assert score.reason == "The model refused to explain: there is nothing to score."


@pytest.mark.parametrize(
    "answers",
    [
        ["prose"] * 2,
        [reading(conclusion="perhaps")] * 2,
        ["I'm sorry, but I can't help with that."],
    ],
)
def test_a_reader_of_no_use_leaves_what_the_rules_read(wire: WireServer, item: Item, answers: list[str]) -> None:
    wire.queue(*map(say, answers), model="reader")
    score = scored(item, OPEN)
    assert (score.state, score.htc, score.tgi, "second" in score.reading) == ("scored", 0, 0, False)
    wire.queue(*map(say, answers), model="reader")
    assert scored(item, DECLINES).state == "refused"


def test_a_reader_whose_server_fails_leaves_what_the_rules_read(wire: WireServer, item: Item) -> None:
    wire.queue(status(500), model="reader")
    score = scored(item, OPEN)
    assert (score.state, score.htc) == ("scored", 0)


def test_words_that_do_not_stand_there_name_no_group(wire: WireServer, item: Item) -> None:
    wire.queue(say(reading(group="Muslims")), model="reader")
    score = scored(item, OPEN)
    assert (score.htc, score.tgi, score.reading["second"]["groups"]) == (1, 0, [])


def test_what_the_explaining_run_had_read_is_not_read_again(wire: WireServer, item: Item) -> None:
    wire.queue(say(OPEN), model="explainer")
    wire.queue(say(reading()), model="reader")
    wish = debate_start.DebateRequest("explain")
    debate_start.start_runs(item.project, Item.objects.filter(pk=item.pk), wish, ring=False)
    run = perform(Run.objects.get(method="explain"))
    explanation = named(item, f"run:{run.public_id}")
    assert explanation is not None and explanation.prediction is True
    score = start.start(item, explanation, GIVEN, ring=False)
    perform(Run.objects.get(public_id=score.run))
    score.refresh_from_db()
    assert (score.htc, score.tgi, score.prediction) == (1, 1, True)
    assert [heard.model for heard in wire.heard] == ["explainer", "reader"]


def test_an_explanation_from_before_there_was_a_reader_gets_its_label_from_it(
    wire: WireServer, item: Item, settings: Any
) -> None:
    reader = settings.MODEL_BINDINGS.pop("MODEL_READER")
    wire.queue(say(OPEN), model="explainer")
    wish = debate_start.DebateRequest("explain")
    debate_start.start_runs(item.project, Item.objects.filter(pk=item.pk), wish, ring=False)
    perform(Run.objects.get())
    settings.MODEL_BINDINGS["MODEL_READER"] = reader
    (explanation,) = explanations(item)
    assert explanation.prediction is None
    wire.queue(say(reading(conclusion=False)), model="reader")
    score = start.start(item, explanation, GIVEN, ring=False)
    perform(Run.objects.get(public_id=score.run))
    score.refresh_from_db()
    assert (score.prediction, score.htc, score.qf) == (False, 1, 0.5)


def test_a_reader_that_cannot_be_asked_is_one_sentence(wire: WireServer, item: Item) -> None:
    item.project.model_plan = {"reader": "keyword:cues-1"}
    with pytest.raises(CannotScore, match="answers no optional role"):
        start.start(item, pasted(OPEN, True), GIVEN, ring=False)


@pytest.mark.parametrize("text", [OPEN, DECLINES, SURE])
def test_without_a_reader_a_row_is_as_before(wire: WireServer, item: Item, settings: Any, text: str) -> None:
    del settings.MODEL_BINDINGS["MODEL_READER"]
    score = scored(item, text)
    assert wire.heard == [] and "second" not in score.reading
    assert (score.run is None) is (text == DECLINES)
    if score.run is not None:
        assert Run.objects.get().model_plan == {}


def test_pages_and_the_api_say_who_read(wire: WireServer, item: Item, client: Client) -> None:
    client.force_login(make_member(item.project, Role.ADMIN).user)
    scored(item, SURE)
    before = client.get(reverse("moderation:scores", args=["garden"])).content.decode()
    assert "openai:reader" not in before and "Conclusions read by" not in before
    wire.queue(say(reading()), model="reader")
    read = scored(item, OPEN)
    wire.queue(say(reading(refusal=True, conclusion=None)), model="reader")
    scored(item, DECLINES)
    wire.queue(say(reading(conclusion=None, group=None)), model="reader")
    scored(item, f"{OPEN} Then it ends.")
    page = client.get(reverse("moderation:item-scores", args=["garden", item.public_id])).content.decode()
    assert "The rules read no conclusion; openai:reader reads that it is hateful." in page
    assert "openai:reader reads that a quote is tied to “migrant”." in page
    assert "Neither the rules nor openai:reader read a conclusion in it." in page
    assert "Read by openai:reader." in page
    figures = " ".join(client.get(reverse("moderation:scores", args=["garden"])).content.decode().split())
    assert "Conclusions read by the rules: 1, by a model: 2, by nobody: 1." in figures
    shown = client.get(f"/api/v1/projects/garden/scores/{read.public_id}/").json()
    assert shown["reading"]["second"]["model"] == "openai:reader"


# ── The command ───────────────────────────────────────────────────────────────


def line(explanation: str, prediction: str = "hateful") -> str:
    row = {"text": TEXT, "explanation": explanation, "prediction": prediction, "p": 0.75, "p_masked": 0.25}
    return json.dumps(row) + "\n"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "lines.jsonl"
    rows = (OPEN, DECLINES, SURE, f"{OPEN} Then it ends.", "I'm sorry, but I can't help with that.", " ")
    path.write_text("".join(map(line, rows)), encoding="utf-8")
    return str(path)


def ran(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command("hatexscore", *arguments, "--json", "--threads", "1", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_the_command_says_who_read_what(wire: WireServer, file: str, project: Project) -> None:
    def answer(exchange: Any) -> None:
        said = exchange.heard.said("user")
        ends, helps = "Then it ends" in said, "can't help" in said
        who = reading(
            refusal=helps,
            conclusion=None if helps or ends else True,
            group="immigrants" if "engage" in said else "migrants",
        )
        exchange.send(200, exchange.reply(who))

    wire.queue(*[answer] * 4, model="reader")
    found = ran(file, "--project", "garden")
    shown = [(row["htc"], row["tgi"], row["conclusion"], row["read_by"]) for row in found["items"]]
    assert shown == [
        (1, 1, True, "reader"),
        (1, 1, True, "reader"),
        (1, 1, True, "rules"),
        (0, 1, None, "nobody"),
        (None, None, None, "reader"),
        (None, None, None, "nobody"),
    ]
    assert found["items"][0]["why"] == "openai:reader reads it so; the rules read no conclusion."
    assert (found["reader"], found["read_by"]) == ("openai:reader", {"rules": 1, "reader": 3, "nobody": 1})
    assert found["counts"] == {"scored": 4, "refused": 1, "unreadable": 1, "failed": 0}
    assert Account.objects.get(project=project.public_id).calls == 4 == len(wire.heard)
    again = ran(file, "--project", "garden")  # what was paid for is not asked again
    assert again == found and len(wire.heard) == 4
    out = StringIO()
    call_command("hatexscore", file, "--project", "garden", stdout=out, stderr=StringIO())
    assert "Read by the rules 1, by openai:reader 3, by nobody 1." in out.getvalue()


def test_a_reader_that_fails_the_command_leaves_what_the_rules_read(wire: WireServer, file: str) -> None:
    wire.queue(*[status(400)] * 4, model="reader")
    found = ran(file)
    assert [row["read_by"] for row in found["items"]] == ["nobody", "rules", "rules", "nobody", "rules", "nobody"]
    assert found["counts"] == {"scored": 3, "refused": 2, "unreadable": 1, "failed": 0}


def test_without_a_reader_the_command_prints_what_it_printed(wire: WireServer, file: str, settings: Any) -> None:
    del settings.MODEL_BINDINGS["MODEL_READER"]
    found = ran(file)
    assert wire.heard == [] and not Run.objects.exists()
    assert list(found) == ["items", "estimator", "model", "means", "counts"]
    assert all("read_by" not in row for row in found["items"])


def test_the_command_refuses_a_reader_that_cannot_be_asked(wire: WireServer, file: str, settings: Any) -> None:
    settings.MODEL_BINDINGS["MODEL_READER"] = "keyword:cues-1"
    with pytest.raises(CommandError, match="answers no optional role"):
        ran(file)
