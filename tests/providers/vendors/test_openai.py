"""What only the OpenAI protocol has."""

import base64
from dataclasses import replace

import pytest

from providers.messages import Message, Picture, Reply, Request, Sample, Text
from providers.profiles import JsonForm, ModelProfile
from providers.tokens import estimate_tokens, most_usage
from providers.vendors import openai
from wire.server import Exchange, WireServer, say


@pytest.fixture
def connection(wire: WireServer) -> openai.Connection:
    return openai.connect(openai.Endpoint("k", wire.openai_url))


def test_a_picture_is_sent_as_a_data_uri(connection: openai.Connection, wire: WireServer):
    asked = Request("prior_image", (Message("user", (Text("What is this?"), Picture(b"\x89PNG", "image/png"))),))
    connection.model("m").reply(asked)
    assert wire.heard[0].pictures == ["data:image/png;base64," + base64.b64encode(b"\x89PNG").decode()]


def test_a_closed_schema_is_asked_for_strictly(connection: openai.Connection, wire: WireServer, question: Request):
    open_schema = {**(question.schema or {}), "additionalProperties": True}
    connection.model("m").reply(question)
    connection.model("m").reply(replace(question, schema=open_schema))
    strict, loose = (heard.body["response_format"]["json_schema"] for heard in wire.heard)
    assert (strict["strict"], loose["strict"]) == (True, False)
    assert strict["schema"] == question.schema


@pytest.mark.parametrize(("form", "sent"), [("object", {"type": "json_object"}), ("off", None)])
def test_models_that_know_no_schema_are_asked_otherwise(
    connection: openai.Connection, wire: WireServer, question: Request, form: JsonForm, sent: object
):
    connection.model("m").reply(replace(question, profile=ModelProfile(json=form)))
    assert wire.heard[0].body.get("response_format") == sent


def test_prose_is_asked_for_without_a_format(connection: openai.Connection, wire: WireServer, question: Request):
    connection.model("m").reply(replace(question, schema=None))
    assert "response_format" not in wire.heard[0].body


def test_an_answer_in_parts_is_joined(connection: openai.Connection, wire: WireServer, question: Request):
    parts = [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]
    wire.queue(lambda exchange: exchange.send(200, exchange.reply(parts)))  # type: ignore[arg-type]
    reply: Reply = connection.model("m").reply(question)
    assert reply.text == "one two"


def test_a_text_beside_a_refusal_field_is_read(connection: openai.Connection, wire: WireServer, question: Request):
    wire.queue(say('{"ok": 1}', refusal=None))
    assert connection.model("m").reply(question).text == '{"ok": 1}'


def test_a_local_server_needs_no_key(wire: WireServer, question: Request):
    assert openai.connect(openai.Endpoint("", wire.openai_url)).model("m").reply(question).text


def test_several_answers_are_wanted_only_of_a_model_that_takes_n(
    connection: openai.Connection, wire: WireServer, question: Request
):
    def three(exchange: Exchange) -> None:
        answer = exchange.reply("")
        ends = (("one", "stop"), ("tw", "length"), ("", "content_filter"))
        answer["choices"] = [{"message": {"content": text}, "finish_reason": end} for text, end in ends]
        del answer["usage"]
        exchange.send(200, answer)

    prose = replace(question, schema=None, samples=3)
    rejecting = ModelProfile(n=True, rejects=frozenset({"n"}))
    for profile, sent in ((ModelProfile(n=True), 3), (ModelProfile(), None), (rejecting, None)):
        wire.forget()
        wire.queue(three)
        reply = connection.model("m").reply(replace(prose, profile=profile))
        assert wire.heard[0].body.get("n") == sent
        assert reply.samples == (Sample("one"), Sample("tw", "length"), Sample("", "refused"))
        assert (reply.text, reply.usage.output_tokens) == ("one", estimate_tokens("onetw"))
    wire.queue(three)
    assert connection.model("m").reply(question).samples == ()


def test_a_budget_reserves_room_for_every_answer_that_is_wanted(question: Request):
    one, four = most_usage(question), most_usage(replace(question, samples=4))
    assert four.output_tokens == 4 * one.output_tokens and four.input_tokens == one.input_tokens
