"""A model that answers the instruction plainly writes at the desk: one reply an answer, no JSON."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role, Stage
from annotation.models import Project
from builders import make_item, make_member, make_picture
from counterspeech_models import POST, Desk, desk_on_the_wire, kind_of
from generation.counterspeech import candidate_json, request
from generation.domain.counterspeech.instructions import reply_instruction
from generation.domain.counterspeech.intents import Intent
from generation.methods.counterspeech.plain_reply import read_plain_reply
from generation.models import Candidate, Exchange, Exemplar
from providers import wiring
from providers.profiles import read_amendments
from runs.execution import runner, worker
from runs.methods.prompts import load_prompt
from runs.models import Run
from wire.server import Exchange as WireExchange
from wire.server import WireServer, body, say, status

GOOD = "Nobody on this street was planted here first, and twelve families say so in the register."
FAIR = "Gardens with many kinds of plants are the healthy ones, and people are no plants."
POOR = "What exactly is being choked, and by whom?"


# ── One answer ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (f"  {GOOD}\n", GOOD),
        (f"<think>It should be short.</think>\n{GOOD}", GOOD),
        (f'"{GOOD}"', GOOD),
        (f"“{GOOD}”", GOOD),
        ("「没有人是杂草。」", "没有人是杂草。"),
        ("‘Don’t call people weeds.’", "Don’t call people weeds."),
        (f'“"{GOOD}"”', GOOD),
        (f"```\n{GOOD}\n```", GOOD),
        (json.dumps({"replies": [GOOD]}), GOOD),
        (json.dumps({"reason": "as asked", "reply": GOOD}), GOOD),
        (json.dumps([GOOD]), GOOD),
        (f"```json\n{json.dumps({'counterspeech': GOOD})}\n```", GOOD),
        (f"Here it is: {json.dumps({'reply': GOOD})}", GOOD),
        (json.dumps('They say "weeds" of people.'), 'They say "weeds" of people.'),
        ('"No," she said, "that is wrong."', '"No," she said, "that is wrong."'),
        ("“Weeds” and “roses” are people.", "“Weeds” and “roses” are people."),
        ("[Name] is a neighbour.", "[Name] is a neighbour."),
        ("We cannot let words like these stand.", "We cannot let words like these stand."),
        ("I'm sorry, but I can't agree.", "I'm sorry, but I can't agree."),
        ("我不能接受这种说法。", "我不能接受这种说法。"),
    ],
)
def test_the_reply_is_read_without_what_stands_around_it(answer: str, reply: str) -> None:
    assert read_plain_reply(answer) == (reply, "")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "empty_output"),
        ('" … "', "empty_output"),
        ("<think>Only thoughts.</think>", "empty_output"),
        (json.dumps({"replies": [GOOD, FAIR]}), "invalid_output"),
        (json.dumps({"replies": []}), "invalid_output"),
        (json.dumps({"reply": 7}), "invalid_output"),
        ('{"replies": ["Nobody on this str', "invalid_output"),
        ("I'm sorry, but I can't help with that.", "refused"),
        (json.dumps({"reply": "I cannot write this kind of content."}), "refused"),
        ("很抱歉，我无法协助处理该内容。", "refused"),
        ("죄송하지만 도와드릴 수 없습니다.", "refused"),
        ("x" * 4001, "too_large"),
    ],
)
def test_an_answer_without_one_reply_says_why(answer: str, reason: str) -> None:
    assert read_plain_reply(answer) == ("", reason)


# ── Whole runs ────────────────────────────────────────────────────────────────


@pytest.fixture
def desk(settings: Any) -> Iterator[tuple[WireServer, Desk]]:
    settings.MODEL_PROFILES = read_amendments({"openai:writer": {"plain": True, "trained": "CoARL"}})
    with desk_on_the_wire(settings) as both:
        yield both


@pytest.fixture
def exchange(project: Project) -> Exchange:
    return request.open_on_text(project, POST)


def done(asked: request.Asked) -> Run:
    runner.claim_and_perform(asked.run.pk, worker.planned_model)
    asked.run.refresh_from_db()
    return asked.run


def heard(wire: WireServer, kind: str) -> list[Any]:
    return [each for each in wire.heard if kind_of(each) == kind]


@pytest.mark.django_db(transaction=True)
def test_a_plain_model_gets_the_instruction_and_the_post_alone_and_critics_rank_as_ever(
    desk: tuple[WireServer, Desk], exchange: Exchange, settings: Any
) -> None:
    wire, table = desk
    Exemplar.objects.create(project=exchange.project, external_id="e", hate=POST + ".", intent="informative", text="E.")
    settings.MODEL_BINDINGS = settings.MODEL_BINDINGS | {"MODEL_COUNTER_EXPLAINER": "openai:general"}
    done(request.explain(exchange))
    assert exchange.explanations.get().model == "openai:general"
    wire.forget()
    table.plain["informative"] = [POOR, f"“{FAIR}”", json.dumps({"replies": [GOOD]})]
    table.scores = {
        GOOD: (-0.9, 0.8, 0.0, "informative"),
        FAIR: (-0.6, 0.6, 0.1, "positive"),
        POOR: (0.2, 0.4, 0.2, "questioning"),
    }
    run = done(request.write(exchange, options={"intents": ["informative"], "candidates": 3, "tone": "warm"}))
    assert (run.state, run.calls) == ("succeeded", 3 + 3 * 4)
    asked = heard(wire, "plain informative")
    assert len(asked) == 3
    for each in asked:
        (message,) = each.messages
        assert message["role"] == "user" and message["content"].endswith(
            f"write an informative counterspeech to this offensive statement: {POST}"
        )
        assert "response_format" not in each.body and "n" not in each.body
        assert not any(word in message["content"] for word in ("JSON", "About ", "E.", "warm", "data"))
    rows = list(Candidate.objects.filter(exchange=exchange))
    assert [row.text for row in rows] == [GOOD, FAIR, POOR]
    assert [row.reward for row in rows] == pytest.approx([2.75 / 3, 2.3 / 3, 1.6 / 3])
    assert {(row.writer, row.trained, row.mode, row.asked_for) for row in rows} == {
        ("trained_model", "CoARL", "plain", 3)
    }
    assert rows[0].exemplars == [] and rows[0].explanations is None
    assert not {"tone", "length", "language"} & set(rows[0].settings)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("answer", "left_out"),
    [
        (say(GOOD.upper()), {}),
        (say(" "), {"empty_output": 2}),
        ("decline", {"refused": 2}),
        ("blocked", {"provider_blocked": 2}),
        (say(json.dumps({"replies": [GOOD, FAIR]})), {"invalid_output": 2}),
        (say("Nobody on this str", finish="length"), {"truncated": 2}),
    ],
    ids=["equal", "empty", "refused", "blocked", "a list", "cut"],
)
def test_answers_that_hold_no_new_reply_are_left_out_and_counted(
    desk: tuple[WireServer, Desk], exchange: Exchange, answer: Any, left_out: dict[str, int]
) -> None:
    wire, _table = desk
    wire.queue(say(GOOD), *[answer] * 20, model="writer")
    run = done(request.write(exchange, options={"intents": ["positive"], "candidates": 3}))
    assert run.state == "succeeded", run.detail
    found = run.outcome["intents"]["positive"]
    assert [row["text"].casefold() for row in found["candidates"]] == [GOOD.casefold()]
    assert (found["near_duplicates"], found["unusable"]) == (0 if left_out else 2, left_out)
    assert found["missing"] == "" and Candidate.objects.get().asked_for == 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("answer", "end"),
    [
        ("decline", ("refused", "refused")),
        (say(json.dumps({"replies": ["one", "two"]})), ("unreadable", "invalid_output")),
        ("blank", ("unreadable", "empty_output")),
        ("blocked", ("refused", "provider_blocked")),
    ],
)
def test_where_no_answer_holds_a_reply_the_run_ends_with_the_reason(
    desk: tuple[WireServer, Desk], exchange: Exchange, answer: Any, end: tuple[str, str]
) -> None:
    wire, _table = desk
    wire.queue(*[answer] * 8, model="writer")
    run = done(request.write(exchange, options={"intents": ["positive"], "candidates": 2}))
    assert (run.state, run.reason) == end and not Candidate.objects.exists()


def several(*said: str | tuple[str, str]) -> Any:
    """Answer with a choice for each text; a pair is a text and how it ended."""

    def behave(wire: WireExchange) -> None:
        answer = wire.reply("")
        choices = [(text, "stop") if isinstance(text, str) else text for text in said]
        answer["choices"] = [
            {"index": index, "finish_reason": end, "message": {"role": "assistant", "content": text}}
            for index, (text, end) in enumerate(choices)
        ]
        wire.send(200, answer)

    return behave


@pytest.fixture
def takes_n(settings: Any, desk: tuple[WireServer, Desk]) -> tuple[WireServer, Desk]:
    settings.MODEL_PROFILES = read_amendments({"openai:writer": {"plain": True, "n": True}})
    return desk


@pytest.mark.django_db(transaction=True)
def test_a_model_that_takes_n_is_asked_once_for_all(takes_n: tuple[WireServer, Desk], exchange: Exchange) -> None:
    wire, _table = takes_n
    wire.queue(several(GOOD, FAIR, POOR, "One more than was wanted."), model="writer")
    run = done(request.write(exchange, options={"intents": ["positive"], "candidates": 3}))
    (asked,) = heard(wire, "plain positive")
    assert asked.body["n"] == 3 and run.calls == 1 + 3 * 4
    assert {row.text for row in Candidate.objects.all()} == {GOOD, FAIR, POOR}
    assert {row.writer for row in Candidate.objects.all()} == {"prompted_model"}
    turn = run.turns.get(key="write.positive")
    assert json.loads(turn.reply)[:3] == [GOOD, FAIR, POOR] and turn.messages[0]["role"] == "user"


@pytest.mark.django_db(transaction=True)
def test_what_did_not_come_at_once_or_came_cut_is_asked_for_by_itself(
    takes_n: tuple[WireServer, Desk], exchange: Exchange
) -> None:
    wire, _table = takes_n
    declined = "I'm sorry, but I can't help with that."
    wire.queue(
        several(GOOD, ("Nobody on this str", "length"), ("", "content_filter"), declined),
        say(FAIR),
        say(POOR),
        model="writer",
    )
    run = done(request.write(exchange, options={"intents": ["positive"], "candidates": 5}))
    asked = heard(wire, "plain positive")
    assert [each.body.get("n") for each in asked] == [5, None, None]  # one was cut, the fifth never came
    found = run.outcome["intents"]["positive"]
    assert {row["text"] for row in found["candidates"]} == {GOOD, FAIR, POOR}
    assert found["unusable"] == {"refused": 2}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "rejection",
    [
        status(400, "invalid_value", "Only one completion choice is allowed."),
        body(json.dumps({"error": {"message": "n must be 1", "param": "n", "code": "unsupported_value"}}).encode()),
        lambda wire: wire.send(400, wire.fault("unsupported_parameter", "Unsupported parameter: n", "n")),
    ],
    ids=["in a sentence of its own", "with status 200", "by name"],
)
def test_a_server_that_does_not_take_n_is_asked_for_one_at_a_time(
    takes_n: tuple[WireServer, Desk], exchange: Exchange, rejection: Any
) -> None:
    wire, _table = takes_n

    def behave(asked: WireExchange) -> None:
        rejection(asked) if "n" in asked.heard.body else _table(asked)

    wire.always(behave)
    run = done(request.write(exchange, options={"intents": ["positive"], "candidates": 3}))
    assert run.state == "succeeded", run.detail
    assert Candidate.objects.count() == 3 and {row.asked_for for row in Candidate.objects.all()} == {3}


@pytest.mark.django_db(transaction=True)
def test_a_run_that_is_cut_off_asks_only_for_what_is_left(desk: tuple[WireServer, Desk], exchange: Exchange) -> None:
    wire, _table = desk
    wire.queue(say(GOOD), *["503"] * 8, model="writer")
    asked = request.write(exchange, options={"intents": ["positive"], "candidates": 3})
    assert done(asked).state == "queued"
    kept = asked.run.turns.count()
    assert kept >= 1
    wire.forget()
    wiring._breaker.cache_clear()
    Run.objects.filter(pk=asked.run.pk).update(not_before="2020-01-01T00:00:00Z")
    run = done(asked)
    assert run.state == "succeeded" and len(heard(wire, "plain positive")) == 3 - kept
    assert GOOD in {row.text for row in Candidate.objects.all()}


@pytest.mark.django_db(transaction=True)
def test_the_statement_is_one_line_of_text_or_what_the_picture_shows_and_an_unseen_one_is_not_answered(
    desk: tuple[WireServer, Desk], project: Project, settings: Any
) -> None:
    wire, _table = desk
    lines = request.open_on_text(project, "Weeds,\n  and more\tweeds.")
    done(request.write(lines, options={"intents": ["positive"], "candidates": 1}))
    assert heard(wire, "plain positive")[0].said("user").endswith("statement: Weeds, and more weeds.")
    wire.forget()
    seen = request.open_on_item(make_item(project, "", picture=make_picture(project)))
    done(request.write(seen, options={"intents": ["positive"], "candidates": 1}))
    assert heard(wire, "plain positive")[0].said("user").endswith("statement: A garden with roses.")
    settings.MODEL_BINDINGS = settings.MODEL_BINDINGS | {"MODEL_DESCRIBER": "keyword:cues"}
    unseen = request.open_on_item(make_item(project, "", picture=make_picture(project)))
    run = done(request.write(unseen, options={"intents": ["positive"], "candidates": 1}))
    assert (run.state, run.reason) == ("failed", "bad_request") and "nobody has described" in run.detail


@pytest.mark.django_db(transaction=True)
def test_a_plain_model_is_not_asked_to_explain_and_the_desk_says_what_to_do(
    desk: tuple[WireServer, Desk], project: Project, settings: Any
) -> None:
    user = make_member(project, Role.REVIEWER).user
    assert user is not None
    client = Client()
    client.force_login(user)
    item = make_item(project, POST, stage=Stage.GOLD)
    there = reverse("generation:item-counterspeech", args=["garden", item.public_id])
    page = client.post(there, follow=True).content.decode()
    assert "openai:writer writes replies and explains nothing" in page and "MODEL_COUNTER_EXPLAINER" in page
    assert "Write candidates" in page and not Run.objects.exists() and not desk[0].heard
    project.model_plan = {"counterspeaker": "openai:general"}  # the project's choice explains too
    project.save()
    client.post(there)
    assert Run.objects.get().model_plan["counter_explainer"] == "openai:general"
    settings.MODEL_BINDINGS = settings.MODEL_BINDINGS | {"MODEL_COUNTER_EXPLAINER": "openai:site"}
    exchange = Exchange.objects.get()
    exchange.refresh_from_db()
    assert request.models_for(exchange.project, "counter_explain")["counter_explainer"] == "openai:site"


@pytest.mark.django_db(transaction=True)
def test_an_explanation_that_was_queued_for_the_writer_is_still_given(
    desk: tuple[WireServer, Desk], exchange: Exchange, settings: Any
) -> None:
    settings.MODEL_BINDINGS = settings.MODEL_BINDINGS | {"MODEL_COUNTER_EXPLAINER": "openai:general"}
    asked = request.explain(exchange)
    Run.objects.update(model_plan={"counterspeaker": "openai:earlier", "describer": "openai:seer"})
    assert done(asked).state == "succeeded"
    assert exchange.explanations.get().model == "openai:earlier"


@pytest.mark.django_db(transaction=True)
def test_the_choice_of_a_run_goes_before_the_profile(desk: tuple[WireServer, Desk], exchange: Exchange) -> None:
    wire, table = desk
    table.replies["positive"] = [GOOD]
    run = done(request.write(exchange, options={"intents": ["positive"], "mode": "list"}))
    assert run.options["mode"] == "list" and len(heard(wire, "positive")) == 1
    assert Candidate.objects.get().trained == "CoARL"
    with pytest.raises(request.BadChoice, match="mode"):
        request.write(exchange, options={"mode": "loud"})


@pytest.mark.django_db(transaction=True)
def test_the_baseline_answers_plainly_too(settings: Any, exchange: Exchange) -> None:
    settings.MODEL_BINDINGS = {}
    run = done(request.write(exchange, options={"intents": ["denouncing"], "candidates": 5, "mode": "plain"}))
    found = run.outcome["intents"]["denouncing"]
    assert len(found["candidates"]) == 3 and found["near_duplicates"] == 2  # it knows three sentences
    assert {row.writer for row in Candidate.objects.all()} == {"built_in_baseline"}


# ── On the page, by command, over the API ─────────────────────────────────────


@pytest.mark.django_db(transaction=True)
def test_the_page_asks_plainly_and_says_that_a_trained_model_wrote(
    desk: tuple[WireServer, Desk], project: Project, exchange: Exchange
) -> None:
    user = make_member(project, Role.REVIEWER).user
    assert user is not None
    client = Client()
    client.force_login(user)
    address = reverse("generation:exchange", args=["garden", exchange.public_id])
    assert '<option value="plain" selected>' in client.get(address).content.decode()
    ask = reverse("generation:candidates", args=["garden", exchange.public_id])
    answer = client.post(ask, {"intents": ["positive"], "candidates": "2", "mode": "plain"})
    assert answer.status_code == 302
    run = done(request.Asked(Run.objects.get(), new=True))
    assert (run.options["mode"], run.options["candidates"], run.options["trained"]) == ("plain", 2, "CoARL")
    page = client.get(f"{address}?intent=positive").content.decode()
    assert page.count("trained model") == 2 and "CoARL" in page
    (row,) = candidate_json.reported(exchange, run, [Intent.POSITIVE])
    assert {(each["written_by"], each["trained"], each["mode"], each["asked_for"]) for each in row["candidates"]} == {
        ("trained_model", "CoARL", "plain", 2)
    }


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("models", "said", "unsaid"),
    [
        ({"MODEL_DESCRIBER": "keyword:cues"}, "trained model", "by counting words"),
        ({"MODEL_CRITIC": "keyword:cues"}, "scored these by counting words", "No language model was used"),
        ({"MODEL_COUNTERSPEAKER": "keyword:cues"}, "No language model was used", "by counting words"),
    ],
    ids=["only the describer", "the critics", "the writer"],
)
def test_the_page_says_of_the_baseline_only_what_it_did(
    desk: Any, project: Project, exchange: Exchange, settings: Any, models: dict[str, str], said: str, unsaid: str
) -> None:
    settings.MODEL_BINDINGS = settings.MODEL_BINDINGS | models
    user = make_member(project, Role.REVIEWER).user
    assert user is not None
    client = Client()
    client.force_login(user)
    done(request.write(exchange, options={"intents": ["positive"], "candidates": 1}))
    address = reverse("generation:exchange", args=["garden", exchange.public_id])
    page = client.get(f"{address}?intent=positive").content.decode()
    assert said in page and unsaid not in page


@pytest.mark.parametrize("intent", Intent)
def test_a_model_is_asked_at_the_desk_as_it_was_trained(intent: Intent) -> None:
    """The prompt of the desk and the instruction of the exported training rows are one wording."""
    fields = {"post": "Weeds.", "intent": intent.value, "an_intent": intent.with_article, "cs_type": intent.cs_type}
    (message,) = load_prompt("generation", "counterspeech", "plain").bare_messages(fields)
    assert message.text == reply_instruction(intent, "Weeds.")
