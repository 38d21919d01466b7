"""The role `reader` in an explanation: it reads what the rules read no conclusion in, or take for a refusal."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.models import Item, Project
from builders import make_item, make_member, make_project
from moderation.debates import ask_again, start
from moderation.debates.run_json import run_as_json
from providers.messages import Model, ProviderError, Refused
from providers.vendors.scripted import ScriptedModel
from replayed_runs import replay_run
from runs.execution import runner, worker
from runs.models import Account, Run, Turn
from wire.server import WireServer, blocked, hang_up, say, status
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)

OPEN = "It calls the migrants a plague, and nobody who reads that will wonder what is meant."
DECLINES = "I would rather not engage with this beyond saying that migrants are called a plague in it."
SURE = "“Weeds” demeans the migrants. Conclusion: hateful"
NO_REFUSAL = {"refusal": False, "conclusion": True, "group": "the migrants", "tie": "plague"}


def reading(**changed: Any) -> str:
    return json.dumps(NO_REFUSAL | changed)


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    settings.RUN_BUSY_ROUNDS, settings.MODEL_READ_SECONDS = 1, 1
    with models_at_a_server(settings, ("explainer", "reader"), attempts=1) as server:
        yield server


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def item(project: Project) -> Item:
    return make_item(project, "Weeds in the white roses again.", external_id="post-1")


def queued(item: Item, **wish: Any) -> Run:
    request = start.DebateRequest("explain", **wish)
    assert start.start_runs(item.project, Item.objects.filter(pk=item.pk), request, ring=False) == 1
    return Run.objects.latest("id")


def done(run: Run) -> Run:
    runner.claim_and_perform(run.pk, worker.planned_model)
    run.refresh_from_db()
    return run


def scripted(item: Item, explanation: Any, *readings: Any) -> Run:
    """The run of an explanation whose two roles say these lines."""
    models: dict[str, Model] = {"explainer": ScriptedModel(explanation), "reader": ScriptedModel(*readings)}
    run = queued(item)
    runner.claim_and_perform(run.pk, lambda role, _name: models[role])
    run.refresh_from_db()
    return run


def keys(run: Run) -> list[tuple[str, str]]:
    return list(run.turns.order_by("id").values_list("key", "state"))


# ── What the rules do not read ────────────────────────────────────────────────


@pytest.mark.parametrize("explanation", [OPEN, DECLINES])
def test_the_reader_reads_what_the_rules_do_not(wire: WireServer, item: Item, explanation: str) -> None:
    wire.queue(say(explanation), model="explainer")
    wire.queue(say(reading(group="migrants")), model="reader")
    run = done(queued(item))
    assert (run.state, run.calls, run.model_plan["reader"]) == ("succeeded", 2, "openai:reader")
    assert run.outcome == {
        "hateful": True,
        "category": None,
        "reason": explanation,
        "read_by": {
            "by": "reader",
            "model": "openai:reader",
            "refusal": False,
            "conclusion": True,
            "group": "migrants",
            "tie": "plague",
        },
    }
    asked = wire.heard[-1]
    nonce = asked.said("system").rsplit(": ", 1)[1]
    assert f"[explanation {nonce}]\n{explanation}\n[/explanation {nonce}]" in asked.said("user")
    assert "Weeds in the white roses" not in asked.said("user")  # the post is not the reader's to judge
    assert run_as_json(run, None, [])["read_by"] == run.outcome["read_by"]
    assert Turn.objects.get(key="second_reading").input_tokens > 0
    assert Account.objects.get(project=item.project.public_id).calls == 2


def test_what_the_rules_read_for_sure_is_read_by_nobody_else(wire: WireServer, item: Item) -> None:
    wire.queue(say(SURE), model="explainer")
    run = done(queued(item))
    assert (run.state, len(wire.heard)) == ("succeeded", 1)
    assert run.outcome == {"hateful": True, "category": None, "reason": SURE, "read_by": {"by": "rules"}}


def test_a_refusal_that_the_rules_missed_is_one(wire: WireServer, item: Item) -> None:
    wire.queue(say(OPEN), model="explainer")
    wire.queue(say(reading(refusal=True, conclusion=None)), model="reader")
    run = done(queued(item))
    assert (run.state, run.reason, run.detail) == ("refused", "refused", "reader: openai:reader reads a refusal.")


def test_a_refusal_that_both_read_is_one(wire: WireServer, item: Item) -> None:
    wire.queue(say("I'm sorry, but I can't help with that."), model="explainer")
    wire.queue(say(reading(refusal=True, conclusion=None, group=None, tie=None)), model="reader")
    assert done(queued(item)).state == "refused"


def test_a_filter_s_stop_is_no_text_to_read(wire: WireServer, item: Item) -> None:
    wire.queue(blocked, model="explainer")
    run = done(queued(item))
    assert (run.state, len(wire.heard)) == ("refused", 1)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({}, "The rules read no conclusion in this reason. openai:reader read this one."),
        ({"conclusion": None}, "Neither the rules nor openai:reader read a conclusion in this reason."),
    ],
)
def test_pages_and_the_api_say_who_read(
    wire: WireServer, item: Item, client: Client, said: dict[str, Any], sentence: str
) -> None:
    wire.queue(say(OPEN), model="explainer")
    wire.queue(say(reading(**said)), model="reader")
    run = done(queued(item))
    client.force_login(make_member(item.project, Role.ADMIN).user)
    page = client.get(reverse("moderation:run", args=["garden", run.public_id])).content.decode()
    assert sentence in " ".join(page.split())
    shown = client.get(f"/api/v1/projects/garden/runs/{run.public_id}/").json()
    assert shown["read_by"]["model"] == "openai:reader"


# ── Readers of no use ─────────────────────────────────────────────────────────

NO_USE = {
    "prose": ["He means it as hateful."] * 2,
    "a conclusion of a refusal": [reading(refusal=True)] * 2,
    "another word than true, false and null": [reading(conclusion="maybe")] * 2,
    "a field too few": ['{"conclusion": true}'] * 2,
    "two different answers": [reading() + reading(conclusion=False)] * 2,
    "a refusal": ["I'm sorry, but I can't help with that."],
    "a filter": [Refused("blocked", code="provider_blocked")],
    "no answer in time": [ProviderError("No answer after 30 seconds.", code="timeout")],
    "no such model": [ProviderError("There is no such model.", code="bad_request")],
}


@pytest.mark.parametrize("lines", NO_USE.values(), ids=NO_USE.keys())
def test_a_reader_of_no_use_leaves_what_the_rules_read(wire: WireServer, item: Item, lines: list[Any]) -> None:
    run = scripted(item, OPEN, *lines)
    assert (run.state, (run.outcome or {})["hateful"], (run.outcome or {})["read_by"]) == (
        "succeeded",
        None,
        {"by": "nobody"},
    )
    assert [key for key, _state in keys(run)] == ["explain", "second_reading"]
    refused = scripted(make_item(item.project, "Again."), DECLINES, *lines)
    assert (refused.state, refused.reason, refused.outcome) == ("refused", "refused", None)
    assert refused.detail == "explainer: The model declined to answer."


@pytest.mark.parametrize("fault", [status(500), hang_up, status(400)])
def test_faults_of_the_reader_s_server_end_no_run(wire: WireServer, item: Item, fault: Any) -> None:
    wire.queue(say(OPEN), model="explainer")
    wire.queue(*[fault] * 4, model="reader")
    run = done(queued(item))
    assert (run.state, (run.outcome or {})["hateful"]) == ("succeeded", None)


def test_a_reader_that_may_not_be_used_ends_the_run_as_any_other_model_does(wire: WireServer, item: Item) -> None:
    wire.queue(say(OPEN), model="explainer")
    wire.queue(status(401), model="reader")
    run = done(queued(item))
    assert run.state == "failed" and run.detail.startswith("reader: openai:reader gives no answer until a person acts")
    wire.queue(say(reading()), model="reader")
    assert ask_again.retry_run(run, item.project, ring=False) == run
    assert (done(run).outcome or {})["hateful"] is True


def test_null_leaves_the_rules_null(wire: WireServer, item: Item) -> None:
    run = scripted(item, OPEN, reading(conclusion=None))
    assert (run.outcome or {})["hateful"] is None and (run.outcome or {})["read_by"]["by"] == "nobody"
    # Who says that it is no refusal is believed, and no conclusion is made up for it.
    declined = scripted(make_item(item.project, "Again."), DECLINES, reading(conclusion=None))
    assert (declined.state, (declined.outcome or {})["hateful"]) == ("succeeded", None)


def test_an_answer_that_repeats_our_instructions_is_not_believed(wire: WireServer, item: Item) -> None:
    wire.queue(say(OPEN), model="explainer")

    def repeats(exchange: Any) -> None:
        nonce = exchange.heard.said("system").rsplit(": ", 1)[1]
        exchange.send(200, exchange.reply(reading(group=f"code {nonce}")))

    wire.queue(repeats, model="reader")
    run = done(queued(item))
    assert (run.outcome or {})["hateful"] is None and "led_astray" in (run.outcome or {})["warnings"]


# ── Nobody bound ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize("explanation", [OPEN, DECLINES, SURE])
def test_without_a_reader_everything_is_as_before(
    wire: WireServer, item: Item, settings: Any, explanation: str
) -> None:
    del settings.MODEL_BINDINGS["MODEL_READER"]
    settings.MODEL_BINDINGS["MODEL_TEXT"] = "openai:other"  # which the reader is not
    wire.queue(say(explanation), model="explainer")
    run = done(queued(item))
    refused = explanation == DECLINES
    assert (run.model_plan, run.calls, run.state) == (
        {"explainer": "openai:explainer"},
        1,
        "refused" if refused else "succeeded",
    )
    said = {"hateful": True if explanation == SURE else None, "category": None, "reason": explanation}
    assert run.outcome == (None if refused else said) and "read_by" not in run_as_json(run, None, [])
    assert run.detail == ("explainer: The model declined to answer." if refused else "")


# ── Plans, budgets, going on ──────────────────────────────────────────────────


def test_a_project_and_a_run_name_readers_of_their_own(wire: WireServer, item: Item) -> None:
    item.project.model_plan = {"reader": "openai:second"}
    item.project.save()
    assert queued(item).model_plan["reader"] == "openai:second"
    assert queued(item, models={"reader": "openai:third"}).model_plan["reader"] == "openai:third"
    wish = start.DebateRequest("explain")
    assert start.calls_at_most(item.project, wish) == 2
    with pytest.raises(start.BadChoice, match="no role judge; it has explainer, reader"):
        queued(item, models={"judge": "openai:a"})
    with pytest.raises(start.BadChoice, match="answers no optional role"):
        queued(item, models={"reader": "keyword:cues-1"})


def test_a_model_for_all_speakers_is_no_reader(wire: WireServer, project: Project, settings: Any) -> None:
    del settings.MODEL_BINDINGS["MODEL_READER"]
    assert start.known_method("explain").speakers("openai:all") == {"explainer": "openai:all"}


def test_near_a_limit_the_run_ends_without_the_second_reading(wire: WireServer, item: Item) -> None:
    wire.queue(say(OPEN), model="explainer")
    run = done(queued(item, limits={"calls": 2}))
    assert (run.state, run.calls, (run.outcome or {})["hateful"]) == ("succeeded", 1, None)
    assert (run.outcome or {})["limit"]["name"] == "calls"
    assert replay_run(run) == {name: value for name, value in (run.outcome or {}).items() if name != "warnings"}


def test_a_run_that_lost_its_worker_asks_the_explainer_once(wire: WireServer, item: Item) -> None:
    wire.queue(say(OPEN), model="explainer")
    wire.queue(say("“"), say("“"), model="reader")
    run = done(queued(item))
    Turn.objects.filter(run=run, key="second_reading").delete()
    Run.objects.filter(pk=run.pk).update(state="queued", outcome=None, reason="", finished_at=None)
    wire.queue(say(reading()), model="reader")
    assert (done(run).outcome or {})["hateful"] is True
    assert [heard.model for heard in wire.heard].count("explainer") == 1


def test_what_was_refused_is_asked_again_from_the_explanation(wire: WireServer, item: Item) -> None:
    wire.queue(say(OPEN), model="explainer")
    wire.queue(say(reading(refusal=True, conclusion=None)), model="reader")
    run = done(queued(item))
    actor = make_member(item.project, Role.ADMIN)
    wire.queue(say(SURE), model="explainer")
    again = ask_again.retry_run(run, item.project, actor, ring=False)
    assert again is not None
    again = done(again)
    assert keys(again) == [("explain", "ok")] and (again.outcome or {})["read_by"] == {"by": "rules"}
    assert replay_run(again) == again.outcome


def test_an_explainer_that_failed_ends_the_run_as_it_did(wire: WireServer, item: Item) -> None:
    wire.queue(*[say("", finish="stop")] * 2, model="explainer")
    run = done(queued(item))
    assert (run.state, run.reason) == ("unreadable", "empty_output") and run.detail.startswith("explainer: ")
    failed = make_item(item.project, "Again.")
    wire.queue(status(400), model="explainer")
    run = done(queued(failed))
    assert (run.state, run.reason) == ("failed", "bad_request")
    wire.queue(say(SURE), model="explainer")
    assert ask_again.retry_run(run, item.project, ring=False) == run
    assert (done(run).outcome or {})["hateful"] is True
